// One forward convolution as all variants read it from a point's parameters.
//
//   y[n, o, i, j] = sum over c, r, s of  w[o, c, r, s]
//                   * x[n, c, i stride - padding + r dilation, j stride - padding + s dilation]
//
// with x = 0 outside of the image: a cross-correlation, as all deep-learning libraries define convolution.
// With groups, output channel o sees only the c_in / groups input channels of its own group. Stride,
// padding and dilation are the same in both directions and at all four edges.
//
// Extents of the output: floor((h + 2 padding - dilation (kh - 1) - 1) / stride) + 1, and the same with w
// and kw (V. Dumoulin and F. Visin, "A guide to convolution arithmetic for deep learning", 2016,
// relationship 6, with the dilated size of the kernel).
//
// Layouts: `layout` orders the images in memory, x and y alike: n c h w or n h w c. Weights are always o i
// h w (i = c_in / groups), whatever the layout: that is how frameworks store them. The result is seen as n
// c h w through strides.
//
// The epilogue follows each sum, as in gemm (kernels/reference/gemm/epilogue.hpp): a bias of its channel,
// in the type of the results, then relu.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/reference/gemm/epilogue.hpp"
#include "shared/base/dtype.hpp"

namespace kernsweep::conv2d {

// Distances in elements between neighbours along each dimension of an image tensor.
struct ImageStrides {
  std::int64_t n, c, h, w;
};

struct Problem {
  std::int64_t batch = 1, c_in = 0, c_out = 0, h = 0, w = 0, kh = 0, kw = 0;
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
  bool channels_last = false;                     // nhwc
  std::string type = "f32", activation = "none";  // as the sweep names them
  std::string algorithm = "direct";               // of a variant that has several
  // Derived from these:
  Dtype dtype = Dtype::f32;
  bool tf32 = false;  // f32 whose arithmetic may keep only 10 bits of fraction
  Epilogue epilogue;
  std::int64_t h_out = 0, w_out = 0;

  static std::vector<pack::Param<Problem>> shape_params();  // extents and layout
  static std::vector<pack::Param<Problem>> params();
  // Refused: KS_BAD_PARAMETER with the numbers for a problem that no variant can do (a kernel that does not
  // fit into the padded image, channels that cannot be divided into groups); KS_UNSUPPORTED for s8 sums
  // that might not fit s32 (depth above 131071: 2^31 / 128^2, less one). `batch` may be 0.
  void check();
  std::vector<pack::Input> inputs() const;
  ks_work work() const;
  ks_tolerance tolerance() const;

  std::int64_t group_in() const { return c_in / groups; }
  std::int64_t group_out() const { return c_out / groups; }
  std::int64_t depth() const { return group_in() * kh * kw; }  // products in one element of the result
  std::int64_t pixels_out() const { return h_out * w_out; }
  std::int64_t input_elements() const { return batch * c_in * h * w; }
  std::int64_t weight_elements() const { return c_out * depth(); }
  std::int64_t output_elements() const { return batch * c_out * h_out * w_out; }
  // Strides of images with these channels and extents, in the point's layout.
  ImageStrides strides(std::int64_t channels, std::int64_t height, std::int64_t width) const;
  ImageStrides input_strides() const { return strides(c_in, h, w); }
  ImageStrides output_strides() const { return strides(c_out, h_out, w_out); }
  // Extents of an array of such images in memory, and of the weights.
  std::vector<std::int64_t> images(std::int64_t channels, std::int64_t height, std::int64_t width) const;
  std::vector<std::int64_t> weights() const { return {c_out, group_in(), kh, kw}; }
  // Such images at `data`, or the result, seen as n c h w, whatever the layout.
  ks_tensor shown_images(std::int64_t channels, std::int64_t height, std::int64_t width, const void* data,
                         ks_dtype as) const;
  ks_tensor shown_result(const void* data, ks_dtype as) const {
    return shown_images(c_out, h_out, w_out, data, as);
  }
  // True for a point-wise convolution, which reads each input element once.
  bool is_matrix_product() const { return kh == 1 && kw == 1 && stride == 1 && padding == 0; }
  // The type of the results: s32 for s8, otherwise the type of the images.
  Dtype output_dtype() const { return dtype == Dtype::s8 ? Dtype::s32 : dtype; }
  // The name of the point's dtype: "tf32" or the name of the element type.
  std::string_view dtype_name() const { return tf32 ? "tf32" : name_of(dtype); }
};

pack::Variant naive();  // the reference, see naive.cpp

// The family with these variants and the reference.
template <class... Variants>
pack::Family family_of(const Variants&... variants) {
  return pack::family<Problem>("conv2d", "forward convolution of images, as in a network's inference",
                               {.reference = "naive", .constants = "weights|bias"}, variants..., naive());
}

}  // namespace kernsweep::conv2d
