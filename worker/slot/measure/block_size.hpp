// Finds how many calls make a sample, by timing blocks of calls. Pure: reads no clock itself.
//
// A block is long enough if reading the clock takes less than kTimerShare of it, with a margin. A
// disturbance makes a block longer, so one block that is too short shows that it has too few calls, but
// only several blocks that are all long enough show that it has enough. These count as samples; only blocks
// that were too short are discarded, so a kernel that takes seconds loses nothing. Using the warm-up alone
// would not work: each of its calls is timed with a reading of the clock, and the first may take a million
// times as long as the others (compilation at run time, lazy loading).
#pragma once

#include <cstdint>

#include "shared/base/instant.hpp"

namespace kernsweep {

constexpr double kTimerShare = 1e-4;
constexpr std::uint64_t kCallsMax = 1'000'000;

// The clock that times a block of calls.
struct BlockClock {
  double reading_s;                     // seconds per reading; for a device's clock, its resolution
  double share = kTimerShare;           // largest share of a block that a reading may take
  std::uint64_t calls_max = kCallsMax;  // limit for the calls in a block
};

// Number of calls in a sample if a call takes `call_s` and a reading of the clock `timer_s` seconds.
std::uint64_t calls_per_sample(double call_s, double timer_s);

class BlockSize {
 public:
  static constexpr int kAgreeing = 3;         // blocks that must all be long enough
  static constexpr double kMargin = 1.25;     // factor for the length of a block: later ones may be faster
  static constexpr double kHeadroom = 1.25;   // factor for the calls after a block that was too short
  static constexpr double kGrowthMax = 64.0;  // limit of one step, for clocks that are too coarse

  // `call_s`: an estimate in seconds; if it is not positive, blocks begin with one call. A sample need not
  // be longer than `sample_max`.
  BlockSize(double call_s, const BlockClock& clock, Duration sample_max);

  std::uint64_t calls() const { return calls_; }
  // Must be called with the time of a block of calls() calls. False: the block was too short; calls() is
  // larger from now on, and blocks with fewer calls do not count.
  bool add(Duration took);

 private:
  double wanted_s_;  // wanted length of a block
  std::uint64_t calls_max_;
  std::uint64_t calls_ = 1;
  int agreeing_ = 0;
};

}  // namespace kernsweep
