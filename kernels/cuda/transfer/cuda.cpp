// Copies between host and device, timed by the GPU.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/transfer/transfer.hpp"
#include "kernels/cuda/transfer/transfer_kernels.hpp"
#include "kernels/cuda/variant.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

// Buffers, each for all elements: source_ (host) -> first_ (device) -> second() (device) -> result_ (host).
// Without steps second() is first_. With rounds through the host, result_ is copied back to the device,
// because source_ is a read-only input. Copies that are not part of the direction are made once, in the
// constructor or in output.
class TransferCuda : public DeviceWork {
 public:
  using Problem = Transfer;

  TransferCuda(const Problem& transfer, pack::Setup& setup)
      : transfer_(transfer),
        source_(setup.tensor(0).data),
        first_(transfer_.size(), memory),
        stepped_(transfer_.steps > 0 ? transfer_.size() : 0, memory),
        result_(setup.output<std::int32_t>({transfer.n()}).data()),
        module_(loaded(kernsweep_fatbin_transfer)),
        kernel_(module_.kernel<TransferArguments>("transfer_steps")),
        streams_(static_cast<std::size_t>(transfer_.streams)),
        ends_(static_cast<std::size_t>(transfer_.streams)) {
    if (transfer_.pinned && transfer_.up()) {
      pinned_source_ = PinnedMemory(transfer_.size());
      if (transfer_.n() > 0) std::memcpy(pinned_source_.address(), source_, transfer_.size());
      source_ = pinned_source_.address();
    }
    if (transfer_.pinned && transfer_.down()) pinned_result_ = PinnedPages(result_, transfer_.size());
    if (!transfer_.up()) {
      copy_to_device_now(first_.address(), source_, transfer_.size());
      Stream::legacy().synchronize();  // the streams of `run` do not wait for this copy
    }
  }

  void run() {
    if (transfer_.mode == Transfer::Mode::overlap) {
      overlap();
    } else if (transfer_.mode == Transfer::Mode::sync) {
      in_rounds(Stream::legacy());  // the stream of copies without a named stream
    } else {
      in_rounds(streams_.front());
    }
  }

  ks_tensor output() const {
    if (!transfer_.down()) copy_to_host_now(result_, second(), transfer_.size());
    return pack::dense(result_, KS_S32, {transfer_.n()});
  }

  double seconds() const { return interval_.seconds(); }

 private:
  void* second() const { return transfer_.steps > 0 ? stepped_.address() : first_.address(); }

  void bring_up(const void* from, const Stream& stream) const {
    if (transfer_.mode == Transfer::Mode::sync)
      return copy_to_device_now(first_.address(), from, transfer_.size());
    copy_to_device(first_.address(), from, transfer_.size(), stream);
  }

  void bring_down(const void* from, const Stream& stream) const {
    if (transfer_.mode == Transfer::Mode::sync) return copy_to_host_now(result_, from, transfer_.size());
    copy_to_host(result_, from, transfer_.size(), stream);
  }

  void compute(void* from, void* to, std::int64_t count, const Stream& stream) const {
    launch(kernel_, grid_for(count, kBlockThreads, device), stream,
           {static_cast<std::uint32_t*>(from), static_cast<std::uint32_t*>(to), count, transfer_.steps});
  }

  // On the device, rounds alternate between the two buffers, so a kernel moves as much memory as a kernel
  // whose data has just come from the host.
  void in_rounds(const Stream& stream) {
    interval_.begin(stream);
    if (transfer_.up()) bring_up(source_, stream);
    void* from = first_.address();
    void* to = second();
    for (std::int64_t round = 0; transfer_.steps > 0 && round < transfer_.rounds; ++round) {
      if (round > 0 && transfer_.through_host) {
        bring_down(to, stream);
        bring_up(result_, stream);
      } else if (round > 0) {
        std::swap(from, to);
      }
      if (transfer_.n() > 0) compute(from, to, transfer_.n(), stream);
    }
    if (transfer_.down()) bring_down(to, stream);
    interval_.end(stream);
  }

  void overlap() {
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

  void move_chunk(std::int64_t chunk, const Stream& stream) const {
    const std::int64_t each = (transfer_.n() + transfer_.chunks - 1) / transfer_.chunks;
    const std::int64_t begin = std::min(chunk * each, transfer_.n());
    const std::int64_t count = std::min(each, transfer_.n() - begin);
    if (count == 0) return;
    const auto bytes = static_cast<std::size_t>(count) * 4;
    const auto at = [begin](void* buffer) { return static_cast<std::uint32_t*>(buffer) + begin; };
    if (transfer_.up())
      copy_to_device(at(first_.address()), static_cast<const std::uint32_t*>(source_) + begin, bytes,
                     stream);
    if (transfer_.steps > 0) compute(at(first_.address()), at(second()), count, stream);
    if (transfer_.down()) copy_to_host(at(result_), at(second()), bytes, stream);
  }

  Transfer transfer_;
  const void* source_;
  DeviceMemory first_, stepped_;
  void* result_;
  PinnedMemory pinned_source_;
  PinnedPages pinned_result_;
  const Module& module_;
  Kernel<TransferArguments> kernel_;
  std::vector<Stream> streams_;  // declared after what they work on: destroyed first
  std::vector<Event> ends_;
  Interval interval_;
};

}  // namespace

pack::Variant transfer_cuda() {
  return device_variant<TransferCuda>("cuda", "the driver's copies, timed by the GPU");
}

}  // namespace kernsweep::cuda
