// The pack of matrix products: one family, `gemm`, and the ways to compute it. The reference is listed
// last.
#include <cstddef>

#include "kernels/api/pack.h"
#include "kernels/cpu/gemm/blas.hpp"
#include "kernels/cpu/gemm/blocked.hpp"
#include "kernels/cpu/gemm/onednn.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"
#include "kernels/reference/gemm/naive.hpp"

namespace kernsweep {
namespace {

const ks_variant* const kVariants[] = {&kGemmOneDnn, &kGemmBlas, &kGemmBlocked, &kGemmNaive};

const ks_family& gemm_family() {
  static const ks_family family = {"gemm",
                                   "matrix product: C[b] = op(A[b]) op(B[b])",
                                   kGemmParams,
                                   kGemmParamCount,
                                   0,
                                   "naive",
                                   &gemm_inputs,
                                   &gemm_work,
                                   &gemm_tolerance,
                                   kVariants,
                                   std::size(kVariants)};
  return family;
}

}  // namespace
}  // namespace kernsweep

const ks_pack* kernsweep_pack(std::uint32_t host_major,
                              std::uint32_t /*host_minor: every one is new enough*/) {
  if (host_major != KS_API_MAJOR) return nullptr;
  static const ks_family* const families[] = {&kernsweep::gemm_family()};
  static const ks_pack pack = {KS_API_MAJOR,         KS_API_MINOR, "gemm", KERNSWEEP_PACK_VERSION,
                               KERNSWEEP_PACK_BUILD, families,     1};
  return &pack;
}
