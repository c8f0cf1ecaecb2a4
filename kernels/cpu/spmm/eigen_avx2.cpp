#define KERNSWEEP_EIGEN kEigenAvx2
#define KERNSWEEP_EIGEN_ISA "avx2"
#define KERNSWEEP_EIGEN_NAMESPACE Eigen_avx2
#include "kernels/cpu/spmm/eigen_body.hpp"
