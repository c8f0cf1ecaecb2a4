#include "kernels/cpu/conv2d/backward/problem.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep::conv2d::backward {
namespace {

using pack::Input;

constexpr std::int64_t kFewResults = 256;
constexpr std::int64_t kFewOfSlice = 16;

// As for the convolution: 4 sqrt(terms) u, for a sum of this number of terms. `size`: the typical size of
// results, for those with too few terms to have a large one. `slice`: the results whose largest is the
// scale, in the last `dims` dimensions.
ks_tolerance tolerance_of(double terms, double size, std::int64_t results, std::int64_t slice, int dims) {
  ks_tolerance out{.relative = 4 * std::sqrt(std::max(1.0, terms)) * 0x1p-24};
  if (results < kFewResults) {
    out.absolute = out.relative * size;
  } else if (slice >= kFewOfSlice) {
    out.scale_dims = dims;
    out.absolute = terms * 0x1p-126;
  }
  return out;
}

}  // namespace

std::vector<Input> OfImages::inputs() const {
  Input gradient{"gradient", KS_F32, images(c_out, h_out, w_out), KS_NORMAL, 0, 1};
  Input kernels{"weights", KS_F32, weights(), KS_KAIMING};
  kernels.fan_in = depth();
  kernels.fan_out = group_out() * kh * kw;
  return {gradient, kernels};
}

ks_tolerance OfImages::tolerance() const {
  const auto terms = static_cast<double>(group_out() * kh * kw);
  const double size = std::sqrt(2 * terms / static_cast<double>(depth()));
  return tolerance_of(terms, size, input_elements(), h * w, 2);
}

std::vector<Input> OfWeights::inputs() const {
  return {{"input", KS_F32, images(c_in, h, w), KS_NORMAL, 0, 1},
          {"gradient", KS_F32, images(c_out, h_out, w_out), KS_NORMAL, 0, 1}};
}

ks_tolerance OfWeights::tolerance() const {
  const auto terms = static_cast<double>(batch * pixels_out());
  return tolerance_of(terms, std::sqrt(terms), weight_elements(), depth(), 3);
}

}  // namespace kernsweep::conv2d::backward
