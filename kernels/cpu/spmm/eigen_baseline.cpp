#define KERNSWEEP_EIGEN kEigenBaseline
#define KERNSWEEP_EIGEN_ISA "baseline"
#define KERNSWEEP_EIGEN_NAMESPACE Eigen_baseline
#include "kernels/cpu/spmm/eigen_body.hpp"
