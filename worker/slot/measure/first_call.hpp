// The first call of a job, held against its later ones. A call that compiles, loads, or computes what later
// calls only return takes far longer than those.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/api/pack.h"
#include "shared/base/instant.hpp"

namespace kernsweep {

struct FirstCall {
  double seconds = 0;  // by the clock of the samples; 0: not known
  // Of these, time in which the process worked. What it waited because others had its cores is not in it.
  // Equal to `seconds` if the variant has a clock of its own.
  double worked_s = 0;
  std::uint64_t switches = 0;  // how often the system took a core away from one of its threads meanwhile
};

class FirstCallClock {
 public:
  FirstCallClock();  // the call begins
  // The call has ended.
  FirstCall read(const ks_variant& variant, void* state) const;

 private:
  Instant begun_;
  double worked_;
  std::uint64_t switches_;
};

// The call is told from these factors of the median on, both together. A first call also meets cold caches,
// pages that were never touched and threads that have to start: a few milliseconds.
constexpr double kSlowFirstFactor = 50;
constexpr double kSlowFirstLeast = 10e-3;  // seconds

// Work that a switch may have caused: the other threads of a call spin until the one that has no core goes
// on.
constexpr double kLostBySwitch = 25e-3;  // seconds

// Whether the first call of a state took so much longer than the median that later calls may not do its
// work: four times as long, and 100 us longer, which cold code and a small table cost as well.
bool may_use_up(double first_s, double median_s);
// Whether to prepare the kernel again for a trial of its first call: not where that takes longer than the
// measurement, and more than half a second. `slow`: about_first_call() has a sentence.
bool worth_a_trial(double trial_s, double measured_s, bool slow);
// The sentence for a first call that is slow in each new state.
std::string about_used_up(double first_s, double again_s, double median_s);

// What a first call may do that is not its work: it compiles, starts threads or processes, and touches
// memory first.
class Preparations {
 public:
  Preparations();  // the call begins
  // Of a call that took so long: what remains without the cost of memory that the process has got since. 0
  // if it has got more code, threads or children.
  double without_them(double seconds) const;

 private:
  std::uint64_t code_, resident_;  // bytes
  std::size_t helpers_;
};

// A sentence for a first call that is slow beside the median of the samples; nothing for all others.
std::optional<std::string> about_first_call(const FirstCall& first, double median_s);

}  // namespace kernsweep
