// Our own kernels for the tensor cores of Hopper, by wgmma.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/gemm/operands.hpp"
#include "kernels/cuda/gemm/wgmma_shape.hpp"

namespace kernsweep::cuda {
namespace {

class GemmWgmma : public GemmOperands {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    GemmProblem read;
    if (const ks_status status = read_without_epilogue(params, read, "cuda_wgmma", why); status != KS_OK)
      return status;
    if (read.dtype != Dtype::bf16 && read.dtype != Dtype::f16)
      return refuse(KS_UNSUPPORTED, why,
                    fmt::format("cuda_wgmma multiplies bf16 and f16, not {}", read.dtype_name()));
    if (read.trans_a || !read.trans_b)
      return refuse(KS_UNSUPPORTED, why, "cuda_wgmma reads along k alone: set trans_a: n and trans_b: t");
    if (read.lda % 8 == 0 && read.ldb % 8 == 0) return KS_OK;
    return refuse(
        KS_UNSUPPORTED, why,
        fmt::format("rows of A or B do not begin at multiples of 16 bytes: lda is {} and ldb {}, both "
                    "must be multiples of 8",
                    read.lda, read.ldb));
  }

  GemmWgmma(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
      : GemmOperands(params, context, inputs),
        module_(loaded(image_for(device))),
        kernel_(module_.kernel<GemmArguments>(
            fmt::format("gemm_wgmma_{}_nt", name_of(problem.dtype)).c_str())) {
    allow_shared_bytes(kernel_, kWgmmaSharedBytes);
    const auto blocks = [](std::int64_t length) { return (length + kWgmmaTile - 1) / kWgmmaTile; };
    grid_.blocks = static_cast<unsigned>(blocks(problem.m) * blocks(problem.n));
    grid_.block_threads = kWgmmaThreads;
    grid_.blocks_y = static_cast<unsigned>(std::min(problem.batch, kBlocksYMax));
    grid_.shared_bytes = kWgmmaSharedBytes;
  }

  void start() { multiply_by(kernel_, grid_, arguments()); }

  std::string description() const {
    return fmt::format("cuda_wgmma wgmma m64n128k16 {} tile={}x{}x64 stages={} threads={} shared_bytes={}",
                       name_of(problem.dtype), kWgmmaTile, kWgmmaTile, kTensorStages, kWgmmaThreads,
                       kWgmmaSharedBytes);
  }

 private:
  // Code for 9.0 alone: neither older nor newer cards have the instruction.
  static const unsigned char* image_for(const Device& device) {
    if (device.compute_major == 9 && device.compute_minor == 0) return kernsweep_fatbin_gemm_wgmma;
    throw Failure(KS_UNSUPPORTED,
                  fmt::format("{} has compute capability {}.{}; cuda_wgmma needs 9.0, take cuda_tensor",
                              device.name, device.compute_major, device.compute_minor));
  }

  const Module& module_;
  Kernel<GemmArguments> kernel_;
  Grid grid_;
};

}  // namespace

const ks_variant kGemmCudaWgmma = device_variant<GemmWgmma>(
    "cuda_wgmma", "a GPU of compute capability 9.0: our own kernels by wgmma; bf16, f16 along k");

}  // namespace kernsweep::cuda
