// The gradients of a convolution, as training computes them: of the images, from the weights and the
// gradient of the result; of the weights, from the images and the gradient of the result.
//
//   dx[n, c, y, x] = sum over o, r, s, i, j of g[n, o, i, j] w[o, c, r, s]
//   dw[o, c, r, s] = sum over n, i, j of       g[n, o, i, j] x[n, c, i stride - padding + r dilation, ...]
//
// with the sums of dx over those places where i stride - padding + r dilation is y, and likewise x. Shapes,
// layouts, padding and groups are those of the convolution (kernels/reference/conv2d/problem.hpp). f32.
#pragma once

#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::conv2d::backward {

// The parameters of a convolution; what they are for differs in what is computed.
struct Shape : conv2d::Problem {
  enum class Layout { nchw, nhwc } layout = Layout::nchw;

  static std::vector<pack::Param<Shape>> params();
  void check();  // Refused: as read_problem refuses, with its reason. Sets what follows from the parameters
  ks_work work() const;

  // Extents of an array of images with these channels and extents, as it lies in memory.
  std::vector<std::int64_t> images(std::int64_t channels, std::int64_t height, std::int64_t width) const;
  std::vector<std::int64_t> weights() const { return {c_out, group_in(), kh, kw}; }
  // Seen as n c h w, or o c r s, whatever the layout.
  ks_tensor shown_images(const void* data, ks_dtype type) const;
  ks_tensor shown_weights(const void* data, ks_dtype type) const;
};

// Operands: `gradient` of the result, `weights`. The result: the gradient of the images.
struct OfImages : Shape {
  std::vector<pack::Input> inputs() const;
  ks_tolerance tolerance() const;
};

// Operands: `input`, `gradient` of the result. The result: the gradient of the weights.
struct OfWeights : Shape {
  std::vector<pack::Input> inputs() const;
  ks_tolerance tolerance() const;
};

}  // namespace kernsweep::conv2d::backward
