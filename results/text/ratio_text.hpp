// Ratios and their intervals as text for the user. If the times of two or three processes differ very much,
// the interval is extremely wide and shows only that nothing is known; then it is printed as "not known".
#pragma once

#include <string>

#include "results/read/rows.hpp"
#include "shared/stats/intervals.hpp"

namespace kernsweep {

// A bound that differs from the ratio by more than this factor is printed as "not known".
inline constexpr double kBoundsTold = 1000;
bool is_told(double bound, double ratio);
// The number, or null where it is not finite.
Value finite_value(double number);
// The bound, or null where it is not told, as in JSON.
Value told_bound(double bound, double ratio);

// "1 %" of 0.01
std::string percent(double share);
// "2.5 %" of 0.02412: two digits, rounded up.
std::string percent_at_most(double share);

// "0.9948 to 1.0421", "0.9948 to unbounded", "not known"; `text` formats one number.
template <class Text>
std::string text_of_bounds(const Interval& bounds, double ratio, const Text& text) {
  const bool low = is_told(bounds.low, ratio), high = is_told(bounds.high, ratio);
  if (!low && !high) return "not known";
  return (low ? text(bounds.low) : "not known") + " to " + (high ? text(bounds.high) : "not known");
}

}  // namespace kernsweep
