#include "kernels/cpu/memory_bound/loops.hpp"

#include <algorithm>

#include "kernels/cpu/libraries/isa.hpp"
#include "kernels/cpu/memory_bound/row_lengths.hpp"

namespace kernsweep::memory_bound {

std::int64_t softmax_scratch(std::int64_t cols, bool past) {
  return softmax_factors(cols) + (past ? std::max(kStageElements, cols) : 0);
}

const Loops* find_loops(std::string_view isa) {
#if defined(__x86_64__)
  return kernels_for(isa, &kLoopsAvx512, &kLoopsAvx2, &kLoopsBaseline);
#else
  return kernels_for<Loops>(isa, nullptr, nullptr, &kLoopsBaseline);
#endif
}

}  // namespace kernsweep::memory_bound
