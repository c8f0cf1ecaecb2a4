#include <fmt/format.h>

#include "kernels/cuda/transfer/transfer.hpp"
#include "kernels/cuda/transfer/transfer_kernels.hpp"

namespace kernsweep::cuda {
namespace {

// Many steps at once: value -> factor value + addend modulo 2^32.
struct Steps {
  std::uint32_t factor = 1, addend = 0;

  Steps after(const Steps& first) const { return {factor * first.factor, factor * first.addend + addend}; }

  // Squares repeatedly: as many steps as `count` has bits.
  Steps times(std::int64_t count) const {
    Steps result, power = *this;
    for (; count > 0; count /= 2) {
      if (count % 2 == 1) result = power.after(result);
      power = power.after(power);
    }
    return result;
  }

  static Steps of(std::int64_t count) { return Steps{kStepFactor, kStepAddend}.times(count); }
};

// The reference: copies the input on the host and applies the kernel's steps.
class TransferNaive {
 public:
  TransferNaive(const Transfer& transfer, pack::Setup& setup)
      : steps_(Steps::of(transfer.steps).times(transfer.rounds)),
        from_(setup.input<std::int32_t>(0)),
        to_(setup.output<std::int32_t>({transfer.n()})) {}

  void run() {
    for (std::size_t i = 0; i < from_.size(); ++i)
      to_[i] =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(from_[i]) * steps_.factor + steps_.addend);
  }

 private:
  Steps steps_;
  std::span<const std::int32_t> from_;
  std::span<std::int32_t> to_;
};

[[noreturn]] void refuse_rounds(std::int64_t rounds, const char* needed) {
  throw pack::Refused(KS_BAD_PARAMETER, fmt::format("rounds is {}; {}", rounds, needed));
}

}  // namespace

std::vector<pack::Param<Transfer>> Transfer::params() {
  using pack::param;
  return {
      param<&Transfer::bytes>({.name = "bytes",
                               .summary = "bytes to be moved one way, a multiple of 4",
                               .fallback = "268435456",
                               .least = 0,
                               .most = 0x1p42}),
      param<&Transfer::direction>({.name = "direction",
                                   .summary = "host to device, device to host, or there and back again",
                                   .fallback = "h2d",
                                   .choices = "h2d|d2h|both"}),
      param<&Transfer::pinned>({.name = "memory",
                                .summary = "the host's memory",
                                .fallback = "pinned",
                                .choices = "pageable|pinned",
                                .setting = true}),
      param<&Transfer::mode>(
          {.name = "mode",
           .summary = "one call that waits, one on a stream, or chunks over several streams",
           .fallback = "async",
           .choices = "sync|async|overlap",
           .setting = true}),
      param<&Transfer::chunks>({.name = "chunks",
                                .summary = "mode overlap: pieces that are copied separately",
                                .fallback = "8",
                                .setting = true,
                                .least = 1,
                                .most = 0x1p20}),
      param<&Transfer::streams>({.name = "streams",
                                 .summary = "mode overlap: streams that share the chunks",
                                 .fallback = "2",
                                 .setting = true,
                                 .least = 1,
                                 .most = 128}),
      param<&Transfer::steps>(
          {.name = "steps",
           .summary =
               "mode overlap or direction both: multiply-adds per element by a kernel between the copies",
           .fallback = "0",
           .least = 0,
           .most = 0x1p32}),
      param<&Transfer::rounds>(
          {.name = "rounds",
           .summary = "direction both, mode sync or async: how often the kernel runs over the data",
           .fallback = "1",
           .least = 1,
           .most = 0x1p20}),
      param<&Transfer::through_host>(
          {.name = "between",
           .summary =
               "where the data is between two rounds: left on the device, or brought to the host and back",
           .fallback = "device",
           .choices = "device|host",
           .setting = true})};
}

void Transfer::check() {
  if (bytes % 4 != 0)
    throw pack::Refused(KS_BAD_PARAMETER, fmt::format("bytes is {}; it must be a multiple of 4", bytes));
  if (rounds > 1) {
    if (direction != Direction::both)
      refuse_rounds(rounds, "more than 1 needs direction both: the data goes up and comes down again");
    if (mode == Mode::overlap)
      refuse_rounds(rounds,
                    "more than 1 needs mode sync or async: the chunks of mode overlap have one round");
    if (steps == 0)
      refuse_rounds(rounds, "more than 1 needs steps of 1 or more: a round is a kernel that computes");
  }
  if (mode == Mode::overlap) return;
  chunks = streams = 1;
  if (direction != Direction::both) steps = 0;
}

// Counts only bytes between host and device, without those that the kernel moves within the device.
ks_work Transfer::work() const {
  const auto all = static_cast<double>(n()), times = static_cast<double>(rounds);
  return {.flops = 2 * all * static_cast<double>(steps) * times,
          .bytes = 4 * all * (direction == Direction::both ? 2 : 1) * (through_host ? times : 1)};
}

pack::Family transfer_family() {
  return pack::family<Transfer>(
      "transfer", "bytes between the host and its GPU", {.reference = "naive"}, transfer_cuda(),
      pack::variant<TransferNaive>("naive", "the reference: a copy on the host, one thread"));
}

}  // namespace kernsweep::cuda
