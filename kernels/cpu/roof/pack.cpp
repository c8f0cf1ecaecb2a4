#include <array>

#include "kernels/cpu/roof/roof.hpp"
#include "kernels/pack_parts.hpp"

namespace kernsweep::roof {
namespace {

const std::array kVariants = {&kAvx512, &kAvx2, &kPlain, &kStream, &kExpected};
const ks_family kFamily = family_of(kVariants.data(), kVariants.size());
const std::array kFamilies = {&kFamily};
const ks_pack kPack = pack_of("roof", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace
}  // namespace kernsweep::roof

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kernsweep::roof::kPack : nullptr;
}
