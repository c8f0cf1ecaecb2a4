// Points of a contest in tests.
#pragma once

#include <cmath>
#include <vector>

#include "shared/stats/process_spread.hpp"

namespace kernsweep::test {

using Logs = std::vector<double>;

// Logarithms of times in milliseconds.
inline Logs logs(const std::vector<double>& times) {
  Logs made;
  for (const double time : times) made.push_back(std::log(time / 1000));
  return made;
}

// A sweep whose other points have so many processes of 1, 1.01, 1 ms, ...
inline ProcessSpread quiet(std::size_t points, std::size_t processes = 3) {
  ProcessSpread spread;
  for (std::size_t i = 0; i < points; ++i) {
    Logs point(processes, 0.0);
    for (std::size_t p = 1; p < processes; p += 2) point[p] = std::log(1.01);
    spread.add(point, 0);
  }
  spread.fit();
  return spread;
}

// 12 times around one, the n-th of all points alike.
inline Logs twelve(double time, double noise = 0.02) {
  Logs made;
  for (int i = 0; i < 12; ++i)
    made.push_back(std::log(time / 1000) + noise * std::sin(3.0 * i + 100 * time));
  return made;
}

}  // namespace kernsweep::test
