#include "results/text/units.hpp"

#include <fmt/format.h>
#include "shared/text/counted.hpp"
#include "shared/text/moment.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep {

namespace {

// Three significant digits for 0.9995 <= |x| < 1000.
std::string three_digits(double x) {
  const double size = std::abs(x);
  return fmt::format("{:.{}f}", x, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace

std::string text_of_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds == 0) return "0 s";
  const double size = std::abs(seconds);
  if (size < 0.9995e-6) return three_digits(seconds * 1e9) + " ns";
  if (size < 0.9995e-3) return three_digits(seconds * 1e6) + " µs";
  if (size < 0.9995) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string text_of_wait(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "-";
  if (seconds < 59.95) return text_of_seconds(seconds);
  if (seconds < 3599.5) {
    const auto whole = static_cast<std::uint64_t>(std::lround(seconds));
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  if (seconds > 1e15) return "-";
  const auto minutes = static_cast<std::uint64_t>(std::lround(seconds / 60));
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string text_of_rest(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "-";
  constexpr double kHour = 3600, kDay = 24 * kHour;
  if (seconds > 365 * kDay) return "more than a year";
  if (seconds > 100 * kHour) return fmt::format("{:.0f} days", seconds / kDay);
  if (seconds > 59) return text_of_wait(std::max(60.0, seconds));
  return fmt::format("{:.0f} s", std::max(1.0, std::ceil(seconds)));
}

std::string text_of_rate(double per_second) {
  if (!std::isfinite(per_second) || per_second < 0 || per_second > 1e18) return "-/s";
  if (per_second < 999.5) return fmt::format("{:.3g}/s", per_second);
  const double unit = std::pow(10, std::floor(std::log10(per_second)) - 2);
  return text_of_count(static_cast<std::uint64_t>(std::round(per_second / unit) * unit)) + "/s";
}

std::string text_of_moment(double unix_seconds) {
  const std::string text = utc_text(unix_seconds);
  return text.empty() ? "-" : text;
}

std::string text_of_number(double number) {
  if (!std::isfinite(number)) return "-";
  const double size = std::abs(number);
  if (size == 0) return "0";
  if (size < 1e-4 || size >= 1e9) return fmt::format("{:.3e}", number);
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fmt::format("{:.{}f}", number, before >= 4 ? 0 : 4 - before);
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string text_of_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "-";
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1023.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || std::abs(bytes) >= 99.95 ? 0 : 1, kUnits[unit]);
}

std::string text_of_metric(double number, const std::string& unit) {
  if (std::isnan(number)) return "-";
  if (unit == "s") return text_of_seconds(number);
  if (unit == "B") return text_of_bytes(number);
  return text_of_number(number);
}

bool is_unit_told(const std::string& unit) {
  return unit.empty() || unit == "s" || unit == "B";
}

std::string text_of_count(std::uint64_t count) {
  return grouped(count);
}

}  // namespace kernsweep
