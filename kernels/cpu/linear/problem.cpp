#include "kernels/cpu/linear/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "kernels/cpu/linear/product.hpp"

namespace kernsweep::linear {
namespace {

// Sums of more products of 255 and 127 may not fit into 32 bits.
constexpr std::int64_t kExactDepthMax = 65536;
// An error exceeds the tolerance only if several rare events coincide: x has a large range, the errors are
// the largest, and a row of y is small.
constexpr double kRare = 1e-4;    // of errors
constexpr double kSeldom = 1e-3;  // of the others

double as_double(std::int64_t whole) {
  return static_cast<double>(whole);
}

// The largest number for which `is_below`, which is true for small numbers, is true.
template <class IsBelow>
double end_of(const IsBelow& is_below) {
  double low = 0, high = 40;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (is_below(middle) ? low : high) = middle;
  }
  return low;
}

// The probability that the magnitude of a standard normal number is more than this.
double beyond(double number) {
  return std::erfc(number / std::sqrt(2.0));
}

// The value that the largest magnitude of `count` standard normal numbers exceeds with probability `rare`
// at most.
double most_of(double count, double rare) {
  return end_of([&](double most) { return std::max(1.0, count) * beyond(most) > rare; });
}

// The value that the largest of `count` standard normal numbers is below with probability `rare`; the
// largest magnitude with `two_sided`.
double least_largest(double count, double rare, bool two_sided) {
  return end_of([&](double largest) {
    return count * std::log1p(-beyond(largest) / (two_sided ? 1 : 2)) < std::log(rare);
  });
}

// The length of a vector of `count` standard normal numbers over sqrt(count), which is exceeded with
// probability 1e-3: upwards for sign 1, downwards for sign -1 (Wilson and Hilferty, 1931).
double length_of(std::int64_t count, int sign) {
  const double part = 2 / (9 * as_double(count));
  return std::pow(std::max(0.0, 1 - part + sign * 3.1 * std::sqrt(part)), 1.5);
}

// `of(count)`, for the largest of this many ordinary numbers of x in `rows` rows, or of the outliers.
template <class Of>
double largest_of_x(const Problem& p, std::int64_t rows, const Of& of) {
  const std::int64_t outlying = p.outlying();
  const double ordinary = of(as_double(rows) * as_double(p.k - outlying));
  return outlying == 0 ? ordinary
                       : std::max(ordinary, p.outliers * of(as_double(rows) * as_double(outlying)));
}

// Deviation of the errors of y as a share of that of y, caused by rounding x and w: each error is uniform
// within half a step, whose deviation is a step over sqrt(12). `lengths`: how much longer a row of w may be
// than that of x.
double rounding_of(const Problem& p, double lengths) {
  if (p.dtype == KS_BF16) return std::sqrt(2.0 / 3) * 0x1p-8;  // within 2^-8 of each number
  const double of_x = largest_of_x(p, p.m, [](double count) { return most_of(count, kSeldom); }) / 127;
  const double of_w = most_of(as_double(p.n) * as_double(p.k), kSeldom) / 127;
  return std::hypot(of_x * lengths, of_w) / std::sqrt(12.0);
}

// The error of y caused by a number of x that is beyond the calibrated range and clamped, as a share of the
// deviation of y, in the row that has it. More than one such number in a row is far less likely.
double cutting_of(const Problem& p) {
  if (!p.is_static()) return 0;
  const double most = largest_of_x(p, p.m, [](double count) { return most_of(count, kSeldom); });
  const double range =
      largest_of_x(p, p.calibration_rows(), [](double count) { return least_largest(count, 0.5, true); });
  const double beside = as_double(p.k - 1) * std::pow(length_of(p.k, -1), 2);
  return std::max(0.0, most - range) * 3 / std::sqrt(most * most + beside);
}

}  // namespace

std::int64_t Problem::calibration_rows() const {
  return std::clamp<std::int64_t>((std::int64_t{1} << 18) / std::max<std::int64_t>(1, k), 64, 1 << 12);
}

void Problem::check() const {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  for (const auto& [rows, columns] : {std::pair{m, k}, std::pair{n, k}, std::pair{m, n}})
    if (rows * columns > most)  // each is below 2^31
      throw pack::Refused(
          KS_BAD_PARAMETER,
          fmt::format("an array of {} x {} has more than 2^40 elements; make the point smaller", rows,
                      columns));
  if (is_quantised() && k > kExactDepthMax)
    throw pack::Refused(
        KS_UNSUPPORTED,
        fmt::format("a sum of {} products of 8-bit numbers may not fit 32 bits; at most {} do", k,
                    kExactDepthMax));
}

std::vector<pack::Input> Problem::inputs() const {
  const auto of_x = [this](const char* name, std::int64_t rows) {
    if (outliers <= 1) return pack::Input{name, KS_F32, {rows, k}, KS_NORMAL, 0, 1};
    return pack::Input{name, KS_F32, {rows, k}, KS_OUTLIERS, outliers, static_cast<double>(kOutlierPeriod)};
  };
  std::vector<pack::Input> out{of_x("x", m), {"w", KS_F32, {n, k}, KS_KAIMING}};
  out[1].fan_in = std::max<std::int64_t>(1, k);
  out[1].fan_out = n;
  if (epilogue().has_bias) out.push_back({"bias", KS_F32, {n}, KS_NORMAL, 0, 1});
  if (is_static()) out.push_back(of_x("calibration", calibration_rows()));
  return out;
}

ks_work Problem::work() const {
  const double rows = as_double(m), columns = as_double(n), depth = as_double(k);
  const double of_w = dtype == KS_F32 ? 4 : dtype == KS_BF16 ? 2 : 1;
  return {.flops = 2 * rows * columns * depth,
          .bytes = 4 * rows * (depth + columns) + of_w * columns * depth +
                   (epilogue().has_bias ? 4 * columns : 0)};
}

// f32 is `gemm` and has its tolerance. In bf16 and s8 the rounding of x and w determines the error. With x
// of deviation 1, and the elements of a row of w of one deviation, an error of y is a sum of k independent
// ones that are limited, so its tails are those of a normal number (Hoeffding, 1963), and rounding_of() is
// its deviation as a share of that of y. The largest of m n errors is below most_of() times that. The range
// of x, which determines its steps, is that of m k normal numbers, or of the outliers.
//
// It is compared with the largest |y| of its row, which may be small by chance: that of n numbers is above
// least_largest() of their deviation, and length_of() bounds the lengths of rows of x and of w. An
// activation keeps the positive ones. Rows that are too short, or of too few products, have a tolerance by
// the size of y with the inputs of the family, sqrt(2).
//
// One scale is used for all of x. Rows of x that are far smaller than others lose their digits, even in a
// correct kernel: such inputs need a verify.tolerance in the sweep.
ks_tolerance Problem::tolerance() const {
  ks_tolerance out = product_tolerance(*this);
  if (dtype == KS_F32 || is_empty() || k == 0) return out;
  const bool activated = epilogue().activation != Activation::none;
  const bool is_gelu = epilogue().activation == Activation::gelu;
  const double errors = (is_gelu ? 1.13 : 1) * most_of(as_double(m) * as_double(n), kRare);
  if (k >= 64 && n >= (activated ? 64 : 16)) {
    const double scale = (is_gelu ? 0.84 : 1) * length_of(k, -1) *
                         least_largest(as_double(n), kSeldom / as_double(m), !activated);
    const double lengths = length_of(k, 1) / length_of(k, -1);
    out.relative += std::hypot(errors * rounding_of(*this, lengths), cutting_of(*this)) / scale;
    // Zeros instead of a row are an error of 1. The bound is for the largest error by chance; where it is
    // above this number, results of correct kernels were below a third of it.
    constexpr double kNearZeros = 0.9;
    out.relative = std::min(out.relative, kNearZeros);
    out.scale_dims = 1;
    out.absolute = as_double(k + 1) * 0x1p-126;
    return out;
  }
  out.relative += errors * rounding_of(*this, length_of(k, 1));
  out.absolute += std::sqrt(2.0) * (out.relative + 4 * cutting_of(*this));
  out.scale_dims = 0;
  return out;
}

}  // namespace kernsweep::linear
