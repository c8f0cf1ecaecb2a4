// Names of axes, columns and sweeps.
#pragma once

#include "language/file/yaml_tree.hpp"

namespace kernsweep {

// A column: letters, digits and `_` in parts joined by dots, no part beginning with a digit ("threads",
// "env.OMP_NUM_THREADS"); not a word of the expression language; not under host. and gpu., which belong to
// `requires`.
Status check_column_name(const Node& name);

// A sweep: letters, digits, `_`, `-`, `.`, beginning with a letter or digit, at most 100.
Status check_sweep_name(const Node& name);

bool is_host_fact(std::string_view name);  // host.* or gpu.*
// Empty, but for a gpu.* that no host tells: what may be asked for instead.
std::string why_no_gpu_fact(std::string_view name);

}  // namespace kernsweep
