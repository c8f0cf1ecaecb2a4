// Compiles the text of an expression to code.
//
// A recursive descent over the grammar of docs/reference/expressions.md that emits code while it reads; no
// tree is kept. kDepthMax bounds the recursion; chains such as `a + b + c ...` add no depth, neither here
// nor at evaluation.
#pragma once

#include <memory>
#include <string_view>

#include "language/expression/code.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::expression {

// Error: "column 7: ...", for the user.
Result<std::unique_ptr<const Code>> compile(std::string_view text);

}  // namespace kernsweep::expression
