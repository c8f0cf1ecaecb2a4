// Units that programs print: "ms", "MB/s", "GFLOP/s", "tokens/s".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kernsweep {

struct UnitScale {
  std::string base;         // "s", "B", "bit", "flop", "op", ""; for other words the word
  double factor = 1;        // how many of the base one of the unit is
  bool per_second = false;  // a rate

  bool is_time() const { return base == "s" && !per_second; }
};

// A unit of time, bytes, bits or operations, or one of these per second, with its prefix (k, M, G, T, Ki,
// Mi, Gi). Nothing: the unit is unknown.
std::optional<UnitScale> known_unit(std::string_view unit);
// As known_unit(), but also accepts any other word per second ("tokens/s"), which becomes the base.
std::optional<UnitScale> unit_scale(std::string_view unit);

// "ns, us, ms, s, min, h" for messages.
inline constexpr const char* kTimeUnits = "ns, us, ms, s, min, h";

}  // namespace kernsweep
