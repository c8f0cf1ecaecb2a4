#include "shared/base/output_sample.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "shared/base/reference_rule.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kLanes = 8;

constexpr std::size_t kTextMax = 1024;
constexpr std::size_t kShapeMax = 16;
constexpr double kWeightMost = 1.5;

// splitmix64 (S. Vigna, 2015) of the element's position: the top bit is the sign, the rest the size.
double weight_of(std::uint64_t at) {
  std::uint64_t bits = (at + 1) * 0x9E3779B97F4A7C15U;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBU;
  bits ^= bits >> 31;
  const double size = 0.5 + static_cast<double>(static_cast<std::int64_t>(bits << 1 >> 12)) * 0x1p-52;
  // Without a branch, because no processor could predict it.
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | (bits >> 63 << 63));
}

// The relative error that rounding may cause in an output of that type.
double tolerance_of(std::string_view type) {
  if (type == "real") return 1e-5;
  if (type == "f32") return 1e-4;
  if (type == "f16") return 1e-2;
  if (type == "bf16") return 5e-2;
  if (type == "f8e4m3" || type == "f8e5m2") return 0.25;
  return 1e-8;  // f64; also whole numbers that are compared with another type
}

// An extent of 1 changes neither the elements nor their order. An array with one long dimension may have
// lost its shape, for example when it was printed as text.
bool same_shape(std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
  const auto count = [](const std::vector<std::int64_t>& shape) {
    double elements = 1;
    for (const std::int64_t extent : shape) elements *= static_cast<double>(extent);
    return elements;
  };
  std::erase(a, 1);
  std::erase(b, 1);
  return a == b || ((a.size() <= 1 || b.size() <= 1) && count(a) == count(b));
}

bool same_numbers(const OutputSample& a, const OutputSample& b) {
  if (a.nan_count != b.nan_count || a.inf_count != b.inf_count) return false;
  const double largest = std::max(a.largest, b.largest);
  if (largest == 0) return true;
  const double of_a = a.largest / largest, of_b = b.largest / largest;
  const double norm = std::max(a.norm * of_a, b.norm * of_b);
  // With fewer than 8 elements a sum may hold a single one, whose error is relative to the largest.
  const double allowed = kWeightMost * std::max(tolerance_of(a.type), tolerance_of(b.type)) *
                         std::max(norm / std::sqrt(static_cast<double>(OutputSample::kSums)), 1.0);
  for (std::size_t i = 0; i < OutputSample::kSums; ++i)
    if (!(std::abs(a.sums[i] * of_a - b.sums[i] * of_b) <= allowed)) return false;
  return true;
}

std::string text_of_number(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", number);
  return text.data();
}

// The parts of `text` between the separators.
std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
bool read_into(std::string_view text, Number& target) {
  const auto number = number_of<Number>(text);
  if (number) target = *number;
  return number.has_value();
}

bool read_shape(std::string_view text, std::vector<std::int64_t>& target) {
  for (const std::string_view part : parts_of(text, 'x')) {
    const auto extent = number_of<std::int64_t>(part);
    if (!extent || *extent < 0 || target.size() == kShapeMax) return false;
    target.push_back(*extent);
  }
  return true;
}

bool read_sums(std::string_view text, OutputSample& target) {
  const auto parts = parts_of(text, ',');
  if (parts.size() != target.sums.size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!read_into(parts[i], target.sums[i]) || !std::isfinite(target.sums[i])) return false;
  return true;
}

// Accepts printable words only.
bool read_name(std::string_view text, std::string& target) {
  target = text;
  return text.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
}

bool read_word(std::string_view name, std::string_view value, OutputSample& out) {
  const auto is_size = [](double number) { return std::isfinite(number) && number >= 0; };
  if (name == "runs") return read_into(value, out.runs);
  if (name == "shape") return read_shape(value, out.shape);
  if (name == "max") return read_into(value, out.largest) && is_size(out.largest);
  if (name == "norm") return read_into(value, out.norm) && is_size(out.norm);
  if (name == "nan") return read_into(value, out.nan_count);
  if (name == "inf") return read_into(value, out.inf_count);
  if (name == "sums") return read_sums(value, out);
  if (name == "type") return read_name(value, out.type);
  if (name == "hash") return read_name(value, out.hash);
  return true;  // also for a word that a later version adds
}

}  // namespace

// Independent lanes, so that the additions do not wait for one another.
void OutputSums::see(std::span<const double> piece) {
  std::array<double, kLanes> largest{}, not_finite{};
  const auto see = [&](std::size_t lane, double x) {
    const double size = std::abs(x);
    largest[lane] = size > largest[lane] ? size : largest[lane];
    not_finite[lane] += x * 0.0;
  };
  std::size_t i = 0;
  for (; i + kLanes <= piece.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) see(lane, piece[i + lane]);
  for (; i < piece.size(); ++i) see(i % kLanes, piece[i]);
  if (std::accumulate(not_finite.begin(), not_finite.end(), 0.0) == 0) {
    largest_ = std::max(largest_, *std::ranges::max_element(largest));
    return;
  }
  for (const double x : piece) {
    if (std::isfinite(x)) largest_ = std::max(largest_, std::abs(x));
    nan_count_ += std::isnan(x) ? 1 : 0;
    inf_count_ += std::isinf(x) ? 1 : 0;
  }
}

void OutputSums::add(std::span<const double> piece) {
  const std::uint64_t first = at_;
  at_ += piece.size();
  if (largest_ == 0) return;
  std::array<double, OutputSample::kSums> sums = sums_, squares{};
  const auto add = [&](std::size_t i) {
    const double scaled = std::isfinite(piece[i]) ? piece[i] / largest_ : 0;
    const std::uint64_t at = first + i;
    squares[i % squares.size()] += scaled * scaled;
    sums[at % sums.size()] += weight_of(at) * scaled;
  };
  for (std::size_t i = 0; i < piece.size(); ++i) add(i);
  sums_ = sums;
  squares_ = std::accumulate(squares.begin(), squares.end(), squares_);
}

void OutputSums::finish(OutputSample& out) const {
  out.largest = largest_;
  out.norm = std::sqrt(squares_);
  out.nan_count = nan_count_;
  out.inf_count = inf_count_;
  out.sums = sums_;
}

std::string text_of(const OutputSample& sample) {
  std::string text = "runs=" + std::to_string(sample.runs);
  if (sample.runs == 0) return text;
  text += " type=" + sample.type;
  for (std::size_t d = 0; d < sample.shape.size(); ++d)
    text += (d == 0 ? " shape=" : "x") + std::to_string(sample.shape[d]);
  if (sample.has_numbers()) {
    text += " max=" + text_of_number(sample.largest) + " norm=" + text_of_number(sample.norm);
    if (sample.nan_count > 0) text += " nan=" + std::to_string(sample.nan_count);
    if (sample.inf_count > 0) text += " inf=" + std::to_string(sample.inf_count);
    for (std::size_t i = 0; i < sample.sums.size(); ++i)
      text += (i == 0 ? " sums=" : ",") + text_of_number(sample.sums[i]);
  }
  if (!sample.hash.empty()) text += " hash=" + sample.hash;
  return text;
}

std::optional<OutputSample> output_sample_of(std::string_view text) {
  OutputSample out;
  if (text.size() > kTextMax || !text.starts_with("runs=")) return std::nullopt;
  for (const std::string_view word : parts_of(text, ' ')) {
    const auto equals = word.find('=');
    if (equals == std::string_view::npos ||
        !read_word(word.substr(0, equals), word.substr(equals + 1), out))
      return std::nullopt;
  }
  if (out.runs > 0 && out.type.empty()) return std::nullopt;
  return out;
}

bool OutputSample::is_mixed() const {
  return !hash.empty() && rounding_tolerance(type) > 0;
}

bool agree(const OutputSample& a, const OutputSample& b) {
  if (a.runs == 0 || b.runs == 0) return false;
  if (!a.has_numbers() || !b.has_numbers()) return a.type == b.type && a.hash == b.hash;
  if (!same_shape(a.shape, b.shape)) return false;
  if (a.is_mixed() || b.is_mixed())
    return a.is_mixed() != b.is_mixed() || (a.hash == b.hash && same_numbers(a, b));
  if (a.type == b.type && !a.hash.empty() && !b.hash.empty()) return a.hash == b.hash;
  return same_numbers(a, b);
}

}  // namespace kernsweep
