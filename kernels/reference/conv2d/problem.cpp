#include "kernels/reference/conv2d/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep::conv2d {
namespace {

constexpr std::int64_t kElementsMax = std::int64_t{1} << 40;

// One extent of the result; below 1 if the kernel does not fit. It cannot overflow: each factor is below
// 2^31.
std::int64_t output_extent(std::int64_t image, std::int64_t kernel, const Problem& problem) {
  const std::int64_t room = image + 2 * problem.padding - problem.dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / problem.stride + 1;
}

void check_fit(Problem& problem) {
  problem.h_out = output_extent(problem.h, problem.kh, problem);
  problem.w_out = output_extent(problem.w, problem.kw, problem);
  if (problem.h_out >= 1 && problem.w_out >= 1) return;
  throw pack::Refused(
      KS_BAD_PARAMETER,
      fmt::format("a {} x {} kernel with dilation {} spans {} x {} and does not fit into a {} x {} image "
                  "with padding {} ({} x {}); add padding or take a smaller kernel",
                  problem.kh, problem.kw, problem.dilation, problem.dilation * (problem.kh - 1) + 1,
                  problem.dilation * (problem.kw - 1) + 1, problem.h, problem.w, problem.padding,
                  problem.h + 2 * problem.padding, problem.w + 2 * problem.padding));
}

bool is_too_large(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(factor, 1), &product)) return true;
  }
  return product > kElementsMax;
}

void check_sizes(const Problem& p) {
  if (p.c_in % p.groups != 0 || p.c_out % p.groups != 0)
    throw pack::Refused(
        KS_BAD_PARAMETER,
        fmt::format("groups is {}; it must divide c_in ({}) and c_out ({})", p.groups, p.c_in, p.c_out));
  const std::int64_t h_padded = p.h + 2 * p.padding;
  const std::int64_t w_padded = p.w + 2 * p.padding;
  if (is_too_large({p.batch, p.c_in, h_padded, w_padded}) ||
      is_too_large({p.batch, p.c_out, p.h_out, p.w_out}) ||
      is_too_large({p.c_out, p.group_in(), p.kh, p.kw}))
    throw pack::Refused(
        KS_BAD_PARAMETER,
        "the padded images, the weights or the results have more than 2^40 elements; make the "
        "point smaller");
  constexpr std::int64_t kWholeDepthMax = 131071;
  if (p.dtype == Dtype::s8 && p.depth() > kWholeDepthMax)
    throw pack::Refused(KS_UNSUPPORTED,
                        fmt::format("a sum of {} products of s8 may not fit s32; at most {} do", p.depth(),
                                    kWholeDepthMax));
}

// Unit roundoff.
double roundoff(Dtype dtype) {
  if (dtype == Dtype::f16) return 0x1p-11;
  return dtype == Dtype::bf16 ? 0x1p-8 : 0x1p-24;
}

// Whether the results may be other than plain sums of the products (Winograd, Fourier). Knows cuDNN's
// names, too.
bool may_transform(std::string_view algorithm) {
  constexpr std::string_view kSums[] = {"direct", "gemm", "implicit_gemm", "implicit_precomp_gemm"};
  return std::find(std::begin(kSums), std::end(kSums), algorithm) == std::end(kSums);
}

}  // namespace

std::vector<pack::Param<Problem>> Problem::shape_params() {
  using pack::param;
  constexpr double kMost = 0x1p31 - 1;
  return {
      param<&Problem::batch>(
          {.name = "batch", .summary = "images", .fallback = "1", .least = 0, .most = kMost}),
      param<&Problem::c_in>({.name = "c_in", .summary = "channels of an image", .least = 1, .most = kMost}),
      param<&Problem::c_out>(
          {.name = "c_out", .summary = "channels of the result", .least = 1, .most = kMost}),
      param<&Problem::h>(
          {.name = "h", .summary = "height of an image, in pixels", .least = 1, .most = kMost}),
      param<&Problem::w>(
          {.name = "w", .summary = "width of an image, in pixels", .least = 1, .most = kMost}),
      param<&Problem::kh>({.name = "kh", .summary = "height of the kernel", .least = 1, .most = kMost}),
      param<&Problem::kw>({.name = "kw", .summary = "width of the kernel", .least = 1, .most = kMost}),
      param<&Problem::stride>({.name = "stride",
                               .summary = "pixels between neighbouring positions of the kernel",
                               .fallback = "1",
                               .least = 1,
                               .most = kMost}),
      param<&Problem::padding>({.name = "padding",
                                .summary = "rows and columns of zeros at each edge",
                                .fallback = "0",
                                .least = 0,
                                .most = kMost}),
      param<&Problem::dilation>(
          {.name = "dilation",
           .summary = "pixels between neighbouring elements of the kernel; 1 is dense",
           .fallback = "1",
           .least = 1,
           .most = kMost}),
      param<&Problem::groups>({.name = "groups",
                               .summary = "groups of channels that do not mix; c_in: depth-wise",
                               .fallback = "1",
                               .least = 1,
                               .most = kMost}),
      param<&Problem::channels_last>(  // a network may keep its images in either order
          {.name = "layout",
           .summary = "order of images in memory; weights are o i h w in both",
           .fallback = "nchw",
           .choices = "nchw|nhwc",
           .setting = true})};
}

std::vector<pack::Param<Problem>> Problem::params() {
  using pack::param;
  auto made = shape_params();
  made.push_back(
      param<&Problem::type>({.name = "dtype",
                             .summary = "type of images and weights, and of results but for s8: s32; tf32: "
                                        "f32, but the arithmetic may keep only 10 bits of fraction",
                             .fallback = "f32",
                             .choices = "f32|tf32|bf16|f16|s8"}));
  made.push_back(param<&Problem::activation>(
      {.name = "epilogue",
       .summary = "what follows the sums: a bias for each channel of the result, then relu",
       .fallback = "none",
       .choices = "none|bias|relu|bias_relu"}));
  made.push_back(
      param<&Problem::algorithm>({.name = "algorithm", .fallback = "direct", .of_variants = true}));
  return made;
}

void Problem::check() {
  tf32 = type == "tf32";
  dtype = dtype_named(type).value_or(Dtype::f32);
  epilogue = epilogue_named(activation);
  check_fit(*this);
  check_sizes(*this);
}

ImageStrides Problem::strides(std::int64_t channels, std::int64_t height, std::int64_t width) const {
  const std::int64_t image = channels * height * width;
  if (channels_last) return {image, 1, width * channels, channels};
  return {image, height * width, width, 1};
}

std::vector<std::int64_t> Problem::images(std::int64_t channels, std::int64_t height,
                                          std::int64_t width) const {
  if (channels_last) return {batch, height, width, channels};
  return {batch, channels, height, width};
}

ks_tensor Problem::shown_images(std::int64_t channels, std::int64_t height, std::int64_t width,
                                const void* data, ks_dtype as) const {
  const ImageStrides at = strides(channels, height, width);
  return {.data = data,
          .dtype = as,
          .rank = 4,
          .shape = {batch, channels, height, width},
          .strides = {at.n, at.c, at.h, at.w}};
}

std::vector<pack::Input> Problem::inputs() const {
  const auto operand = [this](const char* name, Dtype of, const std::vector<std::int64_t>& shape,
                              ks_distribution distribution, double deviation) -> pack::Input {
    if (dtype == Dtype::s8) return {name, ks_dtype_of(of), shape, KS_INTEGERS, -8, 8};
    return {name, ks_dtype_of(of), shape, distribution, 0, deviation};
  };
  std::vector<pack::Input> made{operand("input", dtype, images(c_in, h, w), KS_NORMAL, 1),
                                operand("weights", dtype, weights(), KS_KAIMING, 0)};
  made[1].fan_in = depth();
  made[1].fan_out = group_out() * kh * kw;
  if (epilogue.has_bias) made.push_back(operand("bias", output_dtype(), {c_out}, KS_NORMAL, 1));
  return made;
}

// flops = 2 batch c_out h_out w_out depth: products with padding count, by convention; an epilogue does
// not. bytes = x, w and bias once, y once.
ks_work Problem::work() const {
  const auto bytes_of = [](std::int64_t elements, Dtype of) {
    return static_cast<double>(elements) * static_cast<double>(size_of(of));
  };
  return {.flops = 2.0 * static_cast<double>(output_elements()) * static_cast<double>(depth()),
          .bytes = bytes_of(input_elements() + weight_elements(), dtype) +
                   bytes_of(output_elements() + (epilogue.has_bias ? c_out : 0), output_dtype())};
}

// The rounding errors of a sum of `depth` products are almost independent: sqrt(depth) unit roundoffs of
// the result's size (N. J. Higham and T. Mary, "A new approach to probabilistic rounding error analysis",
// 2019), with a factor of 4 for the largest of many errors. Winograd's transforms divide: tiles of 4 x 4
// results lose about one decimal digit for 3 x 3 kernels, and up to two for 5 x 5, whose transforms have 8
// points (computed in f32 for integer and for halved points: 75 and 0.7 times the error of a sum).
// Libraries may store transformed values in the type of the images. The same is assumed for Fourier
// transforms and for algorithms that a library chooses itself. A missing product is an error of 1 /
// sqrt(depth).
//
// tf32: two operands that are truncated to 10 bits of fraction make a product at most 2^-9 too small, as in
// gemm.
//
// Errors of a channel of an image are proportional to its weights, so each channel has its own scale if it
// has at least 16 results: the largest of them is almost certainly not small by cancellation (as in gemm).
// Small results may be subnormal numbers, which f16 has from 2^-14 down, and which libraries may treat as
// zero.
//
// A bias is one more term. relu may leave only results near zero in a channel, which do not show the size
// of its sums: then the scale is that of the whole output.
ks_tolerance Problem::tolerance() const {
  ks_tolerance allowed{};
  if (dtype == Dtype::s8) return allowed;
  const std::int64_t terms = depth() + (epilogue.has_bias ? 1 : 0);
  const double walk = 4 * std::sqrt(static_cast<double>(terms)) * roundoff(Dtype::f32);
  const bool transformed = may_transform(algorithm);
  const bool is_small = kh <= 3 && kw <= 3;
  allowed.relative = !transformed ? walk : is_small ? 10 * walk : 100 * walk;
  if (tf32) allowed.relative += 0x1p-9;
  if (dtype == Dtype::bf16 || dtype == Dtype::f16)
    allowed.relative += (transformed ? 10 : 1.01) * roundoff(dtype);
  // The largest of a few results may be small by chance; inputs are chosen so that results are about 1.
  constexpr std::int64_t kFewResults = 256;
  if (output_elements() < kFewResults) {
    allowed.absolute = allowed.relative;
    return allowed;
  }
  constexpr std::int64_t kFewOfChannel = 16;
  if (tf32 || epilogue.activation != Activation::none || pixels_out() < kFewOfChannel) return allowed;
  allowed.scale_dims = 2;
  allowed.absolute = static_cast<double>(depth()) * 0x1p-126;
  if (dtype == Dtype::f16) allowed.absolute += 0x1p-24;
  return allowed;
}

}  // namespace kernsweep::conv2d
