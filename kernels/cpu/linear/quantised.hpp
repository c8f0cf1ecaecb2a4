// Operands of a layer in 8-bit numbers (problem.hpp defines them).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/linear/loops.hpp"
#include "kernels/cpu/linear/problem.hpp"
#include "kernels/cpu/parallel/pack_team.hpp"

namespace kernsweep::linear {

// w, quantised beforehand.
struct Weights {
  // `numbers` [n, k] is memory of the caller.
  Weights(const Problem& problem, const Loops& loops, const float* w, std::span<std::int8_t> numbers);

  std::span<std::int8_t> numbers;
  std::vector<float> scales;       // [n]
  std::vector<std::int32_t> sums;  // [n], of the numbers of a row
};

// x, quantised in each call.
class Activations {
 public:
  // Rows are `stride` bytes apart, at least k. `flip` is added to each number. Static scales are computed
  // here, from the operand `calibration`.
  Activations(const Problem& problem, const Loops& loops, pack::Setup& setup, Team& team,
              std::int64_t stride, std::int32_t flip);
  void quantise();  // Error: Refused

  const std::uint8_t* bytes() const { return bytes_.data(); }
  std::int64_t stride() const { return stride_; }
  // Of the last call: x = scale (byte - zero()), with `flip` in both.
  float scale() const { return scale_; }
  std::int32_t zero() const { return as_.zero + as_.flip; }

 private:
  void set_range(float least, float most);
  void find_range();

  Problem problem_;
  const Loops& loops_;
  Team& team_;
  std::int64_t stride_;
  std::span<const float> x_;
  std::span<std::uint8_t> bytes_;
  std::vector<float> ranges_;  // least and most of each part
  Quantised as_;
  float scale_ = 0;
};

// Bias and activation over y [m, n], read and written once more.
void finish_pass(const Problem& problem, const Loops& loops, const float* bias, float* y, Team& team);

}  // namespace kernsweep::linear
