// Columns whose values are environment variables of the processes that measure.
#pragma once

#include <string_view>

namespace kernsweep {

// "env.NAME" -> "NAME"; "python.interpreter" -> "KERNSWEEP_PYTHON" (worker/slot/python/interpreter.hpp).
// "": another column.
constexpr std::string_view environment_variable_of(std::string_view column) {
  constexpr std::string_view kPrefix = "env.";
  if (column == "python.interpreter") return "KERNSWEEP_PYTHON";
  return column.starts_with(kPrefix) ? column.substr(kPrefix.size()) : std::string_view();
}

constexpr bool is_environment(std::string_view column) {
  return column.starts_with("env.") || column == "python.interpreter";
}

}  // namespace kernsweep
