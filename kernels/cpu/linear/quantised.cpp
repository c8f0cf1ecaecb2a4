#include "kernels/cpu/linear/quantised.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep::linear {
namespace {

// 0 for a scale of zeros only, or of numbers so small that the result is not a float.
float inverse_of(float scale) {
  return scale > 0x1p-120F ? 1 / scale : 0;
}

constexpr std::int64_t kPartElements = 16384;  // of x; fewer are not worth another thread
constexpr std::int64_t kRunColumns = 4096;

template <class Body>
void share_out(Team& team, std::int64_t parts, const Body& body) {
  if (parts == 1) return body(0);
  on_each(team, parts, body);
}

}  // namespace

Weights::Weights(const Problem& problem, const Loops& loops, const float* w, std::span<std::int8_t> into)
    : numbers(into), scales(static_cast<std::size_t>(problem.n)), sums(scales.size()) {
  const auto scale_of = [&](const float* from, std::int64_t count) {
    float least = 0, most = 0;
    loops.range(from, count, &least, &most);
    return std::max(-least, most) / 127;
  };
  const bool of_tensor = problem.weight_scales == WeightScales::tensor;
  const float of_all = of_tensor ? scale_of(w, problem.n * problem.k) : 0;
  for (std::int64_t row = 0; row < problem.n; ++row) {
    const float* const from = w + row * problem.k;
    std::int8_t* const to = numbers.data() + row * problem.k;
    const auto at = static_cast<std::size_t>(row);
    scales[at] = of_tensor ? of_all : scale_of(from, problem.k);
    loops.quantise(from, problem.k, {.inverse = inverse_of(scales[at])},
                   reinterpret_cast<std::uint8_t*>(to));
    for (std::int64_t p = 0; p < problem.k; ++p) sums[at] += to[p];
  }
}

Activations::Activations(const Problem& problem, const Loops& loops, pack::Setup& setup, Team& team,
                         std::int64_t stride, std::int32_t flip)
    : problem_(problem),
      loops_(loops),
      team_(team),
      stride_(stride),
      x_(setup.input<float>(0)),
      bytes_(setup.allocate<std::uint8_t>(static_cast<std::size_t>(problem.m * stride))) {
  const bool symmetric = problem.activations == KS_S8;
  as_ = {.least = symmetric ? -127 : 0, .most = symmetric ? 127 : 255, .flip = flip};
  const std::int64_t parts = (problem.m * problem.k + kPartElements - 1) / kPartElements;
  ranges_.resize(static_cast<std::size_t>(2 * std::clamp<std::int64_t>(parts, 1, team.threads())));
  if (!problem.is_static()) return;
  const auto seen = setup.input<float>(problem.calibration_input());
  float least = 0, most = 0;
  loops.range(seen.data(), static_cast<std::int64_t>(seen.size()), &least, &most);
  set_range(least, most);
}

void Activations::set_range(float least, float most) {
  if (problem_.activations == KS_S8) {
    scale_ = std::max(-least, most) / 127;
    as_.inverse = inverse_of(scale_);
    return;
  }
  scale_ = (most - least) / 255;
  as_.inverse = inverse_of(scale_);
  as_.zero = std::clamp(static_cast<std::int32_t>(std::lround(-least * as_.inverse)), 0, 255);
}

void Activations::find_range() {
  const auto parts = static_cast<std::int64_t>(ranges_.size() / 2), count = problem_.m * problem_.k;
  share_out(team_, parts, [&](std::int64_t part) {
    const std::int64_t first = count * part / parts, last = count * (part + 1) / parts;
    float* const range = ranges_.data() + 2 * part;
    loops_.range(x_.data() + first, last - first, range, range + 1);
  });
  float least = 0, most = 0;
  for (std::size_t i = 0; i < ranges_.size(); i += 2) {
    least = std::min(least, ranges_[i]);
    most = std::max(most, ranges_[i + 1]);
  }
  set_range(least, most);
}

void Activations::quantise() {
  if (!problem_.is_static()) find_range();
  const std::int64_t parts =
      std::clamp<std::int64_t>(problem_.m, 1, static_cast<std::int64_t>(ranges_.size() / 2));
  share_out(team_, parts, [&](std::int64_t part) {
    for (std::int64_t row = problem_.m * part / parts; row < problem_.m * (part + 1) / parts; ++row)
      loops_.quantise(x_.data() + row * problem_.k, problem_.k, as_, bytes_.data() + row * stride_);
  });
}

void finish_pass(const Problem& problem, const Loops& loops, const float* bias, float* y, Team& team) {
  if (problem.epilogue().is_none() || problem.is_empty()) return;
  const std::int64_t runs = (problem.n + kRunColumns - 1) / kRunColumns;
  const Activation after = problem.epilogue().activation;
  share_out(team, problem.m * runs, [&](std::int64_t part) {
    const std::int64_t row = part / runs, column = part % runs * kRunColumns;
    loops.finish_row(y + row * problem.n + column, bias == nullptr ? nullptr : bias + column,
                     std::min(kRunColumns, problem.n - column), after);
  });
}

}  // namespace kernsweep::linear
