// How often and for how long a small sweep is measured if its file does not set it.
//
// The differences between processes decide which point is faster, so a sweep of few points has many
// processes, and short ones if it runs a program.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "language/plan/builder.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/printed_values.hpp"

namespace kernsweep {

namespace {

constexpr std::uint64_t kFewPoints = 8;
constexpr std::uint64_t kPointsLookedAt =
    4096;  // before filters; a larger sweep has more than a few points
constexpr std::uint32_t kBlocksOfFew = 12, kBlocks = 3;
// The numbers of processes: at first, and at most. The test of blocks can decide from 10 on
// (shared/stats/contest.hpp).
constexpr std::uint32_t kFirstOfFew = 10, kProcessesMost = 20;
constexpr std::uint64_t kFewRows = 256;  // points that share so few runs

// The values of a point that decide what is run: points of other rows share the runs.
std::string run_of(const Sweep& sweep, const std::vector<Value>& values) {
  std::string out;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const Column& column = sweep.columns[c];
    if (column.origin == Column::Origin::derived || column.name == sweep.rows_by ||
        column.name == kMetricsRowColumn)
      continue;
    values[c].append_canonical(out);
    out += '\n';
  }
  return out;
}

}  // namespace

// A replay measures one point by the rules of its whole sweep.
bool PlanBuilder::has_few_points() const {
  Plan& plan = *plan_;
  const auto only_one = std::exchange(plan.one_point, std::nullopt);
  const std::uint64_t raw = plan.raw_points();
  const bool share_runs = !plan.sweep.rows_by.empty();
  std::set<std::string> runs;  // of points that share them
  std::uint64_t kept = 0;
  bool are_few = raw <= kPointsLookedAt;
  std::vector<Value> values;
  for (std::uint64_t position = 0; are_few && position < raw; ++position) {
    plan.point_at(position, values);
    const bool is_kept = std::ranges::none_of(plan.rules, [&](const FilterRule& rule) {
      return plan.rejected_by(rule, position, values).has_value();
    });
    kept += is_kept;
    if (is_kept && share_runs) runs.insert(run_of(plan.sweep, values));
    are_few = share_runs ? kept <= kFewRows && runs.size() <= kFewPoints : kept <= kFewPoints;
  }
  plan.one_point = only_one;
  return are_few;
}

Status PlanBuilder::choose_processes(bool few) {
  Sweep& sweep = plan_->sweep;
  const auto [least, most] = sweep.process_bounds;
  if (most > 0 && least > most)
    return failure(fmt::format("{}: measure.processes.min ({}) is above measure.processes.max ({})",
                               file_text(sweep), least, most));
  const bool fixed = least > 0 && least == most;
  const bool by_default = few && replacements_.decide_small && sweep.order != Order::sequential;
  const bool asked_to = replacements_.decide && !replacements_.quick;
  const bool decides = asked_to || (least + most > 0 ? !fixed : by_default);
  const std::uint32_t first = !few ? kBlocks : decides ? kFirstOfFew : kBlocksOfFew;
  sweep.processes_least = least > 0 ? least : most > 0 ? std::min(first, most) : first;
  sweep.processes = sweep.processes_least;
  if (decides)
    sweep.processes = most > 0 && !fixed ? most : std::max(kProcessesMost, sweep.processes_least);
  // Where a disturbance leaves a comparison open, further blocks decide more per second than a retry.
  if (kernsweep::decides(sweep) && !document_.retry_given) sweep.rules.retry.on_throttled = false;
  if (kernsweep::decides(sweep) && sweep.order == Order::sequential)
    return failure(
        fmt::format("{}: with measure.order: sequential all processes of a point follow each other, so no "
                    "number of them can be decided by what was measured; use order: shuffle or interleave, "
                    "or give one number of processes",
                    file_text(sweep)));
  return Done{};
}

Status PlanBuilder::choose_blocks() {
  Sweep& sweep = plan_->sweep;
  const bool few = replacements_.small_sweeps && has_few_points();
  MeasureRules& measure = sweep.rules.measure;
  // Jobs that may run next to each other are sent together, so no block can be left out.
  sweep.ends_by_point_time = few && sweep.process_bounds.least == 0 && sweep.order != Order::sequential &&
                             sweep.hosts == Hosts::any && measure.alone_on == Exclusion::host;
  KS_RETURN_IF_ERROR(choose_processes(few));
  // A program that measures its own time has warmed up, and one run is enough for a process.
  if (document_.times_itself && !document_.sampling_given) {
    measure.warmup = {0, 0ms, 0ms};
    measure.samples.min = 1;
    measure.samples.min_time = measure.samples.max_time = 100ms;
    return Done{};
  }
  if (!few || replacements_.quick || sweep.kind == KernelKind::family || document_.sampling_given ||
      measure.metric == Metric::latency)
    return Done{};
  measure.warmup = {1, 20ms, 100ms};
  measure.samples.min = 1;
  // Fewer processes take as long together as the usual ones.
  const std::uint32_t processes = std::clamp(sweep.processes_least, 1U, kFirstOfFew);
  measure.samples.min_time = measure.samples.max_time = kFirstOfFew * 100ms / processes;
  return Done{};
}

}  // namespace kernsweep
