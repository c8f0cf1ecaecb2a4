// The calls of a job with several copies, in the form of a variant that the sampler can measure: one call
// of it is a round, in which each copy makes one call, or a round of several calls each. Its time is from
// the common start until the last copy is ready.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/api/pack.h"
#include "worker/slot/copies/companions.hpp"
#include "worker/slot/measure/sampler.hpp"

namespace kernsweep {

// Seconds per call of one copy in its last rounds, by the kernel's own clock if it has one, else by the
// host's.
class CallTimes {
 public:
  static constexpr std::size_t kMost = 65536;  // rounds
  CallTimes() : times_(kMost) {}
  void add(double each_s) { times_[count_++ % kMost] = each_s; }
  std::vector<double> last(std::size_t rounds) const;

 private:
  std::vector<double> times_;
  std::size_t count_ = 0;
};

// `count` calls of this process, with its states in turn. The time per call is added to `times`.
class OwnCalls {
 public:
  OwnCalls(const ks_variant& variant, std::vector<void*> states)
      : variant_(variant), states_(std::move(states)) {}
  ks_status make(std::uint64_t count);
  // The time of the last call, by the clock of the variant; 0: it has none.
  double elapsed_s() const { return variant_.elapsed ? variant_.elapsed(last_) : 0; }
  const CallTimes& times() const { return times_; }

 private:
  const ks_variant& variant_;
  std::vector<void*> states_;
  std::size_t at_ = 0;
  void* last_ = nullptr;
  CallTimes times_;
};

class CopyRounds {
 public:
  // All arguments must outlive the object.
  CopyRounds(Companions& companions, const ks_variant& variant, std::vector<void*> states);
  CopyRounds(const CopyRounds&) = delete;
  CopyRounds& operator=(const CopyRounds&) = delete;

  const ks_variant& variant() const { return rounds_; }
  void* state() { return this; }
  QueuedRuns queued();
  // `own`: what this process does between calls; the others do the same.
  BetweenCalls between(const BetweenCalls& own);
  // Seconds per call of this copy in the last `rounds`; the others keep theirs, too.
  std::vector<double> keep(std::size_t rounds);

 private:
  ks_status run(std::uint64_t calls);
  double starting_s();

  Companions& companions_;
  OwnCalls own_;
  ks_variant rounds_{};
};

}  // namespace kernsweep
