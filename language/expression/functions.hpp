// The functions of expressions. No other function can be called.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "language/expression/code.hpp"

namespace kernsweep {

// The names of all functions, sorted. A test compares them with docs/reference/expressions.md.
std::vector<std::string> expression_functions();

namespace expression {

// `one` is the operation for a single argument. With more, `two` is applied to the first and the second,
// then to that result and the third, and so on.
struct Function {
  std::string_view name;
  std::size_t arguments_min;
  std::size_t arguments_max;
  Op one;
  Op two;
};

// The function called `name`; null if there is none. Static storage.
const Function* find_function(std::string_view name);

}  // namespace expression
}  // namespace kernsweep
