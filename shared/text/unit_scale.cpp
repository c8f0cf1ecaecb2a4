#include "shared/text/unit_scale.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace kernsweep {
namespace {

struct Named {
  std::string_view name;
  double factor;
};

constexpr std::array kTimes = {Named{"ns", 1e-9},
                               Named{"nsec", 1e-9},
                               Named{"us", 1e-6},
                               Named{"usec", 1e-6},
                               Named{"µs", 1e-6},
                               Named{"μs", 1e-6},
                               Named{"ms", 1e-3},
                               Named{"msec", 1e-3},
                               Named{"s", 1},
                               Named{"sec", 1},
                               Named{"secs", 1},
                               Named{"second", 1},
                               Named{"seconds", 1},
                               Named{"nanoseconds", 1e-9},
                               Named{"microseconds", 1e-6},
                               Named{"milliseconds", 1e-3},
                               Named{"min", 60},
                               Named{"minutes", 60},
                               Named{"h", 3600},
                               Named{"hours", 3600}};

constexpr std::array kPrefixes = {
    Named{"Ki", 1024.0}, Named{"Mi", 1048576.0}, Named{"Gi", 1073741824.0}, Named{"Ti", 1099511627776.0},
    Named{"k", 1e3},     Named{"K", 1e3},        Named{"M", 1e6},           Named{"G", 1e9},
    Named{"T", 1e12}};

// A quantity, and the words for it.
struct Counted {
  std::string_view word, base;
};
constexpr std::array kCounted = {Counted{"B", "B"},       Counted{"b", "bit"},      Counted{"byte", "B"},
                                 Counted{"bytes", "B"},   Counted{"bit", "bit"},    Counted{"bits", "bit"},
                                 Counted{"flop", "flop"}, Counted{"flops", "flop"}, Counted{"op", "op"},
                                 Counted{"ops", "op"},    Counted{"", ""}};

std::string in_small_letters(std::string_view word) {
  std::string out(word);
  if (out.size() > 1)  // B is a byte, b a bit
    for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::optional<UnitScale> amount_of(std::string_view text) {
  const auto of = [](std::string_view word, double factor) -> std::optional<UnitScale> {
    const auto found = std::ranges::find(kCounted, in_small_letters(word), &Counted::word);
    if (found == kCounted.end()) return std::nullopt;
    return UnitScale{std::string(found->base), factor, false};
  };
  if (!text.empty())
    if (auto plain = of(text, 1)) return plain;
  for (const Named& prefix : kPrefixes)
    if (text.starts_with(prefix.name))
      if (auto scaled = of(text.substr(prefix.name.size()), prefix.factor)) return scaled;
  return std::nullopt;
}

// Nothing: not a rate. "MFLOPS" is a rate without a slash.
std::optional<std::string_view> amount_a_second(std::string_view unit) {
  for (const std::string_view end : {"/s", "/sec", "/second", " per second", "ps"})
    if (unit.size() > end.size() && unit.ends_with(end)) {
      const std::string_view amount = unit.substr(0, unit.size() - end.size());
      if (end == "ps" && !(amount.ends_with('B') || amount.ends_with('b'))) continue;  // MBps, Gbps
      return amount;
    }
  if (unit.ends_with("FLOPS")) return unit.substr(0, unit.size() - 1);
  return std::nullopt;
}

}  // namespace

std::optional<UnitScale> known_unit(std::string_view unit) {
  if (const auto time = std::ranges::find(kTimes, unit, &Named::name); time != kTimes.end())
    return UnitScale{"s", time->factor, false};
  const auto amount = amount_a_second(unit);
  auto out = amount_of(amount.value_or(unit));
  if (out) out->per_second = amount.has_value();
  return out;
}

std::optional<UnitScale> unit_scale(std::string_view unit) {
  if (auto known = known_unit(unit)) return known;
  const auto amount = amount_a_second(unit);
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  if (!amount || !std::ranges::all_of(*amount, is_letter)) return std::nullopt;
  return UnitScale{std::string(*amount), 1, true};
}

}  // namespace kernsweep
