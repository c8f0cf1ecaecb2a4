// Columns whose values are environment variables of the processes that measure.
#pragma once

#include <string_view>

#include "shared/text/command_line.hpp"

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

// Columns that a kernel with free parameters does not get: they belong to its process, or are notes.
constexpr bool is_kept_from_kernels(std::string_view column) {
  return column == "variant" || column == "threads" || column == "copies" || column == "label" ||
         column == "count" || column == kBuildColumn || is_environment(column) ||
         column.starts_with("input.");
}

}  // namespace kernsweep
