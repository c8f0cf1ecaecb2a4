// A linear layer in inference: y = act(x W^T + b), with operands and result in f32, computed in f32, bf16
// or in 8-bit whole numbers.
//
//   x [m, k]   w [n, k], as PyTorch keeps it   bias [n]   y [m, n]      row-major
//
// dtype is the type of the product. f32 numbers are converted to the other types: W once, beforehand, x in
// each call. s8: a number v represents scale (v - zero), with one scale for x and one for each row of W, or
// one for all of W (B. Jacob and others, "Quantization and Training of Neural Networks for Efficient
// Integer-Arithmetic-Only Inference", 2018). W is symmetric, -127 to 127, and so is x as s8; as u8 x has a
// zero of its own, 0 to 255. dynamic: the scale of x is computed from x in each call; fixed: from other
// data of the same kind, the operand `calibration`, beforehand. Numbers of x beyond that range are clamped.
//
// Outliers: in large language models a few features of x are 20 times as large as the others, the same ones
// in all rows, which makes quantising hard (T. Dettmers and others, "LLM.int8()", 2022).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/reference/gemm/epilogue.hpp"

namespace kernsweep::linear {

enum class Scales { dynamic, fixed };
enum class WeightScales { channel, tensor };

inline constexpr std::int64_t kOutlierPeriod = 128;

struct Problem {
  std::int64_t m = 0, n = 0, k = 0;
  ks_dtype dtype = KS_F32;
  std::string epilogue_name = "none";
  Scales scales = Scales::dynamic;
  WeightScales weight_scales = WeightScales::channel;
  ks_dtype activations = KS_S8;
  double outliers = 1;

  static std::vector<pack::Param<Problem>> params() {
    using pack::param;
    constexpr double most = std::numeric_limits<std::int32_t>::max();
    return {
        param<&Problem::m>({.name = "m", .summary = "rows of x: the batch", .least = 0, .most = most}),
        param<&Problem::n>({.name = "n", .summary = "features of the result", .least = 0, .most = most}),
        param<&Problem::k>({.name = "k", .summary = "features of x", .least = 0, .most = most}),
        param<&Problem::dtype>({.name = "dtype",
                                .summary = "what the product is computed in; operands are f32",
                                .fallback = "f32",
                                .choices = "f32|bf16|s8"}),
        param<&Problem::epilogue_name>({.name = "epilogue",
                                        .summary = "what follows the sums: a bias, then relu or gelu (by "
                                                   "tanh)",
                                        .fallback = "none",
                                        .choices = kEpilogueNames}),
        param<&Problem::scales>({.name = "scales",
                                 .summary = "of s8: the scale of x from each x, or from other data before",
                                 .fallback = "dynamic",
                                 .choices = "dynamic|static"}),
        param<&Problem::weight_scales>({.name = "weight_scales",
                                        .summary = "of s8: one for each row of w, or one for all",
                                        .fallback = "channel",
                                        .choices = "channel|tensor"}),
        param<&Problem::activations>({.name = "activations",
                                      .summary = "of s8: x as s8, symmetric, or as u8 with a zero",
                                      .fallback = "s8",
                                      .choices = "s8|u8"}),
        param<&Problem::outliers>({.name = "outliers",
                                   .summary = "every 128th feature of x is that many times as large",
                                   .fallback = "1",
                                   .least = 1,
                                   .most = 20})};
  }

  Epilogue epilogue() const { return epilogue_named(epilogue_name); }
  bool is_quantised() const { return dtype == KS_S8; }
  bool is_static() const { return is_quantised() && scales == Scales::fixed; }
  std::int64_t outlying() const { return outliers > 1 ? k / kOutlierPeriod : 0; }  // features
  bool is_empty() const { return m == 0 || n == 0; }
  // Enough rows that their largest is hardly below that of x.
  std::int64_t calibration_rows() const;

  // Checks relations between parameters; called when they are read. Error: Refused.
  void check() const;
  // x, w, then bias if the epilogue has one, then calibration if scales are static.
  std::vector<pack::Input> inputs() const;
  std::size_t calibration_input() const { return epilogue().has_bias ? 3 : 2; }
  // 2 m n k operations, also in s8. x, bias and y as f32, w in the type in which it is stored.
  ks_work work() const;
  ks_tolerance tolerance() const;
};

}  // namespace kernsweep::linear
