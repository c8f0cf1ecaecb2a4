#include "worker/slot/verify/printed_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

constexpr std::string_view kBlank = " \t\r\n\v\f";

// Calls use(word) for each word until it returns false; returns whether all were used.
template <class Use>
bool for_words(std::string_view text, Use use) {
  for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    if (!use(text.substr(at, end - at))) return false;
    at = text.find_first_not_of(kBlank, end);
  }
  return true;
}

// (-1)^negative * digits * 10^exponent; 0 has no digits.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

// Nothing if it is not a number: digits, optionally with a point and an exponent.
std::optional<Decimal> decimal_of(std::string_view word) {
  Decimal out;
  out.negative = word.starts_with('-');
  if (out.negative || word.starts_with('+')) word.remove_prefix(1);
  const auto e = word.find_first_of("eE");
  std::string_view mantissa = word.substr(0, e);
  if (e != std::string_view::npos) {
    std::string_view power = word.substr(e + 1);
    if (power.starts_with('+') && !power.starts_with("+-")) power.remove_prefix(1);
    const auto read = std::from_chars(power.data(), power.data() + power.size(), out.exponent);
    if (power.empty() || read.ptr != power.data() + power.size()) return std::nullopt;
    constexpr std::int64_t kFar = 1'000'000'000'000;
    if (read.ec == std::errc::result_out_of_range) out.exponent = power.starts_with('-') ? -kFar : kFar;
    out.exponent = std::clamp(out.exponent, -kFar, kFar);
  }
  const auto point = mantissa.find('.');
  out.digits = mantissa.substr(0, point);
  if (point != std::string_view::npos) {
    out.digits += mantissa.substr(point + 1);
    out.exponent -= static_cast<std::int64_t>(mantissa.size() - point - 1);
  }
  if (out.digits.empty() || out.digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  const auto last = out.digits.find_last_not_of('0') + 1;  // 0: there are only zeros
  out.exponent += static_cast<std::int64_t>(out.digits.size() - last);
  out.digits.resize(last);
  out.digits.erase(0, out.digits.find_first_not_of('0'));
  if (out.digits.empty()) out = {};
  return out;
}

}  // namespace

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  for_words(text, [&](std::string_view word) {
    words.push_back(word);
    return true;
  });
  return words;
}

std::vector<std::string_view> trimmed_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    line = line.substr(0, line.find_last_not_of(" \t\r\v\f") + 1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

bool is_binary(std::string_view text) {
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    const bool is_control = first == 0x7F || (first < 0x20 && kBlank.find(text.front()) == kBlank.npos);
    if (length == 0 || is_control) return true;
    text.remove_prefix(length);
  }
  return false;
}

std::optional<double> printed_number(std::string_view word) {
  if (word.starts_with('+')) {
    word.remove_prefix(1);
    if (word.starts_with('-')) return std::nullopt;
  }
  double number = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
  if (read.ptr != word.data() + word.size()) return std::nullopt;
  if (read.ec == std::errc()) return number;
  const auto decimal = read.ec == std::errc::result_out_of_range ? decimal_of(word) : std::nullopt;
  if (!decimal) return std::nullopt;
  const bool is_small = decimal->exponent + static_cast<std::int64_t>(decimal->digits.size()) <= 0;
  const double size = is_small ? 0 : std::numeric_limits<double>::infinity();
  return decimal->negative ? -size : size;
}

std::optional<std::vector<double>> numbers_of_text(std::string_view text) {
  std::vector<double> numbers;
  const bool all = for_words(text, [&](std::string_view word) {
    const auto number = printed_number(word);
    if (number) numbers.push_back(*number);
    return number.has_value();
  });
  if (!all || numbers.empty()) return std::nullopt;
  return numbers;
}

std::string whole_number(std::string_view word) {
  const auto decimal = decimal_of(word);
  if (!decimal || decimal->exponent < 0) return "";
  if (decimal->digits.empty()) return "0";
  return (decimal->negative ? "-" : "") + decimal->digits + "e" + std::to_string(decimal->exponent);
}

}  // namespace kernsweep
