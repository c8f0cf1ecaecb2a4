#include "results/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/text/units.hpp"

namespace kernsweep {

namespace {

constexpr double kTicksWanted = 5;
constexpr std::size_t kTicksMax = 8;         // of a logarithmic axis
constexpr std::size_t kSettingTicks = 12;    // axes with more values get round numbers
constexpr double kPaddingOfSettings = 0.04;  // of the range, on each side
constexpr double kPaddingOfLogarithms = 0.03;

struct TickUnit {
  double size = 1;
  const char* name = "";
};

// The largest unit that is at most `most`.
TickUnit tick_unit(const std::string& unit, double most) {
  TickUnit found;
  if (unit == "s") {
    found = {1e-9, " ns"};
    for (const TickUnit& each : {TickUnit{1e-6, " µs"}, TickUnit{1e-3, " ms"}, TickUnit{1, " s"}})
      if (most >= each.size * (1 - 1e-6)) found = each;
  } else if (unit == "B") {
    found = {1, " B"};
    for (const TickUnit& each :
         {TickUnit{0x1p10, " KiB"}, TickUnit{0x1p20, " MiB"}, TickUnit{0x1p30, " GiB"}})
      if (most >= each.size) found = each;
  }
  return found;
}

// `apart`: the distance to the next ticks, in the unit of the database; the text has enough digits to
// differ.
std::string tick_text(double value, const TickUnit& unit, double apart) {
  constexpr int kDigits = 6, kDigitsMax = 17;
  if (value == 0) return "0";
  const double scaled = value / unit.size;
  const int needed = static_cast<int>(std::ceil(std::log10(std::abs(value) / apart) - 1e-9)) + 1;
  const bool plain = std::abs(scaled) >= 1e-4 && std::abs(scaled) < 1e6;
  if (!plain && needed <= 3) return text_of_number(scaled) + unit.name;
  const int before = std::abs(scaled) < 1e9 ? static_cast<int>(std::log10(std::abs(scaled))) + 1 : 0;
  return fmt::format("{:.{}g}", scaled, std::clamp(std::max(needed, before), kDigits, kDigitsMax)) +
         unit.name;
}

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double times : {1, 2, 5})
    if (times * power >= least * (1 - 1e-9)) return times * power;
  return 10 * power;
}

// Ticks at multiples of a round number; both ends are moved outwards to one of them if `extend`.
void add_linear_ticks(PlotAxis& axis, const TickUnit& unit, bool extend) {
  const double step = round_step((axis.high - axis.low) / unit.size / kTicksWanted) * unit.size;
  const double first = extend ? std::floor(axis.low / step + 1e-9) : std::ceil(axis.low / step - 1e-9);
  const double last = extend ? std::ceil(axis.high / step - 1e-9) : std::floor(axis.high / step + 1e-9);
  if (extend) {
    axis.low = first * step;
    axis.high = last * step;
  }
  for (int i = 0; i <= std::min(last - first, 4 * kTicksWanted); ++i) {
    const double at = (first + i) * step;
    axis.ticks.push_back({at, tick_text(at, unit, step)});
  }
}

// Ticks at powers of `base`, with 2 and 5 times a power of ten if these alone would be too few.
void add_logarithmic_ticks(PlotAxis& axis, const std::string& unit, int base) {
  const double first = std::floor(std::log(axis.low) / std::log(base) - 1e-9);
  const double last = std::ceil(std::log(axis.high) / std::log(base) + 1e-9);
  std::vector<double> powers, all;
  const auto add = [&](std::vector<double>& to, double at) {
    if (axis.share(at) >= -1e-9 && axis.share(at) <= 1 + 1e-9) to.push_back(at);
  };
  for (double exponent = first; exponent <= last && std::isfinite(exponent); ++exponent) {
    const double power = std::pow(base, exponent);
    add(powers, power);
    for (const double times : {1, 2, 5}) add(all, times * power);
  }
  std::vector<double>& chosen = powers.size() < 3 && base == 10 ? all : powers;
  const std::size_t each = (chosen.size() + kTicksMax - 1) / kTicksMax;
  for (std::size_t at = 0; at < chosen.size(); at += each)
    axis.ticks.push_back({chosen[at], tick_text(chosen[at], tick_unit(unit, chosen[at]), chosen[at])});
  if (axis.ticks.size() >= 2) return;
  axis.ticks.clear();
  add_linear_ticks(axis, tick_unit(unit, axis.high), false);
}

void widen(PlotAxis& axis) {
  if (axis.low < axis.high) return;
  if (axis.logarithmic) {
    axis.low /= 2;
    axis.high *= 2;
  } else if (axis.high > 0) {
    axis.low = 0;
  } else if (axis.low < 0) {
    axis.high = 0;
  } else {
    axis.high = 1;
  }
}

// Moves both ends outwards by this share of the range; they stay finite, and above 0 on a logarithmic axis.
void pad(PlotAxis& axis, double share) {
  constexpr double kLow = std::numeric_limits<double>::denorm_min(),
                   kHigh = std::numeric_limits<double>::max() / 8;
  if (axis.logarithmic) {
    const double times = std::exp(share * (std::log(axis.high) - std::log(axis.low)));
    axis.low = std::max(axis.low / times, kLow);
    axis.high = std::min(axis.high * times, kHigh);
  } else {
    const double more = (axis.high - axis.low) * share;
    axis.low -= more;
    axis.high += more;
  }
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return value > 0 && std::frexp(value, &exponent) == 0.5;
}

}  // namespace

double PlotAxis::share(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  if (!(value > 0)) return -10;
  // The logarithms of close numbers may be equal; the ratio of distant ones may overflow.
  const double range = high / low;
  if (std::isfinite(range)) return std::log(value / low) / std::log(range);
  return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
}

PlotAxis value_axis(const std::string& unit, const Interval& values, bool logarithmic) {
  PlotAxis axis{.logarithmic = logarithmic, .low = values.low, .high = values.high};
  if (!logarithmic && axis.low > 0 && axis.low < axis.high / 2) axis.low = 0;
  if (!logarithmic && axis.high < 0 && axis.high > axis.low / 2) axis.high = 0;
  widen(axis);
  if (logarithmic) {
    pad(axis, kPaddingOfLogarithms);
    add_logarithmic_ticks(axis, unit, unit == "B" ? 2 : 10);
  } else {
    add_linear_ticks(axis, tick_unit(unit, std::max(-axis.low, axis.high)), true);
  }
  return axis;
}

PlotAxis setting_axis(const std::vector<double>& values, bool logarithmic) {
  PlotAxis axis{.logarithmic = logarithmic, .low = values.front(), .high = values.back()};
  widen(axis);
  pad(axis, kPaddingOfSettings);
  if (values.size() <= kSettingTicks) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      double apart = HUGE_VAL;
      if (i > 0) apart = values[i] - values[i - 1];
      if (i + 1 < values.size()) apart = std::min(apart, values[i + 1] - values[i]);
      axis.ticks.push_back({values[i], tick_text(values[i], {}, apart)});
    }
  } else if (logarithmic) {
    add_logarithmic_ticks(axis, "", std::ranges::all_of(values, is_power_of_two) ? 2 : 10);
  } else {
    add_linear_ticks(axis, {}, false);
  }
  return axis;
}

}  // namespace kernsweep
