#include "worker/core/quiet_wait.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "shared/lists/standing_reason.hpp"

namespace kernsweep::worker {
namespace {

constexpr double kBusyCores = 0.2;
constexpr double kShare = 0.05;  // of the host's processors, or of their time

std::string whole_seconds(Duration time) {
  return std::to_string(std::llround(seconds(time))) + " s";
}

}  // namespace

bool disturbs(const HostSeen& seen) {
  return seen.busy_cores > std::max(kBusyCores, kShare * seen.processors) || seen.steal_share > kShare;
}

void Quiet::begin(SweepId sweep) {
  if (sweep.value <= sweep_.value) return;
  sweep_ = sweep;
  left_ = patience_;
  stands_ = reported_ = false;
  disturbed_ = 0;
  suspicious_ = true;
}

bool Quiet::may_measure(Instant now) const {
  if (waiting_) return false;
  const Duration since = now - looked_;
  if (!suspicious_ && since < every_) return true;
  // Without patience a look must not cost time.
  return since < kWindow && left_ <= Duration::zero();
}

void Quiet::spend(Instant now) {
  // A pause of this process does not count as waiting.
  const Duration passed = std::clamp(now - counted_, Duration::zero(), 2 * kWaitEvery);
  left_ -= passed;
  waited_ += passed;
  counted_ = now;
}

void Quiet::nobody_waits(Instant now) {
  if (!waiting_) return;
  spend(now);
  waiting_ = false;
  suspicious_ = true;
}

std::string Quiet::seen(Instant now, const HostSeen& seen) {
  looked_ = now;
  suspicious_ = false;
  every_ = std::max(kEvery, 50 * seen.took);
  const bool busy = disturbs(seen);
  if (busy) last_ = seen;
  if (busy) quiet_since_.reset();
  if (!busy && !quiet_since_) quiet_since_ = now;
  if (waiting_) {
    spend(now);
    quiet_looks_ = busy ? 0 : quiet_looks_ + 1;
    if (quiet_looks_ == kQuietLooks) {
      waiting_ = false;
      return "quiet after " + whole_seconds(waited_) + "; measuring";
    }
    return left_ > Duration::zero() ? "" : give_up();
  }
  if (!busy) {
    if (stands_ && now - *quiet_since_ >= kQuietAgain) stands_ = false;
    return "";
  }
  if (stands_) return "";
  if (left_ <= Duration::zero()) return give_up();
  waiting_ = true;
  counted_ = now;
  waited_ = Duration::zero();
  quiet_looks_ = 0;
  return "this host is not quiet: " + who() + "; waiting for quiet for at most " + whole_seconds(left_) +
         " (--patience 0 does not wait)";
}

// From now on the disturbance counts as permanent.
std::string Quiet::give_up() {
  const bool after_waiting = std::exchange(waiting_, false);
  stands_ = true;
  if (std::exchange(reported_, true)) return "";
  return (after_waiting ? "not quiet after " + whole_seconds(waited_) : "this host is not quiet") + ": " +
         who() + "; measuring anyway; disturbed results are graded C and not retried";
}

void Quiet::measured(Instant now, bool disturbed) {
  if (!disturbed) {
    disturbed_ = 0;
    return;
  }
  if (disturbed_++ == 0) disturbed_since_ = now;
  suspicious_ = true;
}

bool Quiet::stands(Instant now) const {
  return stands_ || (disturbed_ >= kDisturbedInRow && now - disturbed_since_ >= patience_);
}

std::string Quiet::who() const {
  std::string text = last_.who;
  std::array<char, 64> number{};
  if (text.empty() && last_.busy_cores > kBusyCores) {
    std::snprintf(number.data(), number.size(), "others use %.1f cores", last_.busy_cores);
    text = number.data();
  }
  if (last_.steal_share > kShare) {
    std::snprintf(number.data(), number.size(), "a hypervisor takes %.0f %% of the time",
                  last_.steal_share * 100);
    text += (text.empty() ? "" : ", ") + std::string(number.data());
  }
  return text;
}

std::string Quiet::waits() const {
  if (!waiting_) return "";
  return "waiting for quiet: " + who() + "; " + whole_seconds(std::max(left_, Duration::zero())) +
         " left, --patience 0 does not wait";
}

std::string Quiet::why_not_again() const {
  return standing_reason(stands_ ? who() : "");
}

}  // namespace kernsweep::worker
