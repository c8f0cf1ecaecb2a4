// Rules for tests that count calls and samples.
#pragma once

#include <chrono>
#include <cstdint>

#include "shared/base/rules.hpp"

namespace kernsweep {

using namespace std::chrono_literals;

// Two calls of warm-up and then `samples` samples, whatever their noise.
inline MeasureRules rules_for(std::uint64_t samples) {
  MeasureRules rules;
  rules.warmup = {2, 0s, 10s};
  rules.samples = {samples, samples, 0s, 60s};
  rules.stop = {0, false};
  return rules;
}

}  // namespace kernsweep
