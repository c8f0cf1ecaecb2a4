#include "results/text/ratio_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kernsweep {

bool is_told(double bound, double ratio) {
  return std::isfinite(bound) && bound > 0 && bound >= ratio / kBoundsTold && bound <= ratio * kBoundsTold;
}

Value finite_value(double number) {
  return std::isfinite(number) ? Value(number) : Value();
}

Value told_bound(double bound, double ratio) {
  return is_told(bound, ratio) ? Value(bound) : Value();
}

std::string percent(double share) {
  return fmt::format("{:g} %", share * 100);
}

std::string percent_at_most(double share) {
  if (!(share > 0) || !std::isfinite(share)) return percent(share);
  const double unit = std::pow(10, std::floor(std::log10(share)) - 1);
  return percent(std::ceil(share / unit - 1e-9) * unit);
}

}  // namespace kernsweep
