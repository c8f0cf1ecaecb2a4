#include "kernels/cpu/spmm/variants.hpp"

using namespace kernsweep::spmm;

KERNSWEEP_PACK(
    "spmm", KERNSWEEP_PACK_VERSION,
    family<Problem>("spmm", "sparse matrix times dense matrix: Y = A B, A pruned by elements or blocks",
                    {.reference = "naive", .constants = "a|mask"},
                    variant<OwnCsr>("csr", "ours: compressed sparse rows, oneTBB"),
                    variant<OwnBsr>("bsr", "ours: blocks of compressed sparse rows, oneTBB"),
                    variant<Mkl>("mkl", "mkl_sparse_s_mm of MKL, on CSR", mkl_available),
                    variant<EigenCsr>("eigen", "Eigen's product, on CSR", eigen_available),
                    variant<Dense>("dense", "the yardstick: cblas_sgemm with the zeros in place"),
                    variant<Naive>("naive", "the reference: in f64, one thread")))
