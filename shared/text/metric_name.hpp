// Names of metrics as in the table `metric`: "device_peak_bytes"; and whether a larger or a smaller value
// of a metric is better.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace kernsweep {

inline bool is_metric_name(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, fits);
}

// The values are those of wire::Metric.better and of ks_better.
enum class Better : std::uint8_t { unknown = 0, larger = 1, smaller = 2 };

// "larger", "smaller"; empty: not known.
constexpr std::string_view name_of(Better better) {
  return better == Better::larger ? "larger" : better == Better::smaller ? "smaller" : "";
}

inline Better better_named(std::string_view name) {
  return name == "larger" ? Better::larger : name == "smaller" ? Better::smaller : Better::unknown;
}

// For a metric whose variant does not declare it: follows from the unit at the end of the name. Larger
// rates are better; smaller times, amounts of memory and energies are better. Else unknown.
inline Better better_by_name(std::string_view name) {
  const auto ends_in = [&](std::string_view unit) {
    return name == unit || (name.ends_with(unit) && name[name.size() - unit.size() - 1] == '_');
  };
  for (const std::string_view rate : {"per_second", "per_s", "gflops", "tflops", "gbps"})
    if (ends_in(rate)) return Better::larger;
  for (const std::string_view amount : {"s", "ms", "us", "ns", "second", "seconds", "bytes", "j", "joules"})
    if (ends_in(amount)) return Better::smaller;
  return Better::unknown;
}

// Whether numbers of that name are seconds: "prepare_s", not "items_per_s".
inline bool is_in_seconds(std::string_view name) {
  return name.size() > 2 && name.ends_with("_s") && !name.ends_with("_per_s");
}

// One value of a metric, as it is sent to the coordinator.
struct CountedMetric {
  std::string name;
  double value = 0;
  Better better = Better::unknown;  // as the variant declares it; unknown: follows from the name
  std::string unit;                 // empty: follows from the name

  friend bool operator==(const CountedMetric&, const CountedMetric&) = default;
};

// Longest unit, in bytes; a longer one is ignored.
inline constexpr std::size_t kMetricUnitMax = 15;

}  // namespace kernsweep
