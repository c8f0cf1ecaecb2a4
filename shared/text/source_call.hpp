// The call of a function of a source file in a sweep file: "matmul<4>(n, a, b, 0.5)".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct SourceCall {
  std::string function;                // "matmul<4>": all before the arguments
  std::vector<std::string> arguments;  // names and numbers, without blanks around them
};

// Splits the text; names are not looked up. Error: why it is not a call, and the form.
Result<SourceCall> source_call_of(std::string_view text);

// Whether the argument is a name; otherwise it is a number.
bool is_argument_name(std::string_view argument);

// Whether the family runs a function of a source file: code of the sweep, not of an installed pack.
constexpr bool is_source_family(std::string_view family) {
  return family == "source" || family == "opencl";
}

// Places in the command that builds a source: the files that call a function in C and in C++, which each
// installation has.
inline constexpr std::string_view kCallInC = "{call.c}", kCallInCpp = "{call.cpp}";

}  // namespace kernsweep
