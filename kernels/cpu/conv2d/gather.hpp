// The matrices of convolutions by matrix products: the inputs of all products, gathered (im2col), and the
// transposed operation, the sum of such a matrix back into an image (col2im). One image and one group, f32.
//
//   nchw  gathered[depth, pixels], depth: c, r, s; `image` begins with the group's first channel
//   nhwc  gathered[pixels, depth], depth: r, s, c; `image` as well
//
// pixels: those of the result. Elements outside of the image are zeros, or are dropped.
#pragma once

#include <cstdint>

#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::conv2d {

// Pixels j of a row of the result whose input column j stride + shift is in the image: [first, last).
struct Inside {
  std::int64_t shift, first, last;
};
// At column `column` of the kernel.
Inside inside(const Problem& problem, std::int64_t column);

// nchw: row k of the matrix, 0 <= k < depth.
void gather_first(const Problem& problem, const float* image, std::int64_t k, float* gathered);
// nhwc: the rows of the pixels of row i of the result.
void gather_last(const Problem& problem, const float* image, std::int64_t i, float* gathered);

// nchw: plane c of the image, 0 <= c < c_in / groups, from the rows of its products.
void scatter_first(const Problem& problem, const float* gathered, std::int64_t c, float* image);
// nhwc: row y of the image.
void scatter_last(const Problem& problem, const float* gathered, std::int64_t y, float* image);

// Weights o c r s in the order o r s c, and back.
void order_weights(const Problem& problem, const float* from, float* to);
void restore_weights(const Problem& problem, const float* from, float* to);

}  // namespace kernsweep::conv2d
