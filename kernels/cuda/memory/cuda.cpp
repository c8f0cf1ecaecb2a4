// A working set on the GPU, allocated by each run.
#include <numeric>
#include <vector>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/memory/memory.hpp"
#include "kernels/cuda/memory/memory_kernels.hpp"
#include "kernels/cuda/variant.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

// The time of a run is the GPU's, for writing and reading; the host's cost of allocating is not included.
class MemoryCuda : public DeviceWork {
 public:
  using Problem = WorkingSet;

  MemoryCuda(const Problem& set, pack::Setup& setup)
      : set_(set),
        grid_(grid_for(set.words(), kBlockThreads, device)),
        on_host_(std::size_t{grid_.blocks} * grid_.block_threads),
        sums_(on_host_.size() * 8, memory),
        result_(setup.output<std::int64_t>({1})),
        module_(loaded(kernsweep_fatbin_memory)),
        write_(module_.kernel<MemoryWriteArguments>("memory_write")),
        read_(module_.kernel<MemoryReadArguments>("memory_read")) {}

  void run() {
    const DeviceMemory set(static_cast<std::size_t>(set_.bytes), memory);
    auto* const words = static_cast<std::uint64_t*>(set.address());
    interval_.begin(stream_);
    launch(write_, grid_, stream_, {words, set_.words()});
    launch(read_, grid_, stream_, {words, set_.words(), static_cast<std::uint64_t*>(sums_.address())});
    interval_.end(stream_);
  }

  ks_tensor output() {
    copy_to_host(on_host_.data(), sums_.address(), sums_.bytes(), stream_);
    stream_.synchronize();
    result_[0] =
        static_cast<std::int64_t>(std::accumulate(on_host_.begin(), on_host_.end(), std::uint64_t{0}));
    return pack::dense(result_.data(), KS_S64, {1});
  }

  double seconds() const { return interval_.seconds(); }

 private:
  WorkingSet set_;
  Grid grid_;
  std::vector<std::uint64_t> on_host_;
  DeviceMemory sums_;
  std::span<std::int64_t> result_;
  const Module& module_;
  Kernel<MemoryWriteArguments> write_;
  Kernel<MemoryReadArguments> read_;
  Stream stream_;  // declared after what it works on: destroyed first
  Interval interval_;
};

}  // namespace

pack::Variant memory_cuda() {
  return device_variant<MemoryCuda>("cuda",
                                    "allocated by each run, 8 bytes per load and store; the GPU's clock");
}

}  // namespace kernsweep::cuda
