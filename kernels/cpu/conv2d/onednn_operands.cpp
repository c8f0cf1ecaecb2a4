#include "kernels/cpu/conv2d/onednn_operands.hpp"

#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep::conv2d {
namespace {

// The kernel's last position may not reach the end of the padded image. oneDNN needs the padding that this
// position uses, which may be less than `padding`, and even negative.
std::int64_t padding_after(std::int64_t image, std::int64_t kernel, std::int64_t out, const Problem& p) {
  return (out - 1) * p.stride + p.dilation * (kernel - 1) + 1 - image - p.padding;
}

}  // namespace

DnnlOperands onednn_operands(const Problem& p, bool activations, bool weights) {
  const auto images = [&](std::int64_t channels, std::int64_t h, std::int64_t w, Dtype dtype) {
    const ImageStrides strides = p.strides(channels, h, w);
    return DnnlOperand{.dtype = ks_dtype_of(dtype),
                       .dims = {p.batch, channels, h, w},
                       .strides = {strides.n, strides.c, strides.h, strides.w},
                       .chosen = activations};
  };
  DnnlOperands operands = {.source = images(p.c_in, p.h, p.w, p.dtype),
                           .weights = {.dtype = ks_dtype_of(p.dtype), .chosen = weights},
                           .result = images(p.c_out, p.h_out, p.w_out, p.output_dtype())};
  operands.weights.dims = {p.group_out(), p.group_in(), p.kh, p.kw};
  operands.weights.strides = {p.depth(), p.kh * p.kw, p.kw, 1};
  if (p.groups > 1) {
    operands.weights.dims.insert(operands.weights.dims.begin(), p.groups);
    operands.weights.strides.insert(operands.weights.strides.begin(), p.group_out() * p.depth());
  }
  return operands;
}

DnnlWindow onednn_window(const Problem& p, DnnlAlgorithm algorithm) {
  return {.strides = {p.stride, p.stride},
          .dilations = {p.dilation, p.dilation},
          .padding_before = {p.padding, p.padding},
          .padding_after = {padding_after(p.h, p.kh, p.h_out, p), padding_after(p.w, p.kw, p.w_out, p)},
          .algorithm = algorithm};
}

}  // namespace kernsweep::conv2d
