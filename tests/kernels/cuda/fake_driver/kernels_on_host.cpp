// The pack's kernels, compiled for the host.
#include <cstring>

#include "tests/kernels/cuda/fake_driver/host_cuda.hpp"
// After what it needs.
#include "kernels/cuda/conv2d/conv2d_direct.cu"
#include "kernels/cuda/gemm/gemm_naive.cu"
#include "kernels/cuda/gemm/gemm_tiled_bf16.cu"
#include "kernels/cuda/gemm/gemm_tiled_f16.cu"
#include "kernels/cuda/gemm/gemm_tiled_f32.cu"
#include "kernels/cuda/gemm/gemm_tiled_f64.cu"
#include "kernels/cuda/gemm/gemm_tiled_s8.cu"
#include "kernels/cuda/gemm/gemm_wgmma.cu"
#include "kernels/cuda/launch/launch.cu"
#include "kernels/cuda/memory/memory.cu"
#include "kernels/cuda/philox.cu"
#include "kernels/cuda/roof/roof.cu"
#include "kernels/cuda/stream/stream.cu"
#include "kernels/cuda/transfer/transfer.cu"
#include "tests/kernels/cuda/fake_driver/fake_state.hpp"
#include "tests/kernels/cuda/faults/faults.cu"

namespace kernsweep::testing::fake_cuda {
namespace {

template <class Arguments>
Arguments argument_of(void (*)(Arguments));

template <auto kernel, Threads threads>
HostKernel on_host(const char* name) {
  using Arguments = decltype(argument_of(kernel));
  return {name, sizeof(Arguments),
          [](const void* bytes, const Index& blocks, unsigned block_threads, std::size_t shared_bytes) {
            Arguments arguments;
            std::memcpy(&arguments, bytes, sizeof arguments);
            run_grid(threads, blocks, block_threads, shared_bytes, [&] { kernel(arguments); });
          }};
}

// A GPU reports an access by which the host would crash.
void write_as_a_gpu_does(const void* bytes, const Index&, unsigned, std::size_t) {
  FaultArguments arguments;
  std::memcpy(&arguments, bytes, sizeof arguments);
  if (arguments.word == nullptr) {
    state().lost = CUDA_ERROR_ILLEGAL_ADDRESS;
  } else {
    fault_write(arguments);
  }
}

#define KERNSWEEP_ON_HOST(name) on_host<name, Threads::alone>(#name)
#define KERNSWEEP_TOGETHER_ON_HOST(name) on_host<name, Threads::together>(#name)
#define KERNSWEEP_TILED_ON_HOST(name, T, m, n, thread) \
  KERNSWEEP_TOGETHER_ON_HOST(gemm_tiled_##name##_##m##x##n##_##thread),
#define KERNSWEEP_STREAM_ON_HOST(op)                                               \
  KERNSWEEP_ON_HOST(stream_##op##_f64), KERNSWEEP_ON_HOST(stream_##op##_f64_past), \
      KERNSWEEP_ON_HOST(stream_##op##_f32), KERNSWEEP_ON_HOST(stream_##op##_f32_past)

const HostKernel kKernels[] = {
    KERNSWEEP_ON_HOST(conv2d_direct_f32),
    KERNSWEEP_ON_HOST(conv2d_direct_bf16),
    KERNSWEEP_ON_HOST(conv2d_direct_f16),
    KERNSWEEP_ON_HOST(conv2d_direct_s8),
    KERNSWEEP_TILED_SHAPES(KERNSWEEP_TILED_ON_HOST, bf16, ) KERNSWEEP_TILED_SHAPES(
        KERNSWEEP_TILED_ON_HOST, f16, ) KERNSWEEP_TILED_SHAPES(KERNSWEEP_TILED_ON_HOST, f32, )
        KERNSWEEP_TILED_SHAPES(KERNSWEEP_TILED_ON_HOST, f64, ) KERNSWEEP_TILED_SHAPES(
            KERNSWEEP_TILED_ON_HOST, s8, ) KERNSWEEP_TOGETHER_ON_HOST(gemm_wgmma_bf16_128),
    KERNSWEEP_TOGETHER_ON_HOST(gemm_wgmma_bf16_256),
    KERNSWEEP_TOGETHER_ON_HOST(gemm_wgmma_f16_128),
    KERNSWEEP_TOGETHER_ON_HOST(gemm_wgmma_f16_256),
    {"fault_write", sizeof(FaultArguments), &write_as_a_gpu_does},
    KERNSWEEP_ON_HOST(fault_endless),
    KERNSWEEP_ON_HOST(gemm_naive_bf16),
    KERNSWEEP_ON_HOST(gemm_naive_f16),
    KERNSWEEP_ON_HOST(gemm_naive_f32),
    KERNSWEEP_ON_HOST(gemm_naive_f64),
    KERNSWEEP_ON_HOST(gemm_naive_f8e4m3),
    KERNSWEEP_ON_HOST(gemm_naive_f8e5m2),
    KERNSWEEP_ON_HOST(gemm_naive_s8),
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
    KERNSWEEP_ON_HOST(roof_fma_f64_tensor),
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
