#include "kernels/cpu/roof/roof.hpp"
#include "kernels/cpu/stream/stream.hpp"
#include "kernels/cuda/conv2d/conv2d.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/launch/launch.hpp"
#include "kernels/cuda/memory/memory.hpp"
#include "kernels/cuda/roof/roof.hpp"
#include "kernels/cuda/stream/stream.hpp"
#include "kernels/cuda/transfer/transfer.hpp"
#include "kernels/reference/conv2d/problem.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep::cuda {
namespace {

pack::Family conv2d_family() {
#if defined(KERNSWEEP_WITH_CUDNN)
  return conv2d::family_of(conv2d_direct(), conv2d_cudnn());
#else
  return conv2d::family_of(conv2d_direct());
#endif
}

const pack::Pack& made_pack() {
  static const pack::Pack* const made =
      new pack::Pack("cuda", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD ", nvcc " KERNSWEEP_NVCC_VERSION,
                     conv2d_family(),
                     gemm_family_of(gemm_cublaslt(), gemm_cublas(), gemm_cuda_wgmma(),
                                    gemm_cuda_tiled(), gemm_cuda_naive()),
                     launch_family(), memory_family(), roof::family_of(roof_cuda()),
                     stream::family_of(stream_cuda(), stream_memcpy()), transfer_family());
  return *made;
}

}  // namespace
}  // namespace kernsweep::cuda

// Hosts of interface 1.0 or 1.1 have no `device`: they would treat the variants as variants for processors.
const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t host_minor) {
  return host_minor >= 2 ? kernsweep::pack::open(host_major, kernsweep::cuda::made_pack) : nullptr;
}
