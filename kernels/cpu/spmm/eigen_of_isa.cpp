// Eigen's product, compiled for each instruction set: of_isa.hpp. Its inline functions have the same names
// for each, and the linker would keep those of one set for all: its namespace is named after the set.
#include "kernels/cpu/libraries/of_isa.hpp"
#include "kernels/cpu/spmm/eigen.hpp"

#if __has_include(<Eigen/SparseCore>)
#define Eigen KERNSWEEP_OF_ISA(Eigen_)
#include <Eigen/SparseCore>

namespace kernsweep::spmm {
namespace {

using Sparse = Eigen::Map<const Eigen::SparseMatrix<float, Eigen::RowMajor, std::int32_t>>;
using Dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void multiply(const CsrRows& rows, std::int64_t k, int threads) {
  Eigen::setNbThreads(threads);
  const Sparse a(rows.last, k, rows.begins[rows.last], rows.begins, rows.columns, rows.values);
  if (rows.n == 1) {  // Eigen's product with a vector is another one
    Eigen::Map<Eigen::VectorXf>(rows.y, rows.last).noalias() =
        a * Eigen::Map<const Eigen::VectorXf>(rows.b, k);
    return;
  }
  Eigen::Map<Dense>(rows.y, rows.last, rows.n).noalias() = a * Eigen::Map<const Dense>(rows.b, k, rows.n);
}

#ifdef EIGEN_HAS_OPENMP
constexpr bool kHasThreads = true;
#else
constexpr bool kHasThreads = false;
#endif
#define KERNSWEEP_TEXT_OF(x) #x
#define KERNSWEEP_TEXT(x) KERNSWEEP_TEXT_OF(x)

}  // namespace

const EigenProduct KERNSWEEP_OF_ISA(kEigen){
    KERNSWEEP_ISA,
    KERNSWEEP_TEXT(EIGEN_WORLD_VERSION) "." KERNSWEEP_TEXT(EIGEN_MAJOR_VERSION) "." KERNSWEEP_TEXT(
        EIGEN_MINOR_VERSION),
    kHasThreads, multiply};

}  // namespace kernsweep::spmm
#else
const kernsweep::spmm::EigenProduct kernsweep::spmm::KERNSWEEP_OF_ISA(kEigen){KERNSWEEP_ISA, nullptr, false,
                                                                              nullptr};
#endif
