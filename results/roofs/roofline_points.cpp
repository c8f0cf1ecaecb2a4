#include "results/roofs/roofline_points.hpp"

#include <algorithm>

namespace kernsweep {

RooflinePoints roofline_points(Reader& reader, const BestAnswer& shares,
                               const std::vector<HostRoofs>& roofs, const std::string& dtype) {
  RooflinePoints found;
  for (const HostRoofs& each : roofs) found.hosts.push_back({&each, {}});
  const auto& columns = shares.rows.columns;
  // Columns of the user stand before ours.
  const auto result = std::ranges::find(columns.rbegin(), columns.rend(), "result");
  const auto variant = std::ranges::find(columns, "variant");
  if (result == columns.rend()) return found;
  for (const auto& row : shares.rows.rows) {
    const auto number = row[static_cast<std::size_t>(columns.rend() - result) - 1].number().value_or(0);
    const auto call = call_of_result(reader, static_cast<std::uint64_t>(number), roofs, dtype);
    if (!call) {
      ++found.without_roofs;
      continue;
    }
    if (!(call->call.flops > 0) || !(call->call.bytes > 0)) {
      ++found.without_work;
      continue;
    }
    const auto host = std::ranges::find_if(
        found.hosts, [&](const RooflineOfHost& each) { return &each.roofs->roofs == call->roofs; });
    const auto at = static_cast<std::size_t>(variant - columns.begin());
    host->points.push_back({.variant = at < row.size() ? row[at].to_text() : "",
                            .dtype = call->call.dtype,
                            .intensity = call->call.flops / call->call.bytes,
                            .rate = call->call.flops / call->call.seconds / 1e9,
                            .disturbed = call->disturbed});
  }
  std::erase_if(found.hosts, [](const RooflineOfHost& each) { return each.points.empty(); });
  return found;
}

}  // namespace kernsweep
