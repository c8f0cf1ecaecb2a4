// The pack's kernels, compiled for the host.
#include <cstring>

#include "tests/kernels/cuda/fake_driver/host_cuda.hpp"
// After what it needs.
#include "kernels/cuda/conv2d/conv2d_direct.cu"
#include "kernels/cuda/launch/launch.cu"
#include "kernels/cuda/memory/memory.cu"
#include "kernels/cuda/philox.cu"
#include "kernels/cuda/roof/roof.cu"
#include "kernels/cuda/stream/stream.cu"
#include "kernels/cuda/transfer/transfer.cu"
#include "tests/kernels/cuda/fake_driver/fake_state.hpp"
#include "tests/kernels/cuda/fake_driver/implicit_gemm_on_host.hpp"

namespace kernsweep::testing::fake_cuda {
namespace {

template <class Arguments>
Arguments argument_of(void (*)(Arguments));

template <auto kernel>
HostKernel on_host(const char* name) {
  using Arguments = decltype(argument_of(kernel));
  return {name, sizeof(Arguments), [](const void* bytes, unsigned blocks, unsigned block_threads) {
            Arguments arguments;
            std::memcpy(&arguments, bytes, sizeof arguments);
            gridDim = {blocks};
            blockDim = {block_threads};
            for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
              for (threadIdx.x = 0; threadIdx.x < block_threads; ++threadIdx.x) kernel(arguments);
          }};
}

#define KERNSWEEP_ON_HOST(name) on_host<name>(#name)
#define KERNSWEEP_STREAM_ON_HOST(op)                                               \
  KERNSWEEP_ON_HOST(stream_##op##_f64), KERNSWEEP_ON_HOST(stream_##op##_f64_past), \
      KERNSWEEP_ON_HOST(stream_##op##_f32), KERNSWEEP_ON_HOST(stream_##op##_f32_past)

#define KERNSWEEP_CONV2D_ON_HOST(name, T)                                \
  KERNSWEEP_ON_HOST(conv2d_direct_##name),                               \
      implicit_gemm_on_host<T, 64>("conv2d_implicit_gemm_" #name "_64"), \
      implicit_gemm_on_host<T, 128>("conv2d_implicit_gemm_" #name "_128")

const HostKernel kKernels[] = {
    KERNSWEEP_CONV2D_ON_HOST(f32, float),
    KERNSWEEP_CONV2D_ON_HOST(bf16, Conv2dBf16),
    KERNSWEEP_CONV2D_ON_HOST(f16, Conv2dF16),
    KERNSWEEP_CONV2D_ON_HOST(s8, std::int8_t),
    KERNSWEEP_ON_HOST(launch_add_one),
    KERNSWEEP_ON_HOST(memory_read),
    KERNSWEEP_ON_HOST(memory_write),
    KERNSWEEP_ON_HOST(philox_uniform_f32),
    KERNSWEEP_ON_HOST(philox_words),
    KERNSWEEP_STREAM_ON_HOST(add),
    KERNSWEEP_STREAM_ON_HOST(copy),
    KERNSWEEP_STREAM_ON_HOST(scale),
    KERNSWEEP_STREAM_ON_HOST(triad),
    KERNSWEEP_ON_HOST(transfer_steps),
    KERNSWEEP_ON_HOST(roof_fma_f64),
    KERNSWEEP_ON_HOST(roof_fma_f32),
    KERNSWEEP_ON_HOST(roof_fma_tf32),
    KERNSWEEP_ON_HOST(roof_fma_bf16),
    KERNSWEEP_ON_HOST(roof_fma_f16),
    KERNSWEEP_ON_HOST(roof_fma_s8),
    KERNSWEEP_ON_HOST(roof_fill),
    KERNSWEEP_ON_HOST(roof_read),
    KERNSWEEP_ON_HOST(roof_copy),
    KERNSWEEP_ON_HOST(roof_copy_past),
    KERNSWEEP_ON_HOST(roof_triad),
    KERNSWEEP_ON_HOST(roof_triad_past),
};

}  // namespace

const HostKernel* host_kernel(const std::string& name) {
  for (const HostKernel& kernel : kKernels)
    if (name == kernel.name) return &kernel;
  return nullptr;
}

}  // namespace kernsweep::testing::fake_cuda
