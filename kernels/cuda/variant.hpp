// A variant that computes on the GPU, made from a C++ class.
//
// The class (`Work`) derives from DeviceWork and has what kernels/api/pack.hpp says of a variant: Settings,
// can_run (which asks for no GPU), a constructor, output(); and
//   using Problem;  // of its family
// and, when all its work goes into one stream and the host waits for none of it,
//   void start();              // puts the work into the stream
//   TimedStream& queue();      // the stream
// or else
//   void run();              // returns when the device has done the work
//   double seconds() const;  // of the last run by the GPU's clock; without it the host's clock counts
// and may have
//   static void find(const Settings&);  // checks what it needs on the host besides a driver: a library
//   std::string description() const;    // what `runtime` reports before the GPU
// If the driver reports a broken context when one of them has thrown, KS_DEVICE_LOST is returned instead,
// because statuses of cuBLAS and cuDNN do not show it. When the constructor is called, can_run has accepted
// the point, and the GPU is open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/cuda/cuda_driver.hpp"
#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/cuda/cuda_timing.hpp"
#include "kernels/cuda/device_work.hpp"

namespace kernsweep::cuda {

template <class Work>
struct SettingsOf {};
template <class Work>
requires requires {
  typename Work::Settings;
}
struct SettingsOf<Work> {
  using Settings = typename Work::Settings;
};

template <class Work>
class OnDevice : public SettingsOf<Work> {
 public:
  // Whether the device can take several runs from a queue.
  static constexpr bool kQueued = requires(Work & work) { work.start(); };
  static constexpr bool kTimed = kQueued || requires(const Work& work) { work.seconds(); };

  // `settings`: one element if Work has settings.
  template <class Problem, class... Settings>
  requires(sizeof...(Settings) ==
           pack::detail::HasSettings<Work>) static void can_run(const Problem& problem,
                                                                const Settings&... settings) {
    constexpr bool exists = requires {
      &Work::can_run;
    };
    if constexpr (requires { Work::can_run(problem, settings...); })
      Work::can_run(problem, settings...);
    else if constexpr (requires { Work::can_run(problem); })
      Work::can_run(problem);
    else
      static_assert(!exists, "can_run is static, and takes the problem, or problem and settings");
    need_gpu();
    find(settings...);
  }

  template <class Problem>
  OnDevice(const Problem& problem, pack::Setup& setup) {
    can_run(problem);
    asking_the_driver([&] { work_.emplace(problem, setup); });
  }
  template <class Problem, class Settings>
  OnDevice(const Problem& problem, const Settings& settings, pack::Setup& setup) {
    can_run(problem, settings);
    asking_the_driver([&] { work_.emplace(problem, settings, setup); });
  }
  OnDevice(OnDevice&&) = delete;

  static ks_status available(ks_why why) {
    return pack::detail::guarded(
        [] {
          need_gpu();
          if constexpr (pack::detail::HasSettings<Work>) find(typename Work::Settings{});
        },
        [&](const char* reason) { pack::detail::say(why, reason); });
  }

  void run() {
    asking_the_driver([&] {
      if constexpr (kQueued)
        work_->queue().run([this] { work_->start(); });
      else
        work_->run();
    });
  }

  // Drivers queue about a thousand kernels, and one run of a library may have several kernels.
  static constexpr std::uint64_t runs_max = 128;
  void run_many(std::uint64_t runs) requires(kQueued) {
    asking_the_driver([&] { work_->queue().run_many(runs, [this] { work_->start(); }); });
  }

  ks_tensor output() {
    ks_tensor out{};
    asking_the_driver([&] { out = work_->output(); });
    return out;
  }

  static constexpr const char* device = "gpu";
  static constexpr double elapsed_resolution = kTimed ? kEventResolution : 0;
  double elapsed() const requires(kTimed) {
    if constexpr (kQueued)
      return const_cast<Work&>(*work_).queue().seconds();
    else
      return work_->seconds();
  }
  void evict() {
    asking_the_driver([&] { work_->eviction.run(work_->device); });
  }

  std::string runtime() const {
    std::string out;
    if constexpr (requires { work_->description(); }) out = work_->description() + "; ";
    return out + describe(work_->device);
  }

  std::vector<ks_declared_metric> metrics() {
    std::vector<ks_declared_metric> out{
        {.name = "device_allocated_bytes", .value = static_cast<double>(work_->memory.allocated)},
        {.name = "device_peak_bytes", .value = static_cast<double>(work_->memory.peak)}};
    if constexpr (kQueued) {
      if (const std::uint64_t early = work_->queue().begun_early())
        out.push_back({.name = "queues_begun_early", .value = static_cast<double>(early)});
    }
    return out;
  }

 private:
  static void need_gpu() {
    char reason[512] = "";
    if (const ks_status status = cuda::available({reason, sizeof reason}); status != KS_OK)
      throw Failure(status, reason);
  }
  template <class... Settings>
  static void find(const Settings&... settings) {
    if constexpr (requires { Work::find(settings...); }) Work::find(settings...);
  }

  std::optional<Work> work_;
};

template <class Work>
pack::Variant device_variant(const char* name, const char* summary) {
  using Kernel = OnDevice<Work>;
  return pack::variant<Kernel>(name, summary, Kernel::available).template of<typename Work::Problem>();
}

}  // namespace kernsweep::cuda
