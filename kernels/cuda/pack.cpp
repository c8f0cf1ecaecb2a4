#include <array>

#include "kernels/cuda/conv2d/conv2d.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/launch/launch.hpp"
#include "kernels/cuda/memory/memory.hpp"
#include "kernels/cuda/roof/roof.hpp"
#include "kernels/cuda/stream/stream.hpp"
#include "kernels/cuda/transfer/transfer.hpp"
#include "kernels/pack_parts.hpp"

namespace kernsweep::cuda {
namespace {

const std::array kFamilies = {&kConv2dFamily, &kGemmFamily,   &kLaunchFamily,  &kMemoryFamily,
                              &kRoofFamily,   &kStreamFamily, &kTransferFamily};
const ks_pack kPack = pack_of("cuda", KERNSWEEP_PACK_VERSION,
                              KERNSWEEP_PACK_BUILD ", nvcc " KERNSWEEP_NVCC_VERSION, kFamilies);

}  // namespace
}  // namespace kernsweep::cuda

// Hosts of interface 1.0 or 1.1 have no `device`: they would treat the variants as variants for processors.
const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t host_minor) {
  return host_major == KS_API_MAJOR && host_minor >= 2 ? &kernsweep::cuda::kPack : nullptr;
}
