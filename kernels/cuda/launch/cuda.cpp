// Many small kernels, one after the other on one stream.
#include <optional>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/launch/launch.hpp"
#include "kernels/cuda/launch/launch_kernels.hpp"
#include "kernels/cuda/variant.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

class LaunchCuda : public DeviceWork {
 public:
  using Problem = Launches;
  static void can_run(const Problem& launches) {
    if (launches.graph && launches.sync == LaunchSync::kernel)
      throw Failure(KS_UNSUPPORTED,
                    "the host cannot wait within a graph: set sync: step, sync: run or graph: false");
  }

  LaunchCuda(const Problem& launches, pack::Setup& setup)
      : launches_(launches),
        counts_(bytes(), memory),
        result_(setup.output<std::int32_t>({launches.n})),
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

  ks_tensor output() const {
    copy_to_host(result_.data(), counts_.address(), bytes(), stream_);
    stream_.synchronize();
    return pack::dense(result_.data(), KS_S32, {launches_.n});
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
  std::span<std::int32_t> result_;
  const Module& module_;
  Kernel<LaunchArguments> kernel_;
  Grid grid_;
  Stream stream_;                                  // declared after what it works on: destroyed first
  std::optional<Graph> first_graph_, next_graph_;  // the first one clears the counters, too
};

}  // namespace

pack::Variant launch_cuda() {
  return device_variant<LaunchCuda>("cuda",
                                    "kernels on one stream, or a graph of each step; the host's clock");
}

}  // namespace kernsweep::cuda
