#include "results/answer/claims/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/answer/claims/claim_judges.hpp"
#include "results/answer/claims/claim_number.hpp"
#include "results/answer/claims/claim_spread.hpp"
#include "results/answer/claims/claim_standing.hpp"
#include "results/answer/claims/claim_view.hpp"
#include "results/answer/contests.hpp"
#include "results/answer/outputs.hpp"
#include "results/answer/pairs.hpp"
#include "results/read/sweep_rows.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

// One side of a claim as pair_points takes it, with the logarithms of numbers in place of times, and which
// of our points its points are.
struct ClaimSide {
  SideRows rows;             // its times are logarithms
  std::vector<double> lows;  // WayTimes::lows of each
  std::vector<std::uint32_t> points;
};

class Judge {
 public:
  Judge(Reader& reader, const StoredSweep& sweep, const ClaimRows& rows, const ClaimsQuestion& question)
      : reader_(reader), sweep_(sweep), rows_(rows), question_(question), words_(identity_names(rows)) {
    for (std::size_t c = 0; c < rows.names.size(); ++c)
      if (!rows.derived[c]) columns_.push_back(c);
    for (std::size_t i = 0; i < columns_.size(); ++i) words_.values[i] = rows.values[columns_[i]];
    number_spots();
  }

  Result<JudgedClaim> judged(const ClaimTask& task) const {
    JudgedClaim out;
    out.claim = task.claim;
    ClaimView view(rows_, task, question_.worst_grade);
    out.reason = view.trouble();
    if (!out.reason.empty()) return out;
    if (out.claim.kind == ClaimKind::less_memory && view.all_counted()) out.claim.counted = kDevicePeak;
    Status done = Done{};
    switch (task.claim.kind) {
      case ClaimKind::faster:
      case ClaimKind::less_memory:
        done = judge_pairs(view, out);
        break;
      case ClaimKind::at_least:
      case ClaimKind::at_most:
        done = judge_levels(view, out);
        break;
      case ClaimKind::error_below:
        judge_errors(rows_, view, out);
        break;
      case ClaimKind::equal_bits:
        judge_bits(rows_, view, out);
        break;
      case ClaimKind::limited_by:
      case ClaimKind::ends_as:
        judge_words(rows_, view, out);
        break;
    }
    KS_RETURN_IF_ERROR(done);
    if (out.pairs == 0 && out.reason.empty()) out.reason = why_nothing(view, out);
    count_missing(task, view, out);
    if (out.verdict == ClaimVerdict::confirmed) out.missing = what_is_missing(task, out);
    if (!out.missing.empty()) out.verdict = ClaimVerdict::undecided;
    return out;
  }

 private:
  static std::vector<std::string> identity_names(const ClaimRows& rows) {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < rows.names.size(); ++c)
      if (!rows.derived[c]) names.push_back(rows.names[c]);
    return names;
  }

  // Numbers for the points that differ in more than the host: what one host lacks another may have.
  void number_spots() {
    const std::size_t width = rows_.names.size() + 1;
    std::vector<std::uint32_t> keys;
    for (std::size_t p = 0; p < rows_.points.size(); ++p) {
      for (std::size_t c = 0; c + 1 < width; ++c) keys.push_back(rows_.code(p, c));
      keys.push_back(rows_.points[p].cache);
    }
    RowNumbers numbers(width, width);
    for (std::size_t p = 0; p < rows_.points.size(); ++p)
      spot_of_.push_back(numbers.number(&keys[p * width]));
    spots_ = numbers.size();
  }

  // Whether the job has what the claim is judged by.
  bool is_evidence(const ClaimJob& job, const Claim& claim) const {
    if (claim.kind == ClaimKind::ends_as) return true;
    if (claim.kind == ClaimKind::error_below) return job.wrong || (job.ok && !std::isnan(job.error));
    const bool counts = job.disturbed && claim.kind == ClaimKind::faster;
    if (!job.ok || (job.grade > question_.worst_grade && !counts)) return false;
    if (claim.kind == ClaimKind::limited_by) return !job.bound.empty();
    return claim.kind == ClaimKind::equal_bits ? job.hash != 0 : is_usable(number_of(job, claim));
  }

  void count_missing(const ClaimTask& task, const ClaimView& view, JudgedClaim& out) const {
    enum Has : char { kNothing = 1, kDoubtful, kEvidence };
    std::vector<char> spots(spots_, 0);
    for (const ClaimJob& job : rows_.jobs) {
      if (!view.is_first(job.point) && !view.is_second(job.point)) continue;
      const bool doubtful = job.ok && job.grade > question_.worst_grade;
      char& known = spots[spot_of_[job.point]];
      known = std::max<char>(known, is_evidence(job, out.claim) ? kEvidence
                                    : doubtful                  ? kDoubtful
                                                                : kNothing);
    }
    const auto count = [&](char has) { return static_cast<std::uint64_t>(std::ranges::count(spots, has)); };
    out.points = spots.size() - count(0);
    out.lost = count(kDoubtful);
    out.no_result = count(kNothing);
    if (!task.points || *task.points <= out.points) return;
    out.unmeasured = *task.points - out.points;
    out.no_result += out.unmeasured;
    out.points = *task.points;
  }

  // Bits and errors do not depend on how busy the machine was: for them no point is lost to its grade.
  std::string what_is_missing(const ClaimTask& task, const JudgedClaim& out) const {
    const auto counted = [](std::uint64_t part, std::uint64_t whole, const char* what, const char* one,
                            const char* many) {
      return fmt::format("{} of {} {} {}", text_of_count(part), text_of_count(whole), what,
                         part == 1 ? one : many);
    };
    std::vector<std::string> parts;
    if (out.no_result > 0)
      parts.push_back(counted(out.no_result, out.points, "points", "has no result", "have no result"));
    if (out.failed > 0) parts.push_back(counted(out.failed, out.jobs, "jobs", "failed", "failed"));
    if (out.without > 0)
      parts.push_back(counted(out.without, out.jobs, "jobs", "has", "have") +
                      lack_of_jobs(out.claim, true));
    if (task.unfinished && !task.points) parts.emplace_back("the sweep has not ended");
    const bool of_times =
        task.claim.kind != ClaimKind::equal_bits && task.claim.kind != ClaimKind::error_below;
    if (out.lost > 0 && of_times)
      parts.push_back(fmt::format("of {} {} every row is graded below {}", text_of_count(out.lost),
                                  out.lost == 1 ? "point" : "points", question_.worst_grade));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  // How much the processes of all points differ in the metric of the claim.
  Result<ClaimSpread> spread_for(const Claim& claim) const {
    const auto number = [&](const ClaimJob& job) {
      return is_evidence(job, claim) && !job.disturbed ? number_of(job, claim) : kUnknown;
    };
    return ClaimSpread::make(reader_, sweep_, rows_, number, metric_of(claim) == ClaimMetric::median_s);
  }

  // The jobs of each point that have the metric, those of one point together.
  std::vector<std::vector<const ClaimJob*>> measured(const ClaimView& view, JudgedClaim& out) const {
    std::vector<std::vector<const ClaimJob*>> of_point(rows_.points.size());
    for (const ClaimJob& job : rows_.jobs) {
      if (!view.counts(job, out)) continue;
      const double number = job.metric(metric_of(out.claim));
      if (!is_usable(number) && !(zero_counts(out.claim) && number == 0)) ++out.without;
      if (is_usable(number_of(job, out.claim))) of_point[job.point].push_back(&job);
    }
    return of_point;
  }

  // Axes that the claim names do not tell points apart here: all get one code.
  void add_point(std::uint32_t point, const std::vector<const ClaimJob*>& jobs, const ClaimView& view,
                 ClaimSide& side, ClaimMetric metric) const {
    SideRows& rows = side.rows;
    rows.width = columns_.size();
    for (const std::size_t column : columns_)
      rows.codes.push_back(view.is_named(column) && !is_axis(column, view) ? 0 : rows_.code(point, column));
    const ClaimPoint& place = rows_.points[point];
    SidePoint made{.cache = place.cache, .host = place.host, .result = jobs.front()->result};
    made.software_class = static_cast<std::uint32_t>(place.software);
    made.spot = place.spot;
    made.times_begin = static_cast<std::uint32_t>(rows.times.size());
    for (const ClaimJob* job : jobs) {
      rows.times.push_back(std::log(job->metric(metric)));
      rows.blocks.push_back(job->process);
      side.lows.push_back(rows.times.back() - (metric == ClaimMetric::median_s ? job->cost : 0));
    }
    made.times_end = static_cast<std::uint32_t>(rows.times.size());
    rows.points.push_back(made);
    side.points.push_back(point);
  }

  // pair_points knows of one axis; it is the first that the claim names.
  bool is_axis(std::size_t column, const ClaimView& view) const {
    if (view.names_place("cache")) return false;
    for (const std::size_t c : columns_)
      if (view.is_named(c)) return c == column;
    return false;
  }
  std::string axis_of(const ClaimView& view) const {
    if (view.names_place("cache")) return "cache";
    for (const std::size_t c : columns_)
      if (view.is_named(c)) return rows_.names[c];
    return "";
  }

  Status judge_pairs(ClaimView& view, JudgedClaim& out) const {
    const auto of_point = measured(view, out);
    ClaimSide first, second;
    const ClaimMetric metric = metric_of(out.claim);
    for (std::uint32_t p = 0; p < of_point.size(); ++p) {
      if (of_point[p].empty()) continue;
      if (view.is_first(p)) add_point(p, of_point[p], view, first, metric);
      if (view.is_second(p)) add_point(p, of_point[p], view, second, metric);
    }
    if (first.points.empty() || second.points.empty()) return Done{};
    KS_ASSIGN_OR_RETURN(const auto pairing, pair_points(words_, first.rows, second.rows, axis_of(view)));
    out.alone = pairing.alone_a + pairing.alone_b;
    out.pairs = pairing.pairs.size();
    if (out.pairs == 0) {
      const auto never = never_equal(words_, first.rows, second.rows, pairing);
      out.reason = "no point has a partner on the other side that agrees in all else";
      if (!never.empty()) out.reason += fmt::format(": no value of {} is on both", fmt::join(never, ", "));
      return Done{};
    }
    KS_ASSIGN_OR_RETURN(const auto spread, spread_for(out.claim));
    std::vector<ClaimPair> pairs;
    const auto way = [&](const ClaimSide& side, std::uint32_t point) {
      const SidePoint& place = side.rows.points[point];
      WayTimes made = spread.way(side.rows.times_of(place), side.points[point]);
      made.lows = std::span(side.lows).subspan(place.times_begin, made.logs.size());
      made.blocks = side.rows.blocks_of(place);
      return made;
    };
    for (const PointPair& pair : pairing.pairs) {
      pairs.push_back({way(first, pair.a), way(second, pair.b), pair.a, pair.b});
      view.meet(first.points[pair.a], second.points[pair.b]);
    }
    EvidenceRules rules = question_.rules;
    rules.hidden_groups = metric == ClaimMetric::median_s;
    out.evidence = weigh_pairs(pairs, out.claim.by, spread.spread(), rules);
    const auto describe = [&](std::size_t i) {
      const PointPair& pair = pairing.pairs[i];
      return Disagreement{view.words(first.points[pair.a], second.points[pair.b]),
                          1,
                          {},
                          first.rows.points[pair.a].result,
                          second.rows.points[pair.b].result};
    };
    take_evidence(out, describe);
    return add_outputs(view, first, second, pairing, out);
  }

  Status add_outputs(const ClaimView& view, const ClaimSide& first, const ClaimSide& second,
                     const Pairing& pairing, JudgedClaim& out) const {
    std::vector<std::string> axes;
    for (std::size_t c = 0; c < rows_.names.size(); ++c)
      if (view.is_named(c)) axes.push_back(rows_.names[c]);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> results;
    for (const PointPair& pair : pairing.pairs)
      results.emplace_back(first.rows.points[pair.a].result, second.rows.points[pair.b].result);
    KS_ASSIGN_OR_RETURN(auto outputs, compare_pair_outputs(reader_, sweep_, axes, results));
    out.outputs = std::move(outputs);
    return Done{};
  }

  Status judge_levels(ClaimView& view, JudgedClaim& out) const {
    const auto of_point = measured(view, out);
    const bool least = out.claim.kind == ClaimKind::at_least;
    std::vector<std::uint32_t> points;
    std::vector<std::vector<double>> levels;
    for (std::uint32_t p = 0; p < of_point.size(); ++p) {
      if (of_point[p].empty() || !view.is_first(p)) continue;
      points.push_back(p);
      levels.emplace_back();
      for (const ClaimJob* job : of_point[p]) {
        const double number = number_of(*job, out.claim);
        levels.back().push_back(std::log(least ? number / out.claim.bound : out.claim.bound / number));
      }
      view.meet(p, p);
    }
    out.pairs = points.size();
    if (points.empty()) return Done{};
    KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader_, sweep_));
    for (const std::uint32_t p : points)
      if (const std::uint64_t result = of_point[p].front()->result; outputs.warns_of(result))
        out.other_outputs.push_back(result);
    KS_ASSIGN_OR_RETURN(const auto spread, spread_for(out.claim));
    std::vector<WayTimes> ways;
    for (std::size_t i = 0; i < points.size(); ++i) ways.push_back(spread.way(levels[i], points[i]));
    out.evidence = weigh_levels(ways, spread.spread(), question_.rules);
    const auto metric = [&](double level) {
      const double number = least ? level * out.claim.bound : out.claim.bound / level;
      const double share = number / nothing_of(out.claim);
      return zero_counts(out.claim) && std::abs(share - 1) < 1e-9 ? 0 : number;
    };
    const auto describe = [&](std::size_t i) {
      return Disagreement{view.words(points[i], points[i]), 1, {}, of_point[points[i]].front()->result, 0};
    };
    take_evidence(out, describe);
    for (Disagreement& each : out.disagreements) {
      each.number = metric(each.number);
      each.bounds = {metric(each.bounds.low), metric(each.bounds.high)};
      if (!least) std::swap(each.bounds.low, each.bounds.high);
    }
    out.lowest = metric(least ? out.evidence.lowest : out.evidence.highest);
    out.highest = metric(least ? out.evidence.highest : out.evidence.lowest);
    return Done{};
  }

  std::string why_nothing(const ClaimView& view, const JudgedClaim& out) const {
    const auto on = [&](bool first) {
      for (const ClaimJob& job : rows_.jobs)
        if (first ? view.is_first(job.point) : view.is_second(job.point)) return true;
      return false;
    };
    const std::string where = out.claim.where.empty() ? "" : ", where " + out.claim.where;
    for (const bool first : {true, false}) {
      const auto& side = first ? out.claim.side : out.claim.than;
      if ((!first && side.empty()) || on(first)) continue;
      if (side.empty() || out.claim.kind == ClaimKind::equal_bits) return "no point was measured" + where;
      return fmt::format("no measured point has {}{}", text_of(side), where);
    }
    if (out.claim.kind == ClaimKind::equal_bits && out.other_inputs > 0)
      return fmt::format(
          "changing {} changes the inputs too, in all of {}: that is another problem, with other bits",
          text_of(out.claim.side), kernsweep::counted(out.other_inputs, "pair", "pairs"));
    if (out.claim.kind == ClaimKind::equal_bits && out.not_repeatable > 0 &&
        out.failed + out.graded_below + out.without == 0)
      return fmt::format(
          "no pair is left: the bits of {} change from run to run or from process to process",
          kernsweep::counted(out.not_repeatable, "point", "points"));
    if (out.failed + out.graded_below + out.without > 0)
      return fmt::format("of {} {} failed, {} graded below {}, {}{}",
                         kernsweep::counted(out.jobs, "job", "jobs"), text_of_count(out.failed),
                         kernsweep::counted(out.graded_below, "is", "are"), question_.worst_grade,
                         kernsweep::counted(out.without, "has", "have"),
                         lack_of_jobs(out.claim, out.without > 0));
    return fmt::format("no two points differ in {} alone", text_of(out.claim.side));
  }

  Reader& reader_;
  const StoredSweep& sweep_;
  const ClaimRows& rows_;
  const ClaimsQuestion& question_;
  SideWords words_;
  std::vector<std::size_t> columns_;    // parameters
  std::vector<std::uint32_t> spot_of_;  // of each point
  std::size_t spots_ = 0;
};

}  // namespace

Result<ClaimsAnswer> judge(Reader& reader, const std::vector<ClaimTask>& tasks,
                           const ClaimsQuestion& question) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(question.sweep));
  KS_ASSIGN_OR_RETURN(auto rows, read_claim_rows(reader, sweep));
  ClaimsAnswer answer{.sweep = sweep.record.name, .file = sweep.record.file, .id = sweep.id, .claims = {}};
  answer.implausible = rows.implausible;
  ClaimsQuestion asked = question;
  asked.rules = rules_for(sweep.record, asked.rules);
  const Judge judge(reader, sweep, rows, asked);
  for (const ClaimTask& task : tasks) {
    KS_RETURN_IF_ERROR(task.claim.kind == ClaimKind::limited_by
                           ? add_bounds(reader, {rows, task, question.worst_grade}, rows)
                           : read_counted(reader, task.claim, rows));
    KS_ASSIGN_OR_RETURN(auto judged, judge.judged(task));
    (judged.verdict == ClaimVerdict::confirmed ? answer.confirmed
     : judged.verdict == ClaimVerdict::refuted ? answer.refuted
                                               : answer.undecided) += 1;
    answer.claims.push_back(std::move(judged));
  }
  return answer;
}

}  // namespace kernsweep
