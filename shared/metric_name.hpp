// Names of what variants count, as the table `metric` has them: "device_peak_bytes".
#pragma once

#include <algorithm>
#include <string_view>

namespace kernsweep {

inline bool is_metric_name(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, fits);
}

}  // namespace kernsweep
