#include "shared/stats/intervals.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep {

Interval exp_of(double low, double high) {
  return {std::exp(std::max(low, -700.0)), std::exp(std::min(high, 700.0))};
}

}  // namespace kernsweep
