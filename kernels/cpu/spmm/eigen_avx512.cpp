#define KERNSWEEP_EIGEN kEigenAvx512
#define KERNSWEEP_EIGEN_ISA "avx512f"
#define KERNSWEEP_EIGEN_NAMESPACE Eigen_avx512
#include "kernels/cpu/spmm/eigen_body.hpp"
