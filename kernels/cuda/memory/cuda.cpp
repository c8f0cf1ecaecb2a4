// A working set on the GPU, allocated anew by each run.
#include <numeric>
#include <vector>

#include "kernels/cuda/entries.hpp"
#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/memory/memory.hpp"
#include "kernels/cuda/memory/memory_kernels.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

// The time of a run is the GPU's, for writing and reading; the host's cost of allocating is not included.
class MemoryCuda : public DeviceWork {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    std::int64_t bytes = 0;
    return parse_memory(params, bytes, why);
  }

  MemoryCuda(const ks_params* params, const ks_context& context, const ks_tensor*)
      : bytes_(read_checked(parse_memory, params)),
        grid_(grid_for(bytes_ / 8, kBlockThreads, device)),
        on_host_(std::size_t{grid_.blocks} * grid_.block_threads),
        sums_(on_host_.size() * 8, memory),
        result_(static_cast<std::uint64_t*>(host_memory(context, 8))),
        module_(loaded(kernsweep_fatbin_memory)),
        write_(module_.kernel<MemoryWriteArguments>("memory_write")),
        read_(module_.kernel<MemoryReadArguments>("memory_read")) {}

  void run() {
    const DeviceMemory set(static_cast<std::size_t>(bytes_), memory);
    auto* const words = static_cast<std::uint64_t*>(set.address());
    interval_.begin(stream_);
    launch(write_, grid_, stream_, {words, bytes_ / 8});
    launch(read_, grid_, stream_, {words, bytes_ / 8, static_cast<std::uint64_t*>(sums_.address())});
    interval_.end(stream_);
  }

  void output(ks_tensor& out) {
    copy_to_host(on_host_.data(), sums_.address(), sums_.bytes(), stream_);
    stream_.synchronize();
    *result_ = std::accumulate(on_host_.begin(), on_host_.end(), std::uint64_t{0});
    view_of(result_, KS_S64, 1, out);
  }

  double seconds() const { return interval_.seconds(); }

 private:
  std::int64_t bytes_;
  Grid grid_;
  std::vector<std::uint64_t> on_host_;
  DeviceMemory sums_;
  std::uint64_t* result_;
  const Module& module_;
  Kernel<MemoryWriteArguments> write_;
  Kernel<MemoryReadArguments> read_;
  Stream stream_;  // after what it works on: it ends first
  Interval interval_;
};

}  // namespace

const ks_variant kMemoryCuda = device_variant<MemoryCuda>(
    "cuda", "allocated by each run, 8 bytes per load and store; the GPU's clock");

}  // namespace kernsweep::cuda
