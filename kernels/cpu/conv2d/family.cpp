#include <array>

#include "kernels/cpu/conv2d/backward/families.hpp"
#include "kernels/cpu/conv2d/variants.hpp"
#include "kernels/pack_parts.hpp"
#include "kernels/reference/conv2d/naive.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::conv2d {
namespace {

const std::array kVariants = {&kVectorised, &kIm2col, &kOnednn, &kNaive};

const ks_family kFamily = family_of(kVariants.data(), kVariants.size());
const std::array kFamilies = {&kFamily, backward::data_family(), backward::weights_family()};

const ks_pack kPack = pack_of("conv2d", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace
}  // namespace kernsweep::conv2d

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kernsweep::conv2d::kPack : nullptr;
}
