#include "worker/slot/copies/copy_rounds.hpp"

#include <algorithm>

namespace kernsweep {

std::vector<double> CallTimes::last(std::size_t rounds) const {
  std::vector<double> out;
  for (std::size_t i = std::min({rounds, count_, kMost}); i > 0; --i)
    out.push_back(times_[(count_ - i) % kMost]);
  return out;
}

ks_status OwnCalls::make(std::uint64_t count) {
  const Instant start = monotonic_now();
  for (std::uint64_t call = 0; call < count; ++call) {
    last_ = states_[at_];
    at_ = at_ + 1 == states_.size() ? 0 : at_ + 1;
    if (const ks_status status = variant_.run(last_); status != KS_OK) return status;
  }
  const double took_s = seconds(monotonic_now() - start);
  if (count > 0) times_.add(variant_.elapsed ? elapsed_s() : took_s / static_cast<double>(count));
  return KS_OK;
}

CopyRounds::CopyRounds(Companions& companions, const ks_variant& variant, std::vector<void*> states)
    : companions_(companions), own_(variant, std::move(states)) {
  rounds_.name = variant.name;
  rounds_.run = [](void* state) { return static_cast<CopyRounds*>(state)->run(1); };
  if (variant.elapsed)
    rounds_.elapsed = [](void* state) {
      const auto& self = *static_cast<CopyRounds*>(state);
      return std::max(self.own_.elapsed_s(), self.companions_.board().longest_s());
    };
}

ks_status CopyRounds::run(std::uint64_t calls) {
  ks_status status = KS_OK;
  const bool good = companions_.round({RoundTask::run, calls}, [&] { status = own_.make(calls); });
  return status == KS_OK && !good ? KS_FAILED : status;
}

// The median time of rounds without a call.
double CopyRounds::starting_s() {
  std::array<double, 101> took{};
  for (double& each : took) {
    const Instant start = monotonic_now();
    if (run(0) != KS_OK) return 0;
    each = seconds(monotonic_now() - start);
  }
  std::ranges::nth_element(took, took.begin() + took.size() / 2);
  return took[took.size() / 2];
}

QueuedRuns CopyRounds::queued() {
  if (rounds_.elapsed) return {};
  return {[](void* state, std::uint64_t runs) { return static_cast<CopyRounds*>(state)->run(runs); },
          kCallsMax, 0, starting_s()};
}

BetweenCalls CopyRounds::between(const BetweenCalls& own) {
  const auto together = [this](RoundTask task, const std::function<void()>& mine) -> std::function<void()> {
    if (!mine) return nullptr;
    return [this, task, mine] {
      companions_.round({task, 0}, mine);
    };  // a failure ends the next round of calls
  };
  return {together(RoundTask::evict, own.evict), together(RoundTask::restore, own.restore)};
}

std::vector<double> CopyRounds::keep(std::size_t rounds) {
  companions_.round({RoundTask::keep, rounds}, [] {});
  return own_.times().last(rounds);
}

}  // namespace kernsweep
