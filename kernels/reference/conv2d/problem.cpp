#include "kernels/reference/conv2d/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <string_view>

#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep::conv2d {
namespace {

constexpr std::int64_t kExtentMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kElementsMax = std::int64_t{1} << 40;

struct Extent {
  const char* name;
  std::int64_t Problem::*member;
  std::int64_t fallback;
  std::int64_t least;
};
constexpr Extent kExtents[] = {
    {"batch", &Problem::batch, 1, 0},
    {"c_in", &Problem::c_in, 0, 1},
    {"c_out", &Problem::c_out, 0, 1},
    {"h", &Problem::h, 0, 1},
    {"w", &Problem::w, 0, 1},
    {"kh", &Problem::kh, 0, 1},
    {"kw", &Problem::kw, 0, 1},
    {"stride", &Problem::stride, 1, 1},
    {"padding", &Problem::padding, 0, 0},
    {"dilation", &Problem::dilation, 1, 1},
    {"groups", &Problem::groups, 1, 1},
};

ks_status check_extents(const Problem& problem, ks_why why) {
  for (const Extent& extent : kExtents) {
    const std::int64_t value = problem.*extent.member;
    if (value < extent.least || value > kExtentMax) {
      return refuse(KS_BAD_PARAMETER, why,
                    fmt::format("{} is {}; it must be {} to 2^31 - 1", extent.name, value, extent.least));
    }
  }
  return KS_OK;
}

// One extent of the result; below 1 if the kernel does not fit. No overflow: each factor is below 2^31.
std::int64_t output_extent(std::int64_t image, std::int64_t kernel, const Problem& problem) {
  const std::int64_t room = image + 2 * problem.padding - problem.dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / problem.stride + 1;
}

ks_status check_fit(Problem& problem, ks_why why) {
  problem.h_out = output_extent(problem.h, problem.kh, problem);
  problem.w_out = output_extent(problem.w, problem.kw, problem);
  if (problem.h_out >= 1 && problem.w_out >= 1) return KS_OK;
  return refuse(
      KS_BAD_PARAMETER, why,
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

ks_status check_sizes(const Problem& p, ks_why why) {
  if (p.c_in % p.groups != 0 || p.c_out % p.groups != 0) {
    return refuse(
        KS_BAD_PARAMETER, why,
        fmt::format("groups is {}; it must divide c_in ({}) and c_out ({})", p.groups, p.c_in, p.c_out));
  }
  const std::int64_t h_padded = p.h + 2 * p.padding;
  const std::int64_t w_padded = p.w + 2 * p.padding;
  if (is_too_large({p.batch, p.c_in, h_padded, w_padded}) ||
      is_too_large({p.batch, p.c_out, p.h_out, p.w_out}) ||
      is_too_large({p.c_out, p.group_in(), p.kh, p.kw})) {
    return refuse(KS_BAD_PARAMETER, why,
                  "the padded images, the weights or the results have more than 2^40 elements; make the "
                  "point smaller");
  }
  constexpr std::int64_t kWholeDepthMax = 131071;
  if (p.dtype == Dtype::s8 && p.depth() > kWholeDepthMax) {
    return refuse(KS_UNSUPPORTED, why,
                  fmt::format("a sum of {} products of s8 may not fit s32; at most {} do", p.depth(),
                              kWholeDepthMax));
  }
  return KS_OK;
}

// Unit roundoff.
double roundoff(Dtype dtype) {
  if (dtype == Dtype::f16) return 0x1p-11;
  return dtype == Dtype::bf16 ? 0x1p-8 : 0x1p-24;
}

// Whether the results may not be plain sums of the products (Winograd, Fourier). Handles cuDNN's names,
// too.
bool may_transform(std::string_view algorithm) {
  constexpr std::string_view kSums[] = {"direct", "gemm", "implicit_gemm", "implicit_precomp_gemm"};
  return std::find(std::begin(kSums), std::end(kSums), algorithm) == std::end(kSums);
}

constexpr char kEpilogues[] = "none|bias|relu|bias_relu";

constexpr std::array kParams = {
    ks_param_doc{"batch", KS_INTEGER, "1", nullptr, "images"},
    ks_param_doc{"c_in", KS_INTEGER, nullptr, nullptr, "channels of an image"},
    ks_param_doc{"c_out", KS_INTEGER, nullptr, nullptr, "channels of the result"},
    ks_param_doc{"h", KS_INTEGER, nullptr, nullptr, "height of an image, in pixels"},
    ks_param_doc{"w", KS_INTEGER, nullptr, nullptr, "width of an image, in pixels"},
    ks_param_doc{"kh", KS_INTEGER, nullptr, nullptr, "height of the kernel"},
    ks_param_doc{"kw", KS_INTEGER, nullptr, nullptr, "width of the kernel"},
    ks_param_doc{"stride", KS_INTEGER, "1", nullptr, "pixels between neighbouring positions of the kernel"},
    ks_param_doc{"padding", KS_INTEGER, "0", nullptr, "rows and columns of zeros at each edge"},
    ks_param_doc{"dilation", KS_INTEGER, "1", nullptr,
                 "pixels between neighbouring elements of the kernel; 1 is dense"},
    ks_param_doc{"groups", KS_INTEGER, "1", nullptr,
                 "groups of channels that do not mix; c_in: depth-wise"},
    ks_param_doc{"layout", KS_TEXT, "nchw", "nchw|nhwc",
                 "order of images in memory; weights are o i h w in both"},
    ks_param_doc{"dtype", KS_TEXT, "f32", "f32|tf32|bf16|f16|s8",
                 "type of images and weights, and of results but for s8: s32; tf32: f32, of which the "
                 "arithmetic may keep 10 bits of fraction"},
    ks_param_doc{"epilogue", KS_TEXT, "none", kEpilogues,
                 "what follows the sums: a bias for each channel of the result, then relu"},
};

}  // namespace

ImageStrides Problem::strides(std::int64_t channels, std::int64_t height, std::int64_t width) const {
  const std::int64_t image = channels * height * width;
  if (channels_last) return {image, 1, width * channels, channels};
  return {image, height * width, width, 1};
}

ks_status read_problem(const ks_params* params, Problem& problem, ks_why why) {
  const Params point(params);
  if (const ks_status status = point.check(kParams.data(), kParams.size(), why); status != KS_OK)
    return status;
  problem.channels_last = std::string_view(point.text("layout", "nchw")) == "nhwc";
  const std::string_view name = point.text("dtype", "f32");
  problem.tf32 = name == "tf32";
  problem.dtype = dtype_named(name).value_or(Dtype::f32);
  problem.epilogue = epilogue_named(point.text("epilogue", "none"));
  for (const Extent& extent : kExtents)
    problem.*extent.member = point.integer(extent.name, extent.fallback);
  return check_problem(problem, why);
}

ks_status check_problem(Problem& problem, ks_why why) {
  if (const ks_status status = check_extents(problem, why); status != KS_OK) return status;
  if (const ks_status status = check_fit(problem, why); status != KS_OK) return status;
  return check_sizes(problem, why);
}

namespace {

ks_status inputs(const ks_params* params, ks_input* out, size_t capacity, size_t* count, ks_why why) {
  Problem p;
  if (const ks_status status = read_problem(params, p, why); status != KS_OK) return status;
  *count = p.epilogue.has_bias ? 3 : 2;
  if (capacity < *count) return KS_OK;
  const bool whole = p.dtype == Dtype::s8;
  ks_input& x = out[0];
  x = {};
  std::snprintf(x.name, sizeof x.name, "input");
  const std::int64_t images_first[] = {p.batch, p.c_in, p.h, p.w};
  const std::int64_t images_last[] = {p.batch, p.h, p.w, p.c_in};
  std::copy_n(p.channels_last ? images_last : images_first, 4, x.shape);
  x.distribution = whole ? KS_INTEGERS : KS_NORMAL;
  x.a = whole ? -8 : 0;
  x.b = whole ? 8 : 1;
  ks_input& w = out[1];
  w = {};
  std::snprintf(w.name, sizeof w.name, "weights");
  const std::int64_t kernels[] = {p.c_out, p.group_in(), p.kh, p.kw};
  std::copy_n(kernels, 4, w.shape);
  w.distribution = whole ? KS_INTEGERS : KS_KAIMING;
  w.a = whole ? -8 : 0;
  w.b = whole ? 8 : 0;
  w.fan_in = p.depth();
  w.fan_out = p.group_out() * p.kh * p.kw;
  x.rank = w.rank = 4;
  x.dtype = w.dtype = ks_dtype_of(p.dtype);
  if (!p.epilogue.has_bias) return KS_OK;
  ks_input& bias = out[2];
  bias = {};
  std::snprintf(bias.name, sizeof bias.name, "bias");
  bias.dtype = ks_dtype_of(p.output_dtype());
  bias.rank = 1;
  bias.shape[0] = p.c_out;
  bias.distribution = x.distribution;
  bias.a = x.a;
  bias.b = x.b;
  return KS_OK;
}

// flops = 2 batch c_out h_out w_out depth: products with padding count, by convention; an epilogue does
// not. bytes = x, w and bias once, y once.
ks_status work(const ks_params* params, ks_work* result, ks_why why) {
  Problem p;
  if (const ks_status status = read_problem(params, p, why); status != KS_OK) return status;
  const auto bytes_of = [](std::int64_t elements, Dtype dtype) {
    return static_cast<double>(elements) * static_cast<double>(size_of(dtype));
  };
  *result = {
      .flops = 2.0 * static_cast<double>(p.output_elements()) * static_cast<double>(p.depth()),
      .bytes = bytes_of(p.input_elements() + p.weight_elements(), p.dtype) +
               bytes_of(p.output_elements() + (p.epilogue.has_bias ? p.c_out : 0), p.output_dtype())};
  return KS_OK;
}

// The rounding errors of a sum of `depth` products are almost independent: sqrt(depth) unit roundoffs of
// the result's size (N. J. Higham and T. Mary, "A new approach to probabilistic rounding error analysis",
// 2019), with a factor of 4 for the largest of many errors. Winograd's transforms divide, and lose about
// one decimal digit for 3 x 3 kernels; libraries may store transformed values in the type of the images.
// The same is assumed of Fourier transforms and of algorithms that a library chooses itself.
//
// tf32: two operands that are truncated to 10 bits of fraction make a product at most 2^-9 too small, as in
// gemm.
//
// Errors of a channel of an image are as large as its weights, so each has a scale of its own if it has at
// least 16 results, of which the largest is beyond chance not small by cancellation (as in gemm). Small
// ones may lie among the subnormal numbers, which f16 has from 2^-14 on, and which libraries may take for
// zero.
//
// A bias is one more term. relu may leave of a channel only what is near zero, which says nothing about the
// size of its sums: then the scale is that of the whole output.
ks_status tolerance(const ks_params* params, ks_tolerance* result) {
  Problem p;
  char unread[1];
  if (const ks_status status = read_problem(params, p, {unread, sizeof unread}); status != KS_OK)
    return status;
  *result = {};
  if (p.dtype == Dtype::s8) return KS_OK;
  const std::int64_t terms = p.depth() + (p.epilogue.has_bias ? 1 : 0);
  const double walk = 4 * std::sqrt(static_cast<double>(terms)) * roundoff(Dtype::f32);
  const bool transformed = may_transform(Params(params).text("algorithm", "direct"));
  result->relative = transformed ? 10 * walk : walk;
  if (p.tf32) result->relative += 0x1p-9;
  if (p.dtype == Dtype::bf16 || p.dtype == Dtype::f16)
    result->relative += (transformed ? 10 : 1.01) * roundoff(p.dtype);
  // The largest of a few results may be small by chance; inputs are chosen so that results are about 1.
  constexpr std::int64_t kFewResults = 256;
  if (p.output_elements() < kFewResults) {
    result->absolute = result->relative;
    return KS_OK;
  }
  constexpr std::int64_t kFewOfChannel = 16;
  if (p.tf32 || p.epilogue.activation != Activation::none || p.h_out * p.w_out < kFewOfChannel)
    return KS_OK;
  result->scale_dims = 2;
  result->absolute = static_cast<double>(p.depth()) * 0x1p-126;
  if (p.dtype == Dtype::f16) result->absolute += 0x1p-24;
  return KS_OK;
}

}  // namespace

ks_family family_of(const ks_variant* const* variants, std::size_t variant_count) {
  return {.name = "conv2d",
          .summary = "forward convolution of images, as in a network's inference",
          .params = kParams.data(),
          .param_count = kParams.size(),
          .reference = "naive",
          .inputs = inputs,
          .work = work,
          .tolerance = tolerance,
          .variants = variants,
          .variant_count = variant_count,
          .settings = "layout",  // a network may keep its images in either order
          .constants = "weights|bias"};
}

void view_output(const Problem& problem, const void* data, ks_dtype dtype, ks_tensor& out) {
  const ImageStrides strides = problem.output_strides();
  out = {.data = data,
         .dtype = dtype,
         .rank = 4,
         .shape = {problem.batch, problem.c_out, problem.h_out, problem.w_out},
         .strides = {strides.n, strides.c, strides.h, strides.w}};
}

}  // namespace kernsweep::conv2d
