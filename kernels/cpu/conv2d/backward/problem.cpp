#include "kernels/cpu/conv2d/backward/problem.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep::conv2d::backward {
namespace {

using pack::Input;
using pack::param;

constexpr std::int64_t kFewResults = 256;
constexpr std::int64_t kFewOfSlice = 16;

// As for the convolution: 4 sqrt(terms) u, for a sum of so many terms. `size`: what results are about, for
// those of too few to have one that is large beyond chance. `slice`: results of which the largest is the
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

std::vector<pack::Param<Shape>> Shape::params() {
  return {param<&Shape::batch, Shape>({.name = "batch", .summary = "images", .fallback = "1"}),
          param<&Shape::c_in, Shape>({.name = "c_in", .summary = "channels of an image"}),
          param<&Shape::c_out, Shape>({.name = "c_out", .summary = "channels of the result"}),
          param<&Shape::h, Shape>({.name = "h", .summary = "height of an image, in pixels"}),
          param<&Shape::w, Shape>({.name = "w", .summary = "width of an image, in pixels"}),
          param<&Shape::kh, Shape>({.name = "kh", .summary = "height of the kernel"}),
          param<&Shape::kw, Shape>({.name = "kw", .summary = "width of the kernel"}),
          param<&Shape::stride, Shape>({.name = "stride",
                                        .summary = "pixels between neighbouring positions of the kernel",
                                        .fallback = "1"}),
          param<&Shape::padding, Shape>(
              {.name = "padding", .summary = "rows and columns of zeros at each edge", .fallback = "0"}),
          param<&Shape::dilation, Shape>(
              {.name = "dilation",
               .summary = "pixels between neighbouring elements of the kernel; 1 is dense",
               .fallback = "1"}),
          param<&Shape::groups, Shape>({.name = "groups",
                                        .summary = "groups of channels that do not mix; c_in: depth-wise",
                                        .fallback = "1"}),
          param<&Shape::layout>({.name = "layout",
                                 .summary = "order of images in memory; weights are o i h w in both",
                                 .fallback = "nchw",
                                 .choices = "nchw|nhwc",
                                 .setting = true})};
}

void Shape::check() {
  channels_last = layout == Layout::nhwc;
  char reason[512] = "";
  const ks_status status = check_problem(*this, {reason, sizeof reason});
  if (status != KS_OK) throw pack::Refused(status, reason);
}

// The same products as the convolution's; each operand read once, the gradient written once.
ks_work Shape::work() const {
  const auto elements = static_cast<double>(input_elements() + weight_elements() + output_elements());
  return {.flops = 2.0 * static_cast<double>(output_elements()) * static_cast<double>(depth()),
          .bytes = 4 * elements};
}

std::vector<std::int64_t> Shape::images(std::int64_t channels, std::int64_t height,
                                        std::int64_t width) const {
  if (channels_last) return {batch, height, width, channels};
  return {batch, channels, height, width};
}

ks_tensor Shape::shown_images(const void* data, ks_dtype type) const {
  const ImageStrides at = input_strides();
  return {.data = data,
          .dtype = type,
          .rank = 4,
          .shape = {batch, c_in, h, w},
          .strides = {at.n, at.c, at.h, at.w}};
}

ks_tensor Shape::shown_weights(const void* data, ks_dtype type) const {
  return pack::dense(data, type, weights());
}

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
