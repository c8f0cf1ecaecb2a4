#include "results/answer/claims/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "results/answer/best/best_evidence.hpp"
#include "results/answer/best/best_metric.hpp"
#include "results/answer/best/chosen_rows.hpp"
#include "results/answer/claims/claim_judges.hpp"
#include "results/answer/claims/claim_number.hpp"
#include "results/answer/claims/claim_view.hpp"
#include "results/answer/compare/pairs.hpp"
#include "results/answer/contests.hpp"
#include "results/answer/outputs/outputs.hpp"
#include "results/read/sweep_rows.hpp"
#include "results/roofs/implausible.hpp"
#include "results/roofs/roof_rows.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

// One side of a claim as pair_points takes it, and which of the candidates its points are.
struct ClaimSide {
  SideRows rows;
  std::vector<std::uint32_t> candidates;
};

// The points that have the number of a claim, on its sides or not, and what their processes show.
struct MeasuredPoints {
  std::vector<Candidate> candidates;
  BestEvidence evidence;
};

class Judge {
 public:
  static Result<Judge> make(Reader& reader, const StoredSweep& sweep, const ClaimsQuestion& question) {
    Judge judge(reader, sweep, question);
    KS_ASSIGN_OR_RETURN(auto columns, reader.columns(sweep.id));
    judge.columns_ = variant_first(std::move(columns));
    KS_ASSIGN_OR_RETURN(judge.disturbed_, read_disturbed(reader, sweep.id));
    return judge;
  }

  // All jobs, with the number that a claim is about as `extra`: as ClaimNumber::stored says it.
  Result<const SweepRows*> rows_with(const std::string& stored) {
    const auto known = rows_.find(stored);
    if (known != rows_.end()) return &known->second;
    KS_ASSIGN_OR_RETURN(auto rows, read_graded_rows(reader_, sweep_, columns_, stored, KeptJobs::all));
    return &rows_.emplace(stored, std::move(rows)).first->second;
  }

  Result<JudgedClaim> judged(const ClaimTask& task) {
    JudgedClaim out;
    out.claim = task.claim;
    if (task.claim.kind == ClaimKind::less_memory) {
      out.claim.metric = kDevicePeak;
      KS_ASSIGN_OR_RETURN(const auto* const rows, rows_with(ClaimNumber(out.claim).stored()));
      const ClaimView view(*rows, disturbed_, task, question_.worst_grade);
      if (!view.all_have_numbers()) out.claim.metric = name_of(BestMetric::peak_memory_bytes);
    }
    const ClaimNumber number(out.claim);
    KS_ASSIGN_OR_RETURN(out.unit, unit_in(reader_, number.metric()));
    KS_ASSIGN_OR_RETURN(const auto* const rows, rows_with(number.stored()));
    ClaimView view(*rows, disturbed_, task, question_.worst_grade);
    out.reason = view.trouble();
    if (!out.reason.empty()) return out;
    KS_RETURN_IF_ERROR(judge_by_kind(view, number, out));
    if (out.pairs == 0 && out.reason.empty()) out.reason = why_nothing(view, number, out);
    count_missing(task, view, number, out);
    if (out.verdict == ClaimVerdict::confirmed) out.missing = what_is_missing(task, number, out);
    if (!out.missing.empty()) out.verdict = ClaimVerdict::undecided;
    return out;
  }

 private:
  Judge(Reader& reader, const StoredSweep& sweep, const ClaimsQuestion& question)
      : reader_(reader), sweep_(sweep), question_(question) {}

  Status judge_by_kind(ClaimView& view, const ClaimNumber& number, JudgedClaim& out) {
    switch (out.claim.kind) {
      case ClaimKind::faster:
      case ClaimKind::less_memory:
        return judge_pairs(view, number, out);
      case ClaimKind::at_least:
      case ClaimKind::at_most:
        return judge_levels(view, number, out);
      case ClaimKind::error_below:
        judge_errors(view, out);
        break;
      case ClaimKind::equal_bits:
        if (!outputs_) {
          KS_ASSIGN_OR_RETURN(outputs_, read_output_bits(reader_, sweep_));
        }
        judge_bits(*outputs_, view, out);
        break;
      case ClaimKind::limited_by:
        return judge_classes(view, out);
      case ClaimKind::ends_as:
        judge_words([](const SweepRows::Job& job) { return name_of(job.outcome); }, view, out);
        break;
    }
    return Done{};
  }

  // By the roofs of the same database. Needs three queries for each job.
  Status judge_classes(ClaimView& view, JudgedClaim& out) {
    KS_ASSIGN_OR_RETURN(const auto roofs, read_roofs(reader_));
    std::string no_class;  // why the first job without one has none
    const auto class_of = [&](const SweepRows::Job& job) -> std::string_view {
      if (const auto known = classes_.find(job.result); known != classes_.end()) return known->second;
      const auto share = share_of_result(reader_, job.result, roofs, "");
      if (share) return classes_[job.result] = name_of(share->bound);
      if (no_class.empty()) no_class = share.error().message;
      return "";
    };
    judge_words(class_of, view, out);
    if (out.pairs == 0 && out.without > 0) out.reason = "no job has a class: " + no_class;
    return Done{};
  }

  // Whether the job has what the claim is judged by.
  bool is_evidence(const SweepRows::Job& job, const ClaimView& view, const ClaimNumber& number,
                   ClaimKind kind) const {
    const bool is_ok = job.outcome == Outcome::ok;
    if (kind == ClaimKind::ends_as) return true;
    if (kind == ClaimKind::error_below)
      return job.outcome == Outcome::wrong_result || (is_ok && !std::isnan(job.extra));
    if (!is_ok || !view.is_graded_well(job)) return false;
    if (kind == ClaimKind::limited_by) return classes_.contains(job.result);
    if (kind == ClaimKind::equal_bits) return outputs_->contains(job.result);
    return is_usable(number.of(job));
  }

  // Points that differ in more than the host: what one host lacks another may have.
  void count_missing(const ClaimTask& task, const ClaimView& view, const ClaimNumber& number,
                     JudgedClaim& out) const {
    enum Has : char { kNothing = 1, kDoubtful, kEvidence };
    const SweepRows& rows = view.rows();
    std::vector<char> spots(rows.positions.size() * rows.places.size(), 0);
    for (const SweepRows::Job& job : rows.jobs) {
      if (!view.is_meant(placed(job))) continue;
      const bool doubtful = job.outcome == Outcome::ok && job.grade > question_.worst_grade;
      char& known = spots[job.point * rows.places.size() + rows.places[job.place].cache_code];
      known = std::max<char>(known, is_evidence(job, view, number, out.claim.kind) ? kEvidence
                                    : doubtful                                     ? kDoubtful
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
  std::string what_is_missing(const ClaimTask& task, const ClaimNumber& number,
                              const JudgedClaim& out) const {
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
      parts.push_back(counted(out.without, out.jobs, "jobs", "has", "have") + number.lack(true));
    if (task.unfinished && !task.points) parts.emplace_back("the sweep has not ended");
    const bool of_times =
        task.claim.kind != ClaimKind::equal_bits && task.claim.kind != ClaimKind::error_below;
    if (out.lost > 0 && of_times)
      parts.push_back(fmt::format("of {} {} every row is graded below {}", text_of_count(out.lost),
                                  out.lost == 1 ? "point" : "points", question_.worst_grade));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  Result<MeasuredPoints> measured(const ClaimView& view, const ClaimNumber& number,
                                  JudgedClaim& out) const {
    for (const SweepRows::Job& job : view.rows().jobs) {
      if (!view.counts(job, out)) continue;
      const double measured = number.measured(job);
      if (!is_usable(measured) && !(number.may_be_zero() && measured == 0)) ++out.without;
    }
    const ClaimKind kind = out.claim.kind;
    const auto kept = [&](const SweepRows::Job& job) { return is_evidence(job, view, number, kind); };
    std::vector<std::uint32_t> of_job;
    auto candidates = candidates_of(view.rows(), kept, of_job);
    KS_ASSIGN_OR_RETURN(
        auto evidence,
        BestEvidence::gather(reader_, sweep_, view.rows(), candidates, of_job, disturbed_,
                             {.of = [&](const SweepRows::Job& job) { return number.of(job); },
                              .are_times = number.metric().metric == BestMetric::median_s,
                              .disturbance = kind == ClaimKind::faster ? OfDisturbance::adds_time
                                                                       : OfDisturbance::unknown}));
    return MeasuredPoints{std::move(candidates), std::move(evidence)};
  }

  // Axes that the claim names do not tell points apart here: all get one code, but the one that is `axis`.
  static ClaimSide side_of(const MeasuredPoints& all, const ClaimView& view,
                           const std::vector<std::size_t>& columns, std::size_t axis, bool second) {
    const SweepRows& rows = view.rows();
    ClaimSide side;
    side.rows.width = columns.size();
    for (std::uint32_t i = 0; i < all.candidates.size(); ++i) {
      const Candidate& each = all.candidates[i];
      if (second ? !view.is_second(placed(each)) : !view.is_first(placed(each))) continue;
      for (const std::size_t column : columns)
        side.rows.codes.push_back(view.is_named(column) && column != axis ? 0
                                                                          : rows.code(each.point, column));
      const SweepRows::Place& place = rows.places[each.place];
      side.rows.points.push_back({.cache = place.cache_code,
                                  .host = static_cast<std::uint32_t>(place.host_kind),
                                  .result = each.result,
                                  .software_class = static_cast<std::uint32_t>(place.software_class),
                                  .spot = each.point * rows.spots + place.spot});
      side.candidates.push_back(i);
    }
    return side;
  }

  Status judge_pairs(ClaimView& view, const ClaimNumber& number, JudgedClaim& out) const {
    const SweepRows& rows = view.rows();
    std::vector<std::size_t> columns;  // parameters
    std::vector<std::string> names;
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
      if (rows.columns[c].derived) continue;
      columns.push_back(c);
      names.push_back(rows.columns[c].name);
    }
    SideWords words(names);
    for (std::size_t i = 0; i < columns.size(); ++i) words.values[i] = rows.values[columns[i]];
    // pair_points knows of one axis; it is the first that the claim names.
    const auto named = std::ranges::find_if(columns, [&](std::size_t c) { return view.is_named(c); });
    const bool by_cache = view.names_place("cache") || named == columns.end();
    const std::size_t axis = by_cache ? rows.columns.size() : *named;
    KS_ASSIGN_OR_RETURN(const auto all, measured(view, number, out));
    ClaimSide first = side_of(all, view, columns, axis, false);
    ClaimSide second = side_of(all, view, columns, axis, true);
    if (first.candidates.empty() || second.candidates.empty()) return Done{};
    std::string axis_name = view.names_place("cache") ? "cache" : "";
    if (axis < rows.columns.size()) axis_name = rows.columns[axis].name;
    KS_ASSIGN_OR_RETURN(const auto pairing, pair_points(words, first.rows, second.rows, axis_name));
    out.alone = pairing.alone_a + pairing.alone_b;
    out.pairs = pairing.pairs.size();
    if (out.pairs == 0) {
      const auto never = never_equal(words, first.rows, second.rows, pairing);
      out.reason = "no point has a partner on the other side that agrees in all else";
      if (!never.empty()) out.reason += fmt::format(": no value of {} is on both", fmt::join(never, ", "));
      return Done{};
    }
    const auto way_of = [&](std::uint32_t candidate) {
      WayTimes way = all.evidence.way(candidate);
      if (out.claim.kind != ClaimKind::faster) way.lows = {};  // graded C, and asked for: it is what it is
      return way;
    };
    std::vector<ClaimPair> pairs;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> results;
    for (const PointPair& pair : pairing.pairs) {
      const std::uint32_t a = first.candidates[pair.a], b = second.candidates[pair.b];
      pairs.push_back({way_of(a), way_of(b), pair.a, pair.b});
      results.emplace_back(all.candidates[a].result, all.candidates[b].result);
      view.meet(placed(all.candidates[a]), placed(all.candidates[b]));
    }
    EvidenceRules rules = question_.rules;
    rules.hidden_groups = out.claim.kind == ClaimKind::faster;
    out.evidence = weigh_pairs(pairs, out.claim.by, all.evidence.spread(), rules);
    const auto describe = [&](std::size_t i) {
      const PointPair& pair = pairing.pairs[i];
      return Disagreement{view.words(placed(all.candidates[first.candidates[pair.a]]),
                                     placed(all.candidates[second.candidates[pair.b]])),
                          1,
                          {},
                          results[i].first,
                          results[i].second,
                          ""};
    };
    take_evidence(out, describe);
    std::vector<std::string> axes;
    for (const SweepColumn& column : rows.columns)
      if (view.is_named(static_cast<std::size_t>(&column - rows.columns.data())))
        axes.push_back(column.name);
    KS_ASSIGN_OR_RETURN(out.outputs, compare_pair_outputs(reader_, sweep_, axes, results));
    return Done{};
  }

  Status judge_levels(ClaimView& view, const ClaimNumber& number, JudgedClaim& out) const {
    const bool least = out.claim.kind == ClaimKind::at_least;
    const double bound = std::log(out.claim.bound);
    KS_ASSIGN_OR_RETURN(const auto all, measured(view, number, out));
    KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader_, sweep_));
    std::vector<Candidate> points;
    std::vector<std::vector<double>> levels;
    std::vector<WayTimes> ways;
    for (std::uint32_t i = 0; i < all.candidates.size(); ++i) {
      const Candidate& point = all.candidates[i];
      if (!view.is_first(placed(point))) continue;
      points.push_back(point);
      view.meet(placed(point), placed(point));
      if (outputs.warns_of(point.result)) out.other_outputs.push_back(point.result);
      std::vector<double>& logs = levels.emplace_back();
      for (const double log : all.evidence.logs(i)) logs.push_back(least ? log - bound : bound - log);
      ways.push_back({.logs = logs, .expected = all.evidence.way(i).expected});
    }
    out.pairs = points.size();
    if (points.empty()) return Done{};
    out.evidence = weigh_levels(ways, all.evidence.spread(), question_.rules);
    const auto metric = [&](double level) {
      const double found = least ? level * out.claim.bound : out.claim.bound / level;
      const double share = found / number.instead_of_zero();
      return number.may_be_zero() && std::abs(share - 1) < 1e-9 ? 0 : found;
    };
    const auto describe = [&](std::size_t i) {
      return Disagreement{view.words(placed(points[i]), placed(points[i])), 1, {}, points[i].result, 0, ""};
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

  std::string why_nothing(const ClaimView& view, const ClaimNumber& number, const JudgedClaim& out) const {
    const auto on = [&](bool first) {
      return std::ranges::any_of(view.rows().jobs, [&](const SweepRows::Job& job) {
        return first ? view.is_first(placed(job)) : view.is_second(placed(job));
      });
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
                         kernsweep::counted(out.without, "has", "have"), number.lack(out.without > 0));
    return fmt::format("no two points differ in {} alone", text_of(out.claim.side));
  }

  Reader& reader_;
  const StoredSweep& sweep_;
  ClaimsQuestion question_;
  std::vector<SweepColumn> columns_;
  DisturbedResults disturbed_;
  std::map<std::string, SweepRows> rows_;                        // by what rows_with was asked for
  std::optional<OutputsOfResults> outputs_;                      // once they were asked for
  std::unordered_map<std::uint64_t, std::string_view> classes_;  // of results, as they were asked for
};

}  // namespace

Result<ClaimsAnswer> judge(Reader& reader, const std::vector<ClaimTask>& tasks,
                           const ClaimsQuestion& question) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(question.sweep));
  ClaimsQuestion asked = question;
  asked.rules = rules_for(sweep.record, asked.rules);
  KS_ASSIGN_OR_RETURN(auto judge, Judge::make(reader, sweep, asked));
  KS_ASSIGN_OR_RETURN(const auto* const rows, judge.rows_with(""));
  ClaimsAnswer answer{.sweep = sweep.record.name, .file = sweep.record.file, .id = sweep.id, .claims = {}};
  answer.implausible = rows->implausible;
  for (const ClaimTask& task : tasks) {
    KS_ASSIGN_OR_RETURN(auto judged, judge.judged(task));
    (judged.verdict == ClaimVerdict::confirmed ? answer.confirmed
     : judged.verdict == ClaimVerdict::refuted ? answer.refuted
                                               : answer.undecided) += 1;
    answer.claims.push_back(std::move(judged));
  }
  return answer;
}

}  // namespace kernsweep
