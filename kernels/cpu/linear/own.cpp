// Tasks are panels of columns of y, one after the other for each thread. A task has blocks of rows of x and
// of k: the part of the panel stays in the L2 cache for all rows, and the sums of a block of rows until
// they are finished, with the epilogue if it is fused.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/linear/variants.hpp"

namespace kernsweep::linear {
namespace {

constexpr std::int64_t kBlockRows = 96;     // a multiple of the rows of each tile
constexpr std::int64_t kBlockDepth = 2048;  // a multiple of each group

std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b * b;
}

}  // namespace

void Own::can_run(const Problem& problem, const Settings& settings) {
  if (!problem.is_quantised())
    throw pack::Refused(KS_UNSUPPORTED, "own multiplies s8 only; blocked does f32, onednn all");
  required(find_loops(settings.isa), settings.isa);
}

Own::Own(const Problem& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      fused_(settings.epilogue_by == EpilogueBy::fused),
      loops_(*find_loops(settings.isa)),
      team_(team_of(setup)),
      y_(setup.output<float>({problem.m, problem.n})),
      panels_((problem.n + loops_.columns - 1) / loops_.columns),
      depth_(round_up(problem.k, loops_.group)) {
  if (problem.epilogue().has_bias) bias_ = setup.input<float>(2);
  const auto columns = static_cast<std::size_t>(panels_ * loops_.columns);
  packed_ = setup.allocate<std::int8_t>(columns * static_cast<std::size_t>(depth_));
  scales_ = setup.allocate<float>(columns);
  taken_off_ = setup.allocate<std::int32_t>(columns);
  sums_ = setup.allocate<std::int32_t>(
      static_cast<std::size_t>(team_->threads() * kBlockRows * loops_.columns));
  x_ = std::make_unique<Activations>(problem, loops_, setup, *team_, round_up(depth_, 64),
                                     loops_.flip - (problem.activations == KS_U8 ? 128 : 0));
  std::vector<std::int8_t> numbers(static_cast<std::size_t>(problem.n * problem.k));
  const Weights weights(problem, loops_, setup.input<float>(1).data(), numbers);
  w_scales_ = weights.scales;
  w_sums_ = weights.sums;
  w_scales_.resize(columns);
  w_sums_.resize(columns);
  pack_panels(weights);
}

void Own::pack_panels(const Weights& weights) {
  const std::int64_t columns = loops_.columns, group = loops_.group;
  for (std::int64_t j = 0; j < problem_.n; ++j)
    for (std::int64_t p = 0; p < problem_.k; ++p) {
      const std::int64_t c = j % columns, t = p % group;
      const std::int64_t within = loops_.interleaved ? c * group + t : t * columns + c;
      packed_[static_cast<std::size_t>(j / columns * columns * depth_ + p / group * group * columns +
                                       within)] =
          weights.numbers[static_cast<std::size_t>(j * problem_.k + p)];
    }
}

std::string Own::runtime() const {
  return fmt::format("isa={} {} threads={}", loops_.isa, tbb_runtime(), team_->threads());
}

void Own::run() {
  if (problem_.is_empty()) return;
  x_->quantise();
  const std::int64_t threads = team_->threads();
  on_each(*team_, threads, [&](std::int64_t thread) {
    std::int32_t* const sums = sums_.data() + thread * kBlockRows * loops_.columns;
    for (std::int64_t panel = panels_ * thread / threads; panel < panels_ * (thread + 1) / threads; ++panel)
      multiply_panel(panel, sums);
  });
  if (!fused_) finish_pass(problem_, loops_, bias_.data(), y_.data(), *team_);
}

void Own::multiply_panel(std::int64_t panel, std::int32_t* sums) {
  const std::int64_t columns = loops_.columns, column = panel * columns;
  for (std::int64_t c = column; c < column + columns; ++c) {
    const auto at = static_cast<std::size_t>(c);
    scales_[at] = x_->scale() * w_scales_[at];
    taken_off_[at] = x_->zero() * w_sums_[at];
  }
  for (std::int64_t row = 0; row < problem_.m; row += kBlockRows) {
    const std::int64_t rows = std::min(kBlockRows, problem_.m - row);
    SumTile tile{.rows = rows, .x_stride = x_->stride(), .sums = sums, .add = false};
    std::int64_t p = 0;
    do {
      tile.depth = std::min(kBlockDepth, depth_ - p);
      tile.x = x_->bytes() + row * x_->stride() + p;
      tile.panel = packed_.data() + column * depth_ + p * columns;
      loops_.multiply(tile);
      tile.add = true;
      p += kBlockDepth;
    } while (p < depth_);
    loops_.finish({.sums = sums,
                   .sums_stride = columns,
                   .rows = rows,
                   .columns = std::min(columns, problem_.n - column),
                   .scales = scales_.data() + column,
                   .taken_off = taken_off_.data() + column,
                   .bias = fused_ && !bias_.empty() ? bias_.data() + column : nullptr,
                   .after = fused_ ? problem_.epilogue().activation : Activation::none,
                   .y = y_.data() + row * problem_.n + column,
                   .y_stride = problem_.n});
  }
}

}  // namespace kernsweep::linear
