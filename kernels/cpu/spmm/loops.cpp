#include "kernels/cpu/spmm/loops.hpp"

#include "kernels/cpu/libraries/isa.hpp"

namespace kernsweep::spmm {

const Loops* find_loops(std::string_view isa) {
#if defined(__x86_64__)
  return kernels_for(isa, &kLoopsAvx512, &kLoopsAvx2, &kLoopsBaseline);
#else
  return kernels_for<Loops>(isa, nullptr, nullptr, &kLoopsBaseline);
#endif
}

}  // namespace kernsweep::spmm
