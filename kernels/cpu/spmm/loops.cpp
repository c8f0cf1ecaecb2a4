#include "kernels/cpu/spmm/loops.hpp"

#include "kernels/cpu/libraries/isa.hpp"
#include "kernels/cpu/spmm/eigen.hpp"

namespace kernsweep::spmm {

const Loops* find_loops(std::string_view isa) {
  return KERNSWEEP_KERNELS_FOR(isa, kLoopsAvx512, kLoopsAvx2, kLoopsBaseline);
}

const EigenProduct* find_eigen(std::string_view isa) {
  return KERNSWEEP_KERNELS_FOR(isa, kEigenAvx512, kEigenAvx2, kEigenBaseline);
}

}  // namespace kernsweep::spmm
