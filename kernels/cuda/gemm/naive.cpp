// One thread per element of C: the baseline of the other variants.
#include <algorithm>
#include <string>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/gemm/operands.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kNaiveThreads = 256;
constexpr std::int64_t kNaiveColumns = 32, kNaiveRows = kNaiveThreads / kNaiveColumns;

class GemmNaiveOnGpu : public GemmOperands {
 public:
  static void can_run(const GemmProblem& problem) { need_no_epilogue(problem, "cuda_naive"); }

  GemmNaiveOnGpu(const GemmProblem& given, pack::Setup& setup)
      : GemmOperands(given, setup),
        module_(loaded(kernsweep_fatbin_gemm_naive)),
        kernel_(
            module_.kernel<GemmArguments>(("gemm_naive_" + std::string(name_of(problem.dtype))).c_str())) {
    grid_.blocks = static_cast<unsigned>((problem.n + kNaiveColumns - 1) / kNaiveColumns);
    grid_.block_threads = kNaiveThreads;
    grid_.blocks_y =
        static_cast<unsigned>(std::min((problem.m + kNaiveRows - 1) / kNaiveRows, device.blocks_y_max));
    grid_.blocks_z = static_cast<unsigned>(std::min(problem.batch, device.blocks_y_max));
  }

  void start() { multiply_by(kernel_, grid_, arguments()); }

  std::string description() const { return "cuda_naive"; }

 private:
  const Module& module_;
  Kernel<GemmArguments> kernel_;
  Grid grid_;
};

}  // namespace

pack::Variant gemm_cuda_naive() {
  return device_variant<GemmNaiveOnGpu>(
      "cuda_naive", "a GPU: a thread per element, every dtype; sums in f32, f64 or s32");
}

}  // namespace kernsweep::cuda
