#include "results/answer/roof_shares.hpp"

#include <algorithm>

#include "shared/base/try.hpp"

namespace kernsweep {

Result<SweepShares> shares_of_sweep(Reader& reader, const std::string& sweep,
                                    const std::vector<HostRoofs>& roofs, const std::string& dtype,
                                    char worst_grade) {
  SweepShares found;
  KS_ASSIGN_OR_RETURN(found.best, best(reader, {.sweep = sweep, .worst_grade = worst_grade}));
  for (const BestRow& row : found.best.rows)
    found.calls.push_back(call_of_result(reader, row.result, roofs, dtype));
  return found;
}

void note_above_roofs(BestAnswer& answer, Reader& reader, const std::vector<HostRoofs>& roofs) {
  answer.above_roofs.clear();
  if (roofs.empty()) return;
  for (const BestRow& row : answer.rows) {
    const auto share = share_of_result(reader, row.result, roofs, "");
    if (!share) continue;
    if (const auto above = above_roof(*share)) answer.above_roofs.push_back({row.result, *above});
  }
}

RooflinePoints roofline_points(const SweepShares& shares, const std::vector<HostRoofs>& roofs) {
  RooflinePoints found;
  for (const HostRoofs& each : roofs) found.hosts.push_back({&each, {}});
  for (std::size_t i = 0; i < shares.calls.size(); ++i) {
    const auto& call = shares.calls[i];
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
    host->points.push_back({.variant = shares.best.rows[i].variant.to_text(),
                            .dtype = call->call.dtype,
                            .intensity = call->call.flops / call->call.bytes,
                            .rate = call->call.flops / call->call.seconds / 1e9,
                            .disturbed = call->disturbed});
  }
  std::erase_if(found.hosts, [](const RooflineOfHost& each) { return each.points.empty(); });
  return found;
}

}  // namespace kernsweep
