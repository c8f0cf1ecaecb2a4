#include <array>

#include "kernels/cpu/stream/stream.hpp"
#include "kernels/pack_parts.hpp"

namespace kernsweep::stream {
namespace {

const std::array kVariants = {&kLoop, &kNaive};
const ks_family kFamily = family_of(kVariants.data(), kVariants.size());
const std::array kFamilies = {&kFamily};
const ks_pack kPack = pack_of("stream", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace
}  // namespace kernsweep::stream

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kernsweep::stream::kPack : nullptr;
}
