// Eigen's product of a sparse matrix, compiled once per instruction set with that set's flags: Eigen uses
// the vectors of its compiler flags.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/cpu/spmm/loops.hpp"

namespace kernsweep::spmm {

struct EigenProduct {
  const char* isa;
  const char* version;  // "3.4.0"; null: this build has no Eigen
  bool has_threads;     // it was compiled with OpenMP
  // All rows, [0, last), of A [last, k]. Eigen uses `threads` if `has_threads`, but one for up to 20000
  // products of elements.
  void (*multiply)(const CsrRows& rows, std::int64_t k, int threads);
};

extern const EigenProduct kEigenBaseline;  // for every processor of this architecture
extern const EigenProduct kEigenAvx2;      // AVX2 and FMA; x86-64 only
extern const EigenProduct kEigenAvx512;    // AVX-512F; x86-64 only

// By the name of `isa`, as find_loops.
const EigenProduct* find_eigen(std::string_view isa);

}  // namespace kernsweep::spmm
