#include "results/text/ratio_text.hpp"

#include <cmath>

namespace kernsweep {

bool is_told(double bound, double ratio) {
  return std::isfinite(bound) && bound > 0 && bound >= ratio / kBoundsTold && bound <= ratio * kBoundsTold;
}

Value told_bound(double bound, double ratio) {
  return is_told(bound, ratio) ? Value(bound) : Value();
}

}  // namespace kernsweep
