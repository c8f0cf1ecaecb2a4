// The pack of matrix products: one family, `gemm`, and the ways to compute it. The reference is listed
// last.
#include <array>

#include "kernels/cpu/gemm/blas.hpp"
#include "kernels/cpu/gemm/blocked.hpp"
#include "kernels/cpu/gemm/onednn.hpp"
#include "kernels/pack_parts.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"
#include "kernels/reference/gemm/naive.hpp"

namespace kernsweep {
namespace {

const std::array kVariants = {&kGemmOneDnn, &kGemmBlas, &kGemmBlocked, &kGemmNaive};
const ks_family kFamily = gemm_family_of(kVariants.data(), kVariants.size());
const std::array kFamilies = {&kFamily};
const ks_pack kPack = pack_of("gemm", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace
}  // namespace kernsweep

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kernsweep::kPack : nullptr;
}
