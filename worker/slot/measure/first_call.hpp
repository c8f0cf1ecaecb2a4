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

// A sentence for a first call that is slow beside the median of the samples; nothing for all others.
std::optional<std::string> about_first_call(const FirstCall& first, double median_s);

}  // namespace kernsweep
