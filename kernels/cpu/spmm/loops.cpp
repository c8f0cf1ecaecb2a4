#include "kernels/cpu/spmm/loops.hpp"

#include "kernels/cpu/libraries/isa.hpp"

namespace kernsweep::spmm {

const Loops* find_loops(std::string_view isa) {
  return KERNSWEEP_KERNELS_FOR(isa, kLoopsAvx512, kLoopsAvx2, kLoopsBaseline);
}

}  // namespace kernsweep::spmm
