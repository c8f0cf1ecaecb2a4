// Names of axes, columns and sweeps.
#pragma once

#include "language/file/yaml_tree.hpp"

namespace kernsweep {

// A column: letters, digits and `_` in parts joined by dots, no part beginning with a digit ("threads",
// "env.OMP_NUM_THREADS"), at most 100 characters; not a word of the expression language; not host.* or
// gpu.*, which only `requires` may read.
Status check_column_name(const Node& name);

// A sweep: letters, digits, `_`, `-`, `.`, beginning with a letter or digit, at most 100.
Status check_sweep_name(const Node& name);

bool is_host_fact(std::string_view name);  // host.* or gpu.*
// Empty, except for a gpu.* that no host reports: then it lists the facts that exist.
std::string why_no_gpu_fact(std::string_view name);

}  // namespace kernsweep
