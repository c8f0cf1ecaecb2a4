#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/cpu/conv2d/backward/variants.hpp"
#include "kernels/cpu/conv2d/gather.hpp"

namespace kernsweep::conv2d::backward {
namespace {

int narrow(std::int64_t extent) {  // can_run has checked it
  return static_cast<int>(extent);
}

std::size_t count_of(std::int64_t elements) {
  return static_cast<std::size_t>(elements);
}

void check_extents(const Shape& p) {
  const std::int64_t largest = std::max({p.pixels_out(), p.depth(), p.c_out, p.c_in});
  if (largest > std::numeric_limits<int>::max())
    throw pack::Refused(
        KS_UNSUPPORTED,
        fmt::format("a matrix of {} rows is too large for CBLAS, which counts in 32 bits", largest));
}

// Whether the order of weights differs from the stored one.
bool is_reordered(const Shape& p) {
  return p.channels_last && p.kh * p.kw > 1;
}

std::span<float> gathered_of(const Shape& p, pack::Setup& setup) {
  return setup.allocate<float>(p.is_matrix_product() ? 0 : count_of(p.depth() * p.pixels_out()));
}

// Where image n of one group begins, in an array of images with this number of channels and pixels.
std::int64_t begin_of(const Shape& p, std::int64_t n, std::int64_t group, std::int64_t channels,
                      std::int64_t pixels) {
  const std::int64_t first = group * (channels / p.groups);
  return n * channels * pixels + (p.channels_last ? first : first * pixels);
}

}  // namespace

void Col2im::can_run(const OfImages& problem, const Settings&) {
  check_extents(problem);
}

Col2im::Col2im(const OfImages& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      blas_(settings.open(setup)),
      team_(team_of(setup)),
      gradient_(setup.input<float>(0)),
      weights_(setup.input<float>(1)),
      ordered_(setup.allocate<float>(is_reordered(problem) ? weights_.size() : 0)),
      gathered_(gathered_of(problem, setup)),
      y_(setup.allocate<float>(count_of(problem.input_elements()))) {
  if (!ordered_.empty()) order_weights(problem, weights_.data(), ordered_.data());
}

void Col2im::run() {
  for (std::int64_t n = 0; n < problem_.batch; ++n)
    for (std::int64_t group = 0; group < problem_.groups; ++group) compute(n, group);
}

void Col2im::compute(std::int64_t n, std::int64_t group) {
  const Problem& p = problem_;
  const int pixels = narrow(p.pixels_out()), depth = narrow(p.depth()), channels = narrow(p.group_out());
  const float* const kernels =
      (ordered_.empty() ? weights_.data() : ordered_.data()) + group * p.group_out() * p.depth();
  const float* const gradient = gradient_.data() + begin_of(problem_, n, group, p.c_out, p.pixels_out());
  float* const image = y_.data() + begin_of(problem_, n, group, p.c_in, p.h * p.w);
  float* const products = gathered_.empty() ? image : gathered_.data();
  if (p.channels_last) {
    const int between = gathered_.empty() ? narrow(p.c_in) : depth;
    blas_->sgemm(false, false, pixels, depth, channels, gradient, narrow(p.c_out), kernels, depth, products,
                 between);
    if (!gathered_.empty())
      on_each(*team_, p.h, [&](std::int64_t y) { scatter_last(p, products, y, image); });
  } else {
    blas_->sgemm(true, false, depth, pixels, channels, kernels, depth, gradient, pixels, products, pixels);
    if (!gathered_.empty())
      on_each(*team_, p.group_in(), [&](std::int64_t c) { scatter_first(p, products, c, image); });
  }
}

void Im2col::can_run(const OfWeights& problem, const Settings&) {
  check_extents(problem);
}

Im2col::Im2col(const OfWeights& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      blas_(settings.open(setup)),
      team_(team_of(setup)),
      input_(setup.input<float>(0)),
      gradient_(setup.input<float>(1)),
      ordered_(setup.allocate<float>(is_reordered(problem) ? count_of(problem.weight_elements()) : 0)),
      gathered_(gathered_of(problem, setup)),
      y_(setup.allocate<float>(count_of(problem.weight_elements()))) {}

void Im2col::run() {
  if (problem_.batch == 0) std::fill(y_.begin(), y_.end(), 0.0F);
  for (std::int64_t n = 0; n < problem_.batch; ++n)
    for (std::int64_t group = 0; group < problem_.groups; ++group) compute(n, group);
  if (!ordered_.empty() && problem_.batch > 0) restore_weights(problem_, ordered_.data(), y_.data());
}

void Im2col::compute(std::int64_t n, std::int64_t group) {
  const Problem& p = problem_;
  const int pixels = narrow(p.pixels_out()), depth = narrow(p.depth()), channels = narrow(p.group_out());
  float* const to = (ordered_.empty() ? y_.data() : ordered_.data()) + group * p.group_out() * p.depth();
  const float* const gradient = gradient_.data() + begin_of(problem_, n, group, p.c_out, p.pixels_out());
  const float* const image = input_.data() + begin_of(problem_, n, group, p.c_in, p.h * p.w);
  const float* const matrix = gathered_.empty() ? image : gathered_.data();
  const float so_far = n == 0 ? 0.0F : 1.0F;
  if (p.channels_last) {
    if (!gathered_.empty())
      on_each(*team_, p.h_out, [&](std::int64_t i) { gather_last(p, image, i, gathered_.data()); });
    blas_->sgemm(true, false, channels, depth, pixels, gradient, narrow(p.c_out), matrix,
                 gathered_.empty() ? narrow(p.c_in) : depth, to, depth, so_far);
  } else {
    if (!gathered_.empty())
      on_each(*team_, p.depth(), [&](std::int64_t k) { gather_first(p, image, k, gathered_.data()); });
    blas_->sgemm(false, true, channels, depth, pixels, gradient, pixels, matrix, pixels, to, depth, so_far);
  }
}

}  // namespace kernsweep::conv2d::backward
