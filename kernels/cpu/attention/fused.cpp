#include "kernels/cpu/attention/fused.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernsweep::attention {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return ceil_div(a, b) * b;
}

constexpr std::int64_t kPageFloats = 1024;  // so that threads share no page
constexpr std::int64_t kTasksPerThread = 4;

}  // namespace

void Fused::can_run(const Problem&, const Settings& settings) {
  required(find_tile_kernels(settings.isa), settings.isa);
}

Fused::Fused(const Problem& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      settings_(settings),
      kernels_(find_tile_kernels(settings.isa)),
      lanes_(kernels_->lanes),
      q_(setup.tensor(0)),
      k_(setup.tensor(1)),
      v_(setup.tensor(2)),
      team_(team_of(setup)) {
  if (problem.dtype == KS_F32)
    y_ = setup.output<float>(problem.q_shape());
  else
    y_bf16_ = setup.output<std::uint16_t>(problem.q_shape(), KS_BF16);
  settings_.block_k = std::clamp<std::int64_t>(problem.keys(), 1, settings.block_k);
  if (problem.q_len < lanes_) unit_heads_ = problem.group();
  rows_ = unit_heads_ * problem.q_len;
  const std::int64_t units = problem.batch * problem.heads / unit_heads_;
  if (rows_ == 0 || units == 0) return;
  few_ = 8 * rows_ <= 5 * lanes_;  // where it is faster, with every instruction set
  if (few_) lanes_ = rows_;
  const std::int64_t threads = team_->threads();
  const std::int64_t strips = ceil_div(rows_, lanes_);
  const std::int64_t wanted = threads == 1 ? 1 : ceil_div(kTasksPerThread * threads, units);
  const std::int64_t most = ceil_div(settings.block_q, lanes_);  // strips of a block
  strips_ = std::clamp<std::int64_t>(ceil_div(strips, wanted), 1, most);
  block_rows_ = strips_ * lanes_;
  blocks_ = ceil_div(rows_, block_rows_);
  const std::int64_t tasks = units * blocks_;
  if (tasks < kTasksPerThread * threads && tasks % threads != 0)
    parts_ = std::clamp<std::int64_t>(ceil_div(problem.keys(), settings_.block_k), 1,
                                      ceil_div(kTasksPerThread * threads, tasks));
  scratch_ = memory_.allocate<float>(setup, threads * scratch_floats());
  if (parts_ > 1) states_ = memory_.allocate<float>(setup, tasks * parts_ * strips_ * state_floats());
}

std::string Fused::runtime() const {
  return fmt::format("isa={} {} threads={} block_rows={} key_parts={}", kernels_->isa, tbb_runtime(),
                     team_->threads(), block_rows_, parts_);
}

std::int64_t Fused::scratch_floats() const {
  const std::int64_t depth = problem_.head_dim;
  const std::int64_t widened = widens() ? 2 * round_up(settings_.block_k * depth, 16) : 0;
  const std::int64_t states = parts_ > 1 ? 0 : strips_ * state_floats();
  return round_up(
      strips_ * depth * lanes_ + scores_of(lanes_, settings_.block_k) + lanes_ + 64 + states + widened,
      kPageFloats);
}

Fused::Scratch Fused::scratch_of(std::int64_t thread) const {
  float* next = scratch_.data() + thread * scratch_floats();
  const auto take = [&next](std::int64_t floats) {
    float* const taken = next;
    next += round_up(floats, 16);  // 64 bytes
    return taken;
  };
  Scratch out{};
  out.queries = take(strips_ * problem_.head_dim * lanes_);
  out.scores = take(scores_of(lanes_, settings_.block_k));
  out.seen = reinterpret_cast<std::int32_t*>(take(lanes_));
  if (parts_ == 1) out.state = take(strips_ * state_floats());
  if (widens()) {
    out.k = take(settings_.block_k * problem_.head_dim);
    out.v = take(settings_.block_k * problem_.head_dim);
  }
  return out;
}

QueryState Fused::state_in(float* states, std::int64_t strip) const {
  float* const sums = states + strip * state_floats();
  float* const largest = sums + problem_.head_dim * lanes_;
  return {sums, largest, largest + lanes_};
}

void Fused::run() {
  if (blocks_ == 0) return;
  const std::int64_t units = problem_.batch * problem_.heads / unit_heads_;
  const std::int64_t tasks = units * blocks_ * parts_;
  const std::int64_t threads = team_->threads();
  const auto attend_all = [&](auto element) {
    using T = decltype(element);
    on_each(*team_, threads, [&](std::int64_t thread) {
      const Scratch scratch = scratch_of(thread);
      for (std::int64_t round = 0; round * threads < tasks; ++round) {
        const std::int64_t task = round * threads + (round % 2 == 0 ? thread : threads - 1 - thread);
        if (task < tasks) attend<T>(task, scratch);
      }
    });
    if (parts_ > 1)
      on_each(*team_, units * blocks_, [&](std::int64_t block) {
        finish<T>(block, states_.data() + block * parts_ * strips_ * state_floats(), parts_);
      });
  };
  problem_.dtype == KS_F32 ? attend_all(float{}) : attend_all(std::uint16_t{});
}

// Copies queries row by row to strips of [head_dim][lanes], with zeros for missing ones. Scaled, so that
// 2^score is the weight.
template <class T>
void Fused::pack_queries(const T* from, std::int64_t rows, float* to) const {
  const std::int64_t depth = problem_.head_dim;
  const float scale = static_cast<float>(problem_.scale() * 1.4426950408889634);  // log2(e)
  for (std::int64_t row = 0; row < round_up(rows, lanes_); ++row) {
    float* const at = to + row / lanes_ * depth * lanes_ + row % lanes_ * lane_step();
    for (std::int64_t t = 0; t < depth; ++t)
      at[t * element_step()] = row < rows ? scale * widened(from[row * depth + t]) : 0;
  }
}

template <class T>
void Fused::attend(std::int64_t task, const Scratch& scratch) {
  const std::int64_t depth = problem_.head_dim, keys = problem_.keys();
  const std::int64_t block = task / parts_, part = task % parts_;
  const std::int64_t unit = block / blocks_, row = block % blocks_ * block_rows_;
  const std::int64_t rows = std::min(block_rows_, rows_ - row);
  float* const states = parts_ > 1 ? states_.data() + task * strips_ * state_floats() : scratch.state;
  for (std::int64_t strip = 0; strip < strips_; ++strip) {
    const QueryState state = state_in(states, strip);
    std::fill_n(state.sums, state_floats(), 0.0F);
    std::fill_n(state.largest, lanes_, std::numeric_limits<float>::lowest());
  }
  pack_queries(static_cast<const T*>(q_.data) + (unit * rows_ + row) * depth, rows, scratch.queries);
  const std::int64_t of_keys = unit * unit_heads_ / problem_.group() * keys * depth;
  const T* const k = static_cast<const T*>(k_.data) + of_keys;
  const T* const v = static_cast<const T*>(v_.data) + of_keys;
  // Keys that no query of the block sees follow those of the last one of any of its heads.
  const bool one_head = row / problem_.q_len == (row + rows - 1) / problem_.q_len;
  const std::int64_t seen =
      problem_.seen(one_head ? (row + rows - 1) % problem_.q_len : problem_.q_len - 1);
  const std::int64_t tiles = ceil_div(keys, settings_.block_k);
  for (std::int64_t tile = tiles * part / parts_; tile < tiles * (part + 1) / parts_; ++tile) {
    const std::int64_t first = tile * settings_.block_k;
    const std::int64_t count = std::min(settings_.block_k, seen - first);
    if (count <= 0) break;
    if (!widens()) {
      attend_tile(row, rows, first, count, k + first * depth, v + first * depth, scratch, states);
    } else if constexpr (!std::is_same_v<T, float>) {
      kernels_->widen(k + first * depth, count * depth, scratch.k);
      kernels_->widen(v + first * depth, count * depth, scratch.v);
      attend_tile(row, rows, first, count, scratch.k, scratch.v, scratch, states);
    }
  }
  if (parts_ == 1) finish<T>(block, states, 1);
}

// One tile for all strips of a block that begins with `row` of its unit.
void Fused::attend_tile(std::int64_t row, std::int64_t rows, std::int64_t first_key, std::int64_t keys,
                        const void* k, const void* v, const Scratch& scratch, float* states) const {
  Tile tile = {.depth = problem_.head_dim, .rows = lanes_, .k = k, .v = v, .scores = scratch.scores};
  for (std::int64_t strip = 0; strip < strips_ && strip * lanes_ < rows; ++strip) {
    std::int64_t least = keys, most = keys;
    if (problem_.causal) {
      least = std::numeric_limits<std::int64_t>::max();
      most = 0;
      for (std::int64_t lane = 0; lane < lanes_; ++lane) {
        const std::int64_t of_lane = std::min(row + strip * lanes_ + lane, row + rows - 1);
        const std::int64_t seen =
            std::clamp<std::int64_t>(problem_.seen(of_lane % problem_.q_len) - first_key, 0, keys);
        scratch.seen[lane] = static_cast<std::int32_t>(seen);
        least = std::min(least, seen);
        most = std::max(most, seen);
      }
    }
    if (most == 0) continue;
    tile.keys = most;
    tile.seen = least < most ? scratch.seen : nullptr;
    tile.queries = scratch.queries + strip * problem_.head_dim * lanes_;
    tile.state = state_in(states, strip);
    if (!few_)
      kernels_->attend(tile);
    else
      problem_.dtype == KS_F32 ? kernels_->attend_few(tile) : kernels_->attend_few_bf16(tile);
  }
}

template <class T>
void Fused::finish(std::int64_t block, float* states, std::int64_t parts) const {
  const std::int64_t depth = problem_.head_dim;
  const std::int64_t row = block % blocks_ * block_rows_;
  const std::int64_t rows = std::min(block_rows_, rows_ - row);
  const std::int64_t first = block / blocks_ * rows_ + row;
  T* const y = [this] {
    if constexpr (std::is_same_v<T, float>)
      return y_.data();
    else
      return y_bf16_.data();
  }() + first * depth;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t strip = i / lanes_, lane = i % lanes_;
    QueryState all = state_in(states, strip);
    for (std::int64_t part = 1; part < parts; ++part) {
      const QueryState other = state_in(states, part * strips_ + strip);
      const float top = std::max(all.largest[lane], other.largest[lane]);
      const float mine = std::exp2(all.largest[lane] - top), others = std::exp2(other.largest[lane] - top);
      all.largest[lane] = top;
      all.total[lane] = mine * all.total[lane] + others * other.total[lane];
      for (std::int64_t t = 0; t < depth; ++t) {
        const std::int64_t at = lane * lane_step() + t * element_step();
        all.sums[at] = mine * all.sums[at] + others * other.sums[at];
      }
    }
    const float inverse = all.total[lane] > 0 ? 1 / all.total[lane] : 0;
    for (std::int64_t t = 0; t < depth; ++t) {
      const float result = inverse * all.sums[lane * lane_step() + t * element_step()];
      if constexpr (std::is_same_v<T, float>)
        y[i * depth + t] = result;
      else
        y[i * depth + t] = narrowed(result);
    }
  }
}

}  // namespace kernsweep::attention
