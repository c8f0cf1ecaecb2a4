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

// What a block of calls is timed with.
struct BlockClock {
  double reading_s;                     // that a reading takes; of a device's clock, its resolution
  double share = kTimerShare;           // of a block that a reading may take
  std::uint64_t calls_max = kCallsMax;  // in a block
};

// How many calls make a sample when one takes `call_s` and a reading of the clock `timer_s`.
std::uint64_t calls_per_sample(double call_s, double timer_s);

class BlockSize {
 public:
  static constexpr int kAgreeing = 3;         // blocks that must all be long enough
  static constexpr double kMargin = 1.25;     // and so much longer than that: later ones may be faster
  static constexpr double kHeadroom = 1.25;   // beyond what a block has shown to lack
  static constexpr double kGrowthMax = 64.0;  // at once: a coarse clock may have said next to nothing

  // `call_s`: a guess; not above 0: nothing is known, and it begins with one call. A sample needs not be
  // longer than `sample_max`.
  BlockSize(double call_s, const BlockClock& clock, Duration sample_max);

  std::uint64_t calls() const { return calls_; }
  // A block of calls() calls took so long. False: it was too short; calls() is more from now on, and what
  // was measured with fewer does not count.
  bool add(Duration took);

 private:
  double wanted_s_;  // of a block
  std::uint64_t calls_max_;
  std::uint64_t calls_ = 1;
  int agreeing_ = 0;
};

}  // namespace kernsweep
