#include "kernels/cpu/memory_bound/loops.hpp"

#include <algorithm>

#include "kernels/cpu/libraries/isa.hpp"
#include "kernels/cpu/memory_bound/row_lengths.hpp"

namespace kernsweep::memory_bound {

std::int64_t softmax_scratch(std::int64_t cols, bool past) {
  return softmax_factors(cols) + (past ? std::max(kStageElements, cols) : 0);
}

const Loops* find_loops(std::string_view isa) {
  return KERNSWEEP_KERNELS_FOR(isa, kLoopsAvx512, kLoopsAvx2, kLoopsBaseline);
}

}  // namespace kernsweep::memory_bound
