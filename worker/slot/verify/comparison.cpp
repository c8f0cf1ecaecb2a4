#include "worker/slot/verify/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "shared/base/result.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kPiece = 1024;  // elements; x and r take half of a cache of 32 KiB
constexpr std::size_t kLanes = 2;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using LaneBits = std::int64_t __attribute__((vector_size(kLanes * sizeof(std::int64_t))));
constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Numbers in between have squares that neither overflow nor vanish.
constexpr double kSquaresFrom = 1e-140, kSquaresTo = 1e140;

Lanes loaded(const double* from) {
  Lanes out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
// Calls see(x, r) for all elements, padded with zeros; returns the number of these zeros.
template <class See>
std::size_t for_each_lanes(const double* x, const double* r, std::size_t count, See see) {
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) see(loaded(x + i), loaded(r + i));
  if (whole == count) return 0;
  std::array<double, kLanes> last_x{}, last_r{};
  std::copy(x + whole, x + count, last_x.begin());
  std::copy(r + whole, r + count, last_r.begin());
  see(loaded(last_x.data()), loaded(last_r.data()));
  return whole + kLanes - count;
}
Lanes size_of_each(Lanes lanes) {
  return reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(lanes) &
                                 std::numeric_limits<std::int64_t>::max());
}
// The lanes of `b` where `a` has a NaN.
Lanes larger(Lanes a, Lanes b) {
  return a > b ? a : b;
}
double most_of(Lanes lanes) {
  return std::max(lanes[0], lanes[1]);
}
double sum_of(Lanes lanes) {
  return lanes[0] + lanes[1];
}

// A sum of squares of any size: `sum` times 4 to the power of `exponent`.
class Squares {
 public:
  void add(double sum, int exponent) {
    if (sum == 0) return;
    if (exponent == exponent_) {
      sum_ += sum;
      return;
    }
    if (sum_ == 0 || exponent > exponent_) {
      sum_ = std::ldexp(sum_, 2 * (exponent_ - exponent));
      exponent_ = exponent;
    }
    sum_ += std::ldexp(sum, 2 * (exponent - exponent_));
  }
  // The square root of this sum divided by that of another; by 1 if that is 0.
  double root_over(const Squares& other) const {
    const double root = std::sqrt(sum_);
    if (other.sum_ == 0) return std::ldexp(root, exponent_);
    return std::ldexp(root / std::sqrt(other.sum_), exponent_ - other.exponent_);
  }

 private:
  double sum_ = 0;
  int exponent_ = 0;
};

// `largest`: the largest absolute number.
template <class Number>
void add_squares(Squares& to, double largest, std::size_t count, Number number) {
  if (largest == 0) return;
  const int exponent = std::clamp(std::ilogb(largest), -1000, 1023);
  const double unit = std::ldexp(1, -exponent);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += (number(i) * unit) * (number(i) * unit);
  to.add(sum, exponent);
}

// The result for consecutive elements.
struct Seen {
  double right = 0, error = 0;  // largest |r| and |x - r| of the finite ones
  std::size_t worst = 0;        // where `error` occurred first
};

// Reads x and r in pieces and adds up the sums that do not depend on scales.
class Pass {
 public:
  Pass(const Elements& x, const Elements& r, Comparison& out) : x_(x), r_(r), out_(out) {}

  // Processes the next `count` elements.
  Seen see(std::size_t count) {
    Seen seen;
    while (count > 0) {
      if (at_ == behind_) read();
      const std::size_t here = std::min(count, behind_ - at_);
      const std::size_t offset = at_ - first_;
      if (!see_finite(values_ + offset, rights_ + offset, here, seen))
        see_any(values_ + offset, rights_ + offset, here, seen);
      at_ += here;
      count -= here;
    }
    out_.largest = std::max(out_.largest, seen.right);
    return seen;
  }
  void finish() {
    if (std::isfinite(of_elements_)) out_.error_element = of_elements_;
    out_.error_norm = errors_.root_over(references_);
    out_.zero_share = static_cast<double>(zeros_) / static_cast<double>(x_.size());
  }

 private:
  void read() {
    first_ = at_;
    behind_ = std::min(x_.size(), first_ + kPiece);
    values_ = x_.read(first_, behind_ - first_, x_buffer_.data());
    rights_ = r_.read(first_, behind_ - first_, r_buffer_.data());
  }

  // False: an element is not finite, or squares overflow, so nothing was added.
  bool see_finite(const double* x, const double* r, std::size_t count, Seen& seen) {
    Lanes right{}, error{}, not_finite{}, rights{}, errors{};
    LaneBits zeros{};
    const std::size_t added = for_each_lanes(x, r, count, [&](Lanes value, Lanes reference) {
      const Lanes apart = value - reference;
      right = larger(size_of_each(reference), right);
      error = larger(size_of_each(apart), error);
      not_finite += value * 0.0 + reference * 0.0;
      zeros -= value == 0.0;  // -1 where it is
      rights += reference * reference;
      errors += apart * apart;
    });
    zeros[0] -= static_cast<std::int64_t>(added);
    const double of_right = most_of(right), of_error = most_of(error);
    const auto fits = [](double largest) {
      return largest == 0 || (largest > kSquaresFrom && largest < kSquaresTo);
    };
    if (sum_of(not_finite) != 0 || !fits(of_right) || !fits(of_error)) return false;
    zeros_ += static_cast<std::uint64_t>(zeros[0] + zeros[1]);
    references_.add(sum_of(rights), 0);
    seen.right = std::max(seen.right, of_right);
    if (of_error > 0) see_errors(x, r, count, of_error, sum_of(errors), seen);
    return true;
  }

  void see_errors(const double* x, const double* r, std::size_t count, double largest, double squares,
                  Seen& seen) {
    errors_.add(squares, 0);
    if (largest > seen.error) {
      seen.error = largest;
      std::size_t i = 0;
      while (std::abs(x[i] - r[i]) != largest) ++i;
      seen.worst = at_ + i;
    }
    Lanes most{};
    for_each_lanes(x, r, count, [&](Lanes value, Lanes reference) {
      // NaN where both are 0.
      most = larger(size_of_each(value - reference) / size_of_each(reference), most);
    });
    of_elements_ = std::max(of_elements_, most_of(most));
  }

  // For elements of any kind.
  void see_any(const double* x, const double* r, std::size_t count, Seen& seen) {
    double right = 0, error = 0;
    for (std::size_t i = 0; i < count; ++i) {
      zeros_ += x[i] == 0;
      out_.nan_count += std::isnan(x[i]);
      out_.inf_count += std::isinf(x[i]);
      if (std::isfinite(r[i])) right = std::max(right, std::abs(r[i]));
      if (x[i] == r[i] || (std::isnan(x[i]) && std::isnan(r[i]))) continue;
      if (!std::isfinite(x[i]) || !std::isfinite(r[i])) {
        if (out_.not_finite++ == 0) out_.worst = at_ + i;
        of_elements_ = kInfinite;
        continue;
      }
      const double apart = std::abs(x[i] - r[i]);
      of_elements_ = std::max(of_elements_, apart / std::abs(r[i]));  // x and r differ: never 0 / 0
      if (apart > seen.error) {
        seen.error = apart;
        seen.worst = at_ + i;
      }
      error = std::max(error, apart);
    }
    seen.right = std::max(seen.right, right);
    add_squares(references_, right, count, [&](std::size_t i) { return std::isfinite(r[i]) ? r[i] : 0; });
    add_squares(errors_, error, count, [&](std::size_t i) {
      return std::isfinite(x[i]) && std::isfinite(r[i]) ? x[i] - r[i] : 0;
    });
  }

  const Elements& x_;
  const Elements& r_;
  Comparison& out_;
  Squares references_, errors_;
  std::uint64_t zeros_ = 0;
  double of_elements_ = 0;  // largest |x - r| / |r|
  // The piece that was read: elements `first_` to `behind_`. `at_` is the next one to process.
  std::size_t first_ = 0, behind_ = 0, at_ = 0;
  const double* values_ = nullptr;
  const double* rights_ = nullptr;
  std::array<double, kPiece> x_buffer_, r_buffer_;
};

// Compares the result of each stretch with the allowed error there.
class StretchCheck {
 public:
  explicit StretchCheck(Comparison& out) : out_(out) { out_.within = true; }

  void add(const Stretch& stretch, const Seen& seen, std::size_t first) {
    const ks_tolerance& tolerance = stretch.tolerance;
    if (first == 0) out_.scale = stretch.scale;
    if (first == 0 || (error_ == 0 && tolerance.relative > out_.tolerance.relative))
      out_.tolerance = tolerance;
    if (std::isnan(tolerance.relative) || std::isnan(tolerance.absolute)) out_.within = false;
    const bool has_not_finite = out_.not_finite > 0;
    if (has_not_finite && !had_not_finite_) show(stretch);
    had_not_finite_ = has_not_finite;
    if (has_not_finite) out_.within = false;
    if (seen.error == 0) return;
    if (!(seen.error <= stretch.allowed)) out_.within = false;  // also if the tolerance is NaN
    double& largest = stretch.scale > 0 ? largest_ : largest_of_zeros_;
    largest = std::max(largest, stretch.scale > 0 ? seen.error / stretch.scale : seen.error);
    const double excess = stretch.allowed > 0 ? seen.error / stretch.allowed : kInfinite;
    if (excess < excess_ || (excess == excess_ && seen.error <= error_)) return;
    excess_ = excess;
    error_ = seen.error;
    scale_ = stretch.scale;
    if (has_not_finite) return;
    out_.worst = seen.worst;
    show(stretch);
  }
  // `are_alike`: the largest of all errors counts, else that of the worst element. Requires that all
  // elements were processed.
  void finish(bool are_alike) {
    const double of_zeros = out_.largest > 0 ? out_.largest : 1;  // if a stretch has only zeros
    out_.error = are_alike ? std::max(largest_, largest_of_zeros_ / of_zeros)
                           : error_ / (scale_ > 0 ? scale_ : of_zeros);
  }

 private:
  void show(const Stretch& stretch) {
    out_.scale = stretch.scale;
    out_.tolerance = stretch.tolerance;
  }

  Comparison& out_;
  bool had_not_finite_ = false;
  double largest_ = 0, largest_of_zeros_ = 0;  // of |x - r| / scale; of |x - r| where the scale is 0
  double excess_ = 0, error_ = 0, scale_ = 0;  // of the worst so far
};

}  // namespace

Comparison compare(const Elements& x, const Elements& r, const ks_tolerance& tolerance, std::size_t slice) {
  KS_ASSERT(x.size() == r.size());
  Comparison out;
  StretchCheck check(out);
  if (x.empty()) return out;
  if (slice == 0) slice = x.size();
  Pass pass(x, r, out);
  for (std::size_t first = 0; first < x.size(); first += slice) {
    const Seen seen = pass.see(std::min(slice, x.size() - first));
    check.add({slice, seen.right, tolerance, tolerance.absolute + tolerance.relative * seen.right}, seen,
              first);
  }
  pass.finish();
  check.finish(true);
  return out;
}

Comparison compare(const Elements& x, const Elements& r, std::span<const Stretch> stretches) {
  KS_ASSERT(x.size() == r.size());
  Comparison out;
  StretchCheck check(out);
  if (x.empty()) return out;
  Pass pass(x, r, out);
  std::size_t first = 0;
  for (const Stretch& stretch : stretches) {
    check.add(stretch, pass.see(stretch.elements), first);
    first += stretch.elements;
  }
  pass.finish();
  check.finish(false);
  return out;
}

double largest_of(const Elements& r, std::size_t first, std::size_t count) {
  std::array<double, kPiece> buffer;
  double largest = 0;
  while (count > 0) {
    const std::size_t here = std::min(count, kPiece);
    const double* const values = r.read(first, here, buffer.data());
    for (std::size_t i = 0; i < here; ++i)
      if (std::isfinite(values[i])) largest = std::max(largest, std::abs(values[i]));
    first += here;
    count -= here;
  }
  return largest;
}

std::string_view empty_of(const Elements& x) {
  std::array<double, kPiece> buffer;
  bool zeros = true, not_finite = true;
  for (std::size_t first = 0; first < x.size() && (zeros || not_finite); first += kPiece) {
    const std::size_t count = std::min(kPiece, x.size() - first);
    const std::span values(x.read(first, count, buffer.data()), count);
    zeros = zeros && std::ranges::all_of(values, [](double value) { return value == 0; });
    not_finite =
        not_finite && std::ranges::none_of(values, [](double value) { return std::isfinite(value); });
  }
  Comparison seen;
  seen.zero_share = zeros ? 1 : 0;
  seen.nan_count = not_finite ? x.size() : 0;
  return empty_of(seen, x.size());
}

std::string_view empty_of(const Comparison& comparison, std::size_t elements) {
  if (elements == 0) return "";
  if (comparison.zero_share == 1) return "the output is all zeros";
  return comparison.nan_count + comparison.inf_count == elements ? "the output is all NaN or infinite" : "";
}

std::string about_not_finite(const Comparison& comparison, std::size_t elements) {
  const std::uint64_t count = comparison.nan_count + comparison.inf_count;
  if (count == 0 || count == elements) return "";
  return std::to_string(count) + " of " + counted(elements, "element", "elements") +
         " of the output are NaN or infinite, as in what it is compared with";
}

std::string describe(const Comparison& comparison, const Elements& x, const Elements& r) {
  const ks_tolerance& tolerance = comparison.tolerance;
  std::array<char, 256> text{};
  const std::size_t at = comparison.worst;
  if (comparison.not_finite > 0) {
    std::snprintf(text.data(), text.size(),
                  "%llu elements are NaN or infinite where the reference is not, or the other way round, "
                  "the first at %zu",
                  static_cast<unsigned long long>(comparison.not_finite), at);
  } else {
    const double got = at < x.size() ? x[at] : 0, right = at < r.size() ? r[at] : 0;
    const double apart = std::abs(got - right);
    // Enough digits that the two differ.
    const int digits = apart > 1e-8 * std::abs(right) ? 9 : 17;
    std::array<char, 48> absolute{};
    if (tolerance.absolute > 0)
      std::snprintf(absolute.data(), absolute.size(), " and %.3g absolute", tolerance.absolute);
    std::snprintf(text.data(), text.size(),
                  "error %.3g of the largest reference value %.3g exceeds the tolerance %.3g%s, worst at "
                  "element %zu (got %.*g, reference %.*g)",
                  comparison.scale > 0 ? apart / comparison.scale : apart, comparison.scale,
                  tolerance.relative, absolute.data(), at, digits, got, digits, right);
  }
  return text.data();
}

}  // namespace kernsweep
