// Copies between host and device, timed by the GPU.
#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/cuda/entries.hpp"
#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/transfer/transfer.hpp"
#include "kernels/cuda/transfer/transfer_kernels.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

// Buffers, each of all elements: source_ (host) -> first_ (device) -> second_ (device) -> result_ (host).
// Without steps second_ is first_. What a direction leaves out is done once, in the constructor or in
// output.
class TransferCuda : public DeviceWork {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    Transfer transfer;
    return parse_transfer(params, transfer, why);
  }

  TransferCuda(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
      : transfer_(read_checked(parse_transfer, params)),
        source_(inputs[0].data),
        first_(transfer_.bytes(), memory),
        stepped_(transfer_.steps > 0 ? transfer_.bytes() : 0, memory),
        result_(host_memory(context, transfer_.bytes())),
        module_(loaded(kernsweep_fatbin_transfer)),
        kernel_(module_.kernel<TransferArguments>("transfer_steps")),
        streams_(static_cast<std::size_t>(transfer_.streams)),
        ends_(static_cast<std::size_t>(transfer_.streams)) {
    if (transfer_.pinned && transfer_.up) {
      pinned_source_ = PinnedMemory(transfer_.bytes());
      if (transfer_.n > 0) std::memcpy(pinned_source_.address(), source_, transfer_.bytes());
      source_ = pinned_source_.address();
    }
    if (transfer_.pinned && transfer_.down) pinned_result_ = PinnedPages(result_, transfer_.bytes());
    if (!transfer_.up) {
      copy_to_device_now(first_.address(), source_, transfer_.bytes());
      Stream::legacy().synchronize();  // the streams of `run` do not wait for it
    }
  }

  void run() {
    if (transfer_.mode == Transfer::Mode::sync) {
      const Stream legacy = Stream::legacy();  // the stream of copies that name none
      interval_.begin(legacy);
      if (transfer_.up) copy_to_device_now(first_.address(), source_, transfer_.bytes());
      if (transfer_.down) copy_to_host_now(result_, first_.address(), transfer_.bytes());
      interval_.end(legacy);
      return;
    }
    const Stream& leading = streams_.front();
    interval_.begin(leading);
    for (std::size_t i = 1; i < streams_.size(); ++i) streams_[i].wait_for(interval_.begun());
    for (std::int64_t chunk = 0; chunk < transfer_.chunks; ++chunk)
      move_chunk(chunk, streams_[static_cast<std::size_t>(chunk % transfer_.streams)]);
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      ends_[i].record(streams_[i]);
      leading.wait_for(ends_[i]);
    }
    interval_.end(leading);
  }

  void output(ks_tensor& out) {
    if (!transfer_.down) copy_to_host_now(result_, second(), transfer_.bytes());
    view_of(result_, KS_S32, transfer_.n, out);
  }

  double seconds() const { return interval_.seconds(); }

 private:
  void* second() const { return transfer_.steps > 0 ? stepped_.address() : first_.address(); }

  void move_chunk(std::int64_t chunk, const Stream& stream) const {
    const std::int64_t each = (transfer_.n + transfer_.chunks - 1) / transfer_.chunks;
    const std::int64_t begin = std::min(chunk * each, transfer_.n);
    const std::int64_t count = std::min(each, transfer_.n - begin);
    if (count == 0) return;
    const auto bytes = static_cast<std::size_t>(count) * 4;
    const auto at = [begin](void* buffer) { return static_cast<std::uint32_t*>(buffer) + begin; };
    if (transfer_.up)
      copy_to_device(at(first_.address()), static_cast<const std::uint32_t*>(source_) + begin, bytes,
                     stream);
    if (transfer_.steps > 0) {
      launch(kernel_, grid_for(count, kBlockThreads, device), stream,
             {at(first_.address()), at(second()), count, transfer_.steps});
    }
    if (transfer_.down) copy_to_host(at(result_), at(second()), bytes, stream);
  }

  Transfer transfer_;
  const void* source_;
  DeviceMemory first_, stepped_;
  void* result_;
  PinnedMemory pinned_source_;
  PinnedPages pinned_result_;
  const Module& module_;
  Kernel<TransferArguments> kernel_;
  std::vector<Stream> streams_;  // after what they work on: they end first
  std::vector<Event> ends_;
  Interval interval_;
};

}  // namespace

const ks_variant kTransferCuda =
    device_variant<TransferCuda>("cuda", "the driver's copies, timed by the GPU");

}  // namespace kernsweep::cuda
