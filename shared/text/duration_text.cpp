#include "shared/text/duration_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace kernsweep {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr Unit kUnits[] = {{"h", 3'600'000'000'000}, {"m", 60'000'000'000}, {"s", 1'000'000'000},
                           {"ms", 1'000'000},        {"us", 1'000},         {"ns", 1}};
constexpr std::int64_t kLongest = 366 * 24 * kUnits[0].nanoseconds;

}  // namespace

Result<Duration> duration_of(std::string_view text) {
  const std::string quoted = "'" + std::string(text) + "'";
  const auto no_duration = [&] {
    return failure(quoted + " is not a duration; write 500us, 100ms, 3s, 2m or 4h");
  };
  if (text == "0") return Duration{0};
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789."));
  const std::string_view name = text.substr(digits.size());
  const char* const end = digits.data() + digits.size();
  std::int64_t whole = 0;
  double real = 0;
  const auto as_whole = std::from_chars(digits.data(), end, whole);
  const bool exact = as_whole.ec == std::errc() && as_whole.ptr == end;
  const auto as_real = std::from_chars(digits.data(), end, real);
  const bool huge = as_real.ec == std::errc::result_out_of_range;
  if (as_real.ptr != end || (as_real.ec != std::errc() && !huge)) return no_duration();
  if (name.empty())
    return failure(quoted + " has no unit; write " + std::string(text) + "s or " + std::string(text) +
                   "ms");
  const auto* const unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                        [&](const Unit& each) { return each.name == name; });
  if (unit == std::end(kUnits))
    return failure(quoted + " is not a duration; units are ns, us, ms, s, m, h");
  const double length = real * static_cast<double>(unit->nanoseconds);
  if (huge || length > static_cast<double>(kLongest)) return failure(quoted + " is longer than a year");
  return exact ? Duration{whole * unit->nanoseconds} : Duration{std::llround(length)};
}

std::string exact_text(Duration duration) {
  const std::int64_t length = duration.count();
  if (length == 0) return "0";
  // The second is the largest unit: "120s", not "2m".
  const auto fits = [&](const Unit& unit) {
    return unit.nanoseconds <= 1'000'000'000 && length % unit.nanoseconds == 0;
  };
  const auto* const unit = std::find_if(std::begin(kUnits), std::end(kUnits), fits);
  return std::to_string(length / unit->nanoseconds) + std::string(unit->name);
}

}  // namespace kernsweep
