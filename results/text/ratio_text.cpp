#include "results/text/ratio_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kernsweep {

bool is_told(double bound, double ratio) {
  return std::isfinite(bound) && bound > 0 && bound >= ratio / kBoundsTold && bound <= ratio * kBoundsTold;
}

Value told_bound(double bound, double ratio) {
  return is_told(bound, ratio) ? Value(bound) : Value();
}

std::string percent(double share) {
  return fmt::format("{:g} %", share * 100);
}

}  // namespace kernsweep
