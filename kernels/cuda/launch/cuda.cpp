// Many small kernels, one after the other on one stream.
#include <optional>

#include "kernels/cuda/entries.hpp"
#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/launch/launch.hpp"
#include "kernels/cuda/launch/launch_kernels.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

class LaunchCuda : public DeviceWork {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    Launches launches;
    if (const ks_status status = parse_launches(params, launches, why); status != KS_OK) return status;
    if (launches.graph && launches.sync == LaunchSync::kernel)
      return refuse(KS_UNSUPPORTED, why,
                    "the host cannot wait within a graph: set sync: step, sync: run or graph: false");
    return KS_OK;
  }

  LaunchCuda(const ks_params* params, const ks_context& context, const ks_tensor*)
      : launches_(read_checked(parse_launches, params)),
        counts_(bytes(), memory),
        result_(host_memory(context, bytes())),
        module_(loaded(kernsweep_fatbin_launch)),
        kernel_(module_.kernel<LaunchArguments>("launch_add_one")),
        grid_(grid_for(launches_.n, kBlockThreads, device)) {
    if (!launches_.graph) return;
    first_graph_.emplace(stream_, [this] { start_first_step(); });
    if (launches_.steps > 1) next_graph_.emplace(stream_, [this] { start_step(); });
  }

  void run() {
    for (std::int64_t step = 0; step < launches_.steps; ++step) {
      if (launches_.graph) {
        (step == 0 ? first_graph_ : next_graph_)->launch(stream_);
      } else if (step == 0) {
        start_first_step();
      } else {
        start_step();
      }
      if (launches_.sync == LaunchSync::step) stream_.synchronize();
    }
    if (launches_.sync == LaunchSync::run) stream_.synchronize();
  }

  void output(ks_tensor& out) {
    copy_to_host(result_, counts_.address(), bytes(), stream_);
    stream_.synchronize();
    view_of(result_, KS_S32, launches_.n, out);
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(launches_.n) * 4; }

  void start_first_step() const {
    fill_bytes(counts_.address(), 0, bytes(), stream_);
    start_step();
  }

  void start_step() const {
    const LaunchArguments arguments{static_cast<std::int32_t*>(counts_.address()), launches_.n};
    for (std::int64_t kernel = 0; kernel < launches_.kernels; ++kernel) {
      launch(kernel_, grid_, stream_, arguments);
      if (launches_.sync == LaunchSync::kernel) stream_.synchronize();
    }
  }

  Launches launches_;
  DeviceMemory counts_;
  void* result_;
  const Module& module_;
  Kernel<LaunchArguments> kernel_;
  Grid grid_;
  Stream stream_;                                  // after what it works on: it ends first
  std::optional<Graph> first_graph_, next_graph_;  // the first one clears the counters, too
};

}  // namespace

const ks_variant kLaunchCuda =
    device_variant<LaunchCuda>("cuda", "kernels on one stream, or a graph of each step; the host's clock");

}  // namespace kernsweep::cuda
