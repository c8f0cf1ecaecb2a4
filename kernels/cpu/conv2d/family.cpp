#include <array>

#include "kernels/cpu/conv2d/problem.hpp"
#include "kernels/cpu/conv2d/variant.hpp"

namespace kernsweep::conv2d {
namespace {

const std::array kVariants = {&kVectorised, &kIm2col, &kOnednn, &kNaive};

const ks_family kFamily = {.name = "conv2d",
                           .summary = "forward convolution of images, as in a network's inference",
                           .params = kParams,
                           .param_count = kParamCount,
                           .reference = "naive",
                           .inputs = inputs,
                           .work = work,
                           .tolerance = tolerance,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
const std::array kFamilies = {&kFamily};

const ks_pack kPack = {.api_major = KS_API_MAJOR,
                       .api_minor = KS_API_MINOR,
                       .name = "conv2d",
                       .version = KERNSWEEP_PACK_VERSION,
                       .build = KERNSWEEP_PACK_BUILD,
                       .families = kFamilies.data(),
                       .family_count = kFamilies.size()};

}  // namespace
}  // namespace kernsweep::conv2d

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kernsweep::conv2d::kPack : nullptr;
}
