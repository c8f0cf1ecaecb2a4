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
  struct Settings {
    std::int64_t tile_n = 256;
    static auto params() {
      return std::vector{pack::param<&Settings::tile_n>({.name = "tile_n",
                                                         .summary = "columns of C that a block computes",
                                                         .fallback = "256",
                                                         .choices = "128|256",
                                                         .setting = true})};
    }
    void check() const {
      if (tile_n != 128 && tile_n != 256)
        throw Failure(KS_UNSUPPORTED, fmt::format("tile_n is {}; cuda_wgmma has 128 and 256", tile_n));
    }
  };

  static void can_run(const GemmProblem& problem) {
    need_no_epilogue(problem, "cuda_wgmma");
    if (problem.dtype != Dtype::bf16 && problem.dtype != Dtype::f16)
      throw Failure(KS_UNSUPPORTED,
                    fmt::format("cuda_wgmma multiplies bf16 and f16, not {}", problem.dtype_name()));
    if (problem.trans_a || !problem.trans_b)
      throw Failure(KS_UNSUPPORTED, "cuda_wgmma reads along k alone: set trans_a: n and trans_b: t");
    if (problem.lda % 8 != 0 || problem.ldb % 8 != 0)
      throw Failure(
          KS_UNSUPPORTED,
          fmt::format("rows of A or B do not begin at multiples of 16 bytes: lda is {} and ldb {}, both "
                      "must be multiples of 8",
                      problem.lda, problem.ldb));
  }

  GemmWgmma(const GemmProblem& given, const Settings& settings, pack::Setup& setup)
      : GemmOperands(given, setup),
        tile_n_(static_cast<int>(settings.tile_n)),
        module_(loaded(image_for(device))),
        kernel_(module_.kernel<GemmArguments>(
            fmt::format("gemm_wgmma_{}_{}", name_of(problem.dtype), tile_n_).c_str())) {
    const int shared_bytes = wgmma_shared_bytes(tile_n_);
    allow_shared_bytes(kernel_, static_cast<std::size_t>(shared_bytes));
    const auto blocks = [](std::int64_t length, int tile) { return (length + tile - 1) / tile; };
    grid_.blocks = static_cast<unsigned>(blocks(problem.m, kWgmmaTileM) * blocks(problem.n, tile_n_));
    grid_.block_threads = static_cast<unsigned>(wgmma_threads(tile_n_));
    grid_.blocks_y = static_cast<unsigned>(std::min(problem.batch, device.blocks_y_max));
    grid_.shared_bytes = static_cast<unsigned>(shared_bytes);
  }

  void start() { multiply_by(kernel_, grid_, arguments()); }

  std::string description() const {
    return fmt::format("cuda_wgmma wgmma m64n128k16 {} tile={}x{}x64 stages={} threads={} shared_bytes={}",
                       name_of(problem.dtype), kWgmmaTileM, tile_n_, wgmma_stages(tile_n_),
                       grid_.block_threads, grid_.shared_bytes);
  }

 private:
  // Code for compute capability 9.0 only: other GPUs do not have the instruction.
  static const unsigned char* image_for(const Device& device) {
    if (device.compute_major == 9 && device.compute_minor == 0) return kernsweep_fatbin_gemm_wgmma;
    throw Failure(KS_UNSUPPORTED,
                  fmt::format("{} has compute capability {}.{}; cuda_wgmma needs 9.0, take cublaslt",
                              device.name, device.compute_major, device.compute_minor));
  }

  int tile_n_;
  const Module& module_;
  Kernel<GemmArguments> kernel_;
  Grid grid_;
};

}  // namespace

pack::Variant gemm_cuda_wgmma() {
  return device_variant<GemmWgmma>(
      "cuda_wgmma", "a GPU of compute capability 9.0: our own kernels by wgmma; bf16, f16 along k");
}

}  // namespace kernsweep::cuda
