// From the text of an expression to its code.
//
// A recursive descent over the grammar of docs/reference/expressions.md that emits code as it reads: no
// tree is kept. The depth of the recursion is bounded by kDepthMax; chains such as `a + b + c ...` cost no
// depth, neither here nor in the running machine.
#pragma once

#include <memory>
#include <string_view>

#include "language/expression/code.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::expression {

// Error: "column 7: ...", for the user.
Result<std::unique_ptr<const Code>> compile(std::string_view text);

}  // namespace kernsweep::expression
