#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/launch/launch.hpp"

namespace kernsweep::cuda {
namespace {

constexpr std::int64_t kKernelsMax = 1 << 24;  // of a run

// The reference: adds in sequence on the host.
class LaunchNaive {
 public:
  LaunchNaive(const Launches& launches, pack::Setup& setup)
      : kernels_(launches.all_kernels()), counts_(setup.output<std::int32_t>({launches.n})) {}

  void run() {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (std::int64_t kernel = 0; kernel < kernels_; ++kernel)
      for (std::int32_t& count : counts_) ++count;
  }

 private:
  std::int64_t kernels_;
  std::span<std::int32_t> counts_;
};

}  // namespace

std::vector<pack::Param<Launches>> Launches::params() {
  using pack::param;
  return {param<&Launches::kernels>({.name = "kernels",
                                     .summary = "kernels per step",
                                     .fallback = "1000",
                                     .least = 1,
                                     .most = kKernelsMax}),
          param<&Launches::steps>({.name = "steps", .summary = "steps per run", .fallback = "1"}),
          param<&Launches::n>({.name = "n",
                               .summary = "counters that each kernel adds 1 to",
                               .fallback = "256",
                               .least = 1,
                               .most = 0x1p32}),
          param<&Launches::graph>({.name = "graph",
                                   .summary = "start those of a step as one CUDA graph",
                                   .fallback = "false",
                                   .setting = true}),
          param<&Launches::sync>(
              {.name = "sync",
               .summary =
                   "the host waits once, at the end of the run, or after each step, or after each kernel",
               .fallback = "step",
               .choices = "run|step|kernel",
               .setting = true})};
}

void Launches::check() const {
  if (steps < 1 || steps > kKernelsMax / kernels)
    throw pack::Refused(KS_BAD_PARAMETER,
                        fmt::format("steps is {}; it must be 1 to {}, so that a run has at most {} kernels",
                                    steps, kKernelsMax / kernels, kKernelsMax));
}

ks_work Launches::work() const {
  const double additions = static_cast<double>(all_kernels()) * static_cast<double>(n);
  return {.flops = additions, .bytes = 8 * additions};  // 4 bytes read and written
}

pack::Family launch_family() {
  return pack::family<Launches>(
      "launch", "starting small kernels on a GPU", {.reference = "naive"}, launch_cuda(),
      pack::variant<LaunchNaive>("naive", "the reference: the additions on the host, one thread"));
}

}  // namespace kernsweep::cuda
