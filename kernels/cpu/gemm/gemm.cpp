// The pack of matrix products: one family, `gemm`, and the ways to compute it.
#include "kernels/cpu/gemm/variants.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

KERNSWEEP_PACK("gemm", KERNSWEEP_PACK_VERSION,
               kernsweep::gemm_family_of(kernsweep::gemm_onednn(), kernsweep::gemm_blas(),
                                         kernsweep::gemm_blocked()))
