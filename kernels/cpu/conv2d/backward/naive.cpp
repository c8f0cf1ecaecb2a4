#include <algorithm>

#include "kernels/cpu/conv2d/backward/variants.hpp"
#include "kernels/cpu/conv2d/gather.hpp"

namespace kernsweep::conv2d::backward {
namespace {

// Calls line(g, x, count, w): for `count` pixels of one row of the result, of channel o of image n, with
// element w of the weights: indices of the first pixel in the gradient and in the images. Distances are
// those of the layout.
template <class Line>
void each_line(const Shape& p, const Line& line) {
  const ImageStrides of_image = p.input_strides(), of_result = p.output_strides();
  for (std::int64_t n = 0; n < p.batch; ++n)
    for (std::int64_t o = 0; o < p.c_out; ++o)
      for (std::int64_t w = 0; w < p.depth(); ++w) {
        const std::int64_t c = o / p.group_out() * p.group_in() + w / (p.kh * p.kw);
        const std::int64_t row = w / p.kw % p.kh;
        const auto [shift, first, last] = inside(p, w % p.kw);
        for (std::int64_t i = 0; i < p.h_out; ++i) {
          const std::int64_t y = i * p.stride - p.padding + row * p.dilation;
          if (y < 0 || y >= p.h || first == last) continue;
          line(n * of_result.n + o * of_result.c + i * of_result.h + first * of_result.w,
               n * of_image.n + c * of_image.c + y * of_image.h + (first * p.stride + shift) * of_image.w,
               last - first, o * p.depth() + w);
        }
      }
}

std::size_t at(std::int64_t place) {
  return static_cast<std::size_t>(place);
}

}  // namespace

NaiveOfImages::NaiveOfImages(const OfImages& problem, pack::Setup& setup)
    : problem_(problem),
      gradient_(setup.input<float>(0)),
      weights_(setup.input<float>(1)),
      y_(setup.allocate<double>(at(problem.input_elements()))) {}

void NaiveOfImages::run() {
  const std::int64_t of_result = problem_.output_strides().w;
  const std::int64_t of_image = problem_.input_strides().w * problem_.stride;
  std::fill(y_.begin(), y_.end(), 0.0);
  each_line(problem_, [&](std::int64_t g, std::int64_t x, std::int64_t count, std::int64_t w) {
    const double weight = weights_[at(w)];
    for (std::int64_t j = 0; j < count; ++j)
      y_[at(x + j * of_image)] += weight * gradient_[at(g + j * of_result)];
  });
}

NaiveOfWeights::NaiveOfWeights(const OfWeights& problem, pack::Setup& setup)
    : problem_(problem),
      input_(setup.input<float>(0)),
      gradient_(setup.input<float>(1)),
      y_(setup.allocate<double>(at(problem.weight_elements()))) {}

void NaiveOfWeights::run() {
  const std::int64_t of_result = problem_.output_strides().w;
  const std::int64_t of_image = problem_.input_strides().w * problem_.stride;
  std::fill(y_.begin(), y_.end(), 0.0);
  each_line(problem_, [&](std::int64_t g, std::int64_t x, std::int64_t count, std::int64_t w) {
    double sum = 0;
    for (std::int64_t j = 0; j < count; ++j)
      sum += static_cast<double>(input_[at(x + j * of_image)]) * gradient_[at(g + j * of_result)];
    y_[at(w)] += sum;
  });
}

}  // namespace kernsweep::conv2d::backward
