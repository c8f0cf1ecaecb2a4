#include <fmt/format.h>

#include <array>
#include <string_view>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cuda/launch/launch.hpp"

namespace kernsweep::cuda {
namespace {

constexpr std::int64_t kKernelsMax = 1 << 24;  // of a run
constexpr std::int64_t kCountersMax = std::int64_t{1} << 32;

const std::array kParams = {
    ks_param_doc{"kernels", KS_INTEGER, "1000", nullptr, "kernels per step"},
    ks_param_doc{"steps", KS_INTEGER, "1", nullptr, "steps per run"},
    ks_param_doc{"n", KS_INTEGER, "256", nullptr, "counters that each kernel adds 1 to"},
    ks_param_doc{"graph", KS_BOOLEAN, "false", nullptr, "start those of a step as one CUDA graph"},
    ks_param_doc{"sync", KS_TEXT, "step", "run|step|kernel",
                 "the host waits once, at the end of the run, or after each step, or after each kernel"},
};

LaunchSync sync_of(std::string_view word) {
  if (word == "run") return LaunchSync::run;
  return word == "kernel" ? LaunchSync::kernel : LaunchSync::step;
}

ks_status work(const ks_params* params, ks_work* result, ks_why why) {
  Launches launches;
  if (const ks_status status = parse_launches(params, launches, why); status != KS_OK) return status;
  const double additions = static_cast<double>(launches.all_kernels()) * static_cast<double>(launches.n);
  *result = {.flops = additions, .bytes = 8 * additions};  // 4 bytes read and written
  return KS_OK;
}

ks_status inputs(const ks_params* params, ks_input*, size_t, size_t* count, ks_why why) {
  Launches launches;
  *count = 0;
  return parse_launches(params, launches, why);
}

ks_status tolerance(const ks_params*, ks_tolerance* result) {
  *result = {};  // equal
  return KS_OK;
}

const std::array kVariants = {&kLaunchCuda, &kLaunchNaive};

}  // namespace

ks_status parse_launches(const ks_params* params, Launches& launches, ks_why why) {
  const Params point(params);
  if (const ks_status status = point.check(kParams.data(), kParams.size(), why); status != KS_OK)
    return status;
  launches.kernels = point.integer("kernels", 1000);
  launches.n = point.integer("n", 256);
  launches.graph = point.boolean("graph", false);
  launches.steps = point.integer("steps", 1);
  launches.sync = sync_of(point.text("sync", "step"));
  if (launches.kernels < 1 || launches.kernels > kKernelsMax)
    return refuse(KS_BAD_PARAMETER, why,
                  fmt::format("kernels is {}; it must be 1 to {}", launches.kernels, kKernelsMax));
  if (launches.steps < 1 || launches.steps > kKernelsMax / launches.kernels)
    return refuse(KS_BAD_PARAMETER, why,
                  fmt::format("steps is {}; it must be 1 to {}, so that a run has at most {} kernels",
                              launches.steps, kKernelsMax / launches.kernels, kKernelsMax));
  if (launches.n < 1 || launches.n > kCountersMax)
    return refuse(KS_BAD_PARAMETER, why,
                  fmt::format("n is {}; it must be 1 to {}", launches.n, kCountersMax));
  return KS_OK;
}

const ks_family kLaunchFamily = {.name = "launch",
                                 .summary = "starting small kernels on a GPU",
                                 .params = kParams.data(),
                                 .param_count = kParams.size(),
                                 .reference = "naive",
                                 .inputs = inputs,
                                 .work = work,
                                 .tolerance = tolerance,
                                 .variants = kVariants.data(),
                                 .variant_count = kVariants.size(),
                                 .settings = "graph|sync"};

}  // namespace kernsweep::cuda
