// The functions of expressions. Nothing else can be called.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "language/expression/code.hpp"

namespace kernsweep {

// The names of all functions, sorted. docs/reference/expressions.md lists the same; a test holds them
// together.
std::vector<std::string> expression_functions();

namespace expression {

// `one` takes a single argument; with more, `two` takes the first and the second, then its answer and the
// third...
struct Function {
  std::string_view name;
  std::size_t arguments_min;
  std::size_t arguments_max;
  Op one;
  Op two;
};

// Null when there is none. Owned by the program.
const Function* find_function(std::string_view name);

}  // namespace expression
}  // namespace kernsweep
