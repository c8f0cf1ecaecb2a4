// The gradients of a convolution, as training computes them: of the images, from the weights and the
// gradient of the result; of the weights, from the images and the gradient of the result.
//
//   dx[n, c, y, x] = sum over o, r, s, i, j of g[n, o, i, j] w[o, c, r, s]
//   dw[o, c, r, s] = sum over n, i, j of       g[n, o, i, j] x[n, c, i stride - padding + r dilation, ...]
//
// with the sums of dx over those places where i stride - padding + r dilation is y, and the same for x.
// Shapes, layouts, padding and groups are those of the convolution (kernels/reference/conv2d/problem.hpp).
// f32.
#pragma once

#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::conv2d::backward {

// A convolution without epilogue. Its gradients have the same products, so the same work: each operand read
// once, the gradient written once.
struct Shape : conv2d::Problem {
  static auto params() { return shape_params(); }

  // Viewed as n c h w, or o c r s, whatever the layout.
  ks_tensor shown_input(const void* data, ks_dtype as) const { return shown_images(c_in, h, w, data, as); }
  ks_tensor shown_weights(const void* data, ks_dtype as) const { return pack::dense(data, as, weights()); }
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
