#include "results/answer/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/answer/compare/pair_outputs.hpp"
#include "results/answer/compare/pairs.hpp"
#include "results/answer/compare/provenance_difference.hpp"
#include "results/answer/contests.hpp"
#include "results/read/same_builds.hpp"
#include "results/read/software_classes.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/stats/false_discoveries.hpp"
#include "shared/stats/mean_ratio.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

class Comparing {
 public:
  Comparing(Reader& a, Reader& b, CompareQuestion question)
      : reader_a_(a), reader_b_(b), question_(std::move(question)) {}

  Result<CompareAnswer> answer() {
    const sqlite::Snapshot snapshot_a(reader_a_.connection());
    const sqlite::Snapshot snapshot_b(reader_b_.connection());
    KS_ASSIGN_OR_RETURN(auto a, find_side(reader_a_, question_.a, question_.sweep));
    KS_ASSIGN_OR_RETURN(auto b, find_side(reader_b_, question_.b, question_.sweep));
    // One of them that was looked at while it ran is enough for the smaller share of a look.
    const EvidenceRules of_a = rules_for(a.sweep.record, question_.rules);
    const EvidenceRules of_b = rules_for(b.sweep.record, question_.rules);
    out_.rules = question_.rules = of_a.alpha < of_b.alpha ? of_a : of_b;
    name_side(reader_a_, a, out_.a);
    name_side(reader_b_, b, out_.b);
    if (auto why = other_kernel(a, b); !why.empty()) return refused(std::move(why));
    KS_RETURN_IF_ERROR(read(a, b));
    if (!out_.not_comparable.empty()) return std::move(out_);
    KS_ASSIGN_OR_RETURN(pairing_, pair_points(*words_, rows_a_, rows_b_, axis()));
    if (a.sweep.record.kernel != b.sweep.record.kernel)
      pairing_.notes.push_back("A runs " + a.sweep.record.kernel + ", B " + b.sweep.record.kernel);
    out_.a.alone = pairing_.alone_a;
    out_.b.alone = pairing_.alone_b;
    if (pairing_.pairs.empty()) return refused(why_no_pair());
    if (auto why = other_metric()) return refused(std::move(*why));
    if (!keep_equal_inputs()) return std::move(out_);
    if (!keep_own()) return std::move(out_);
    KS_RETURN_IF_ERROR(learn(a, b));
    KS_ASSIGN_OR_RETURN(builds_a_, SameBuilds::of(reader_a_, a.sweep));
    KS_ASSIGN_OR_RETURN(builds_b_, SameBuilds::of(reader_b_, b.sweep));
    judge();
    add_mean();
    KS_RETURN_IF_ERROR(show());
    return with_outputs(std::move(out_), {reader_a_, a.sweep}, {reader_b_, b.sweep}, axis());
  }

 private:
  static void name_side(Reader& reader, const FoundSide& side, ComparedSide& told) {
    told.text = fmt::format("{}@{} in {}{}", side.sweep.record.name, side.sweep.id.value,
                            reader.connection().path(), side.narrowed.empty() ? "" : ", " + side.narrowed);
    told.imported_from = imported_from(side.sweep.record);
  }

  std::optional<std::string> axis() const {
    if (question_.a.kind != Side::Kind::value) return std::nullopt;
    return question_.a.name;
  }

  CompareAnswer refused(std::string why) {
    out_.not_comparable = std::move(why);
    return std::move(out_);
  }

  Status read(const FoundSide& a, const FoundSide& b) {
    words_.emplace(parameters_of(a, b));
    const auto one = [&](Reader& reader, const FoundSide& side, SideRows& rows,
                         ComparedSide& told) -> Status {
      KS_ASSIGN_OR_RETURN(rows, read_side(reader, side, question_.where, question_.worst_grade, *words_));
      told.jobs = rows.read;
      told.failed = rows.failed;
      told.graded_below = rows.graded_below;
      told.disturbed = rows.disturbed;
      told.points = rows.points.size();
      told.implausible = rows.implausible;
      return Done{};
    };
    KS_RETURN_IF_ERROR(one(reader_a_, a, rows_a_, out_.a));
    KS_RETURN_IF_ERROR(one(reader_b_, b, rows_b_, out_.b));
    for (const auto& [name, side] : {std::pair("A", &out_.a), std::pair("B", &out_.b)}) {
      if (side->points > 0 || !out_.not_comparable.empty()) continue;
      out_.not_comparable = fmt::format("{} has no time: {}", name, why_no_time(*side));
    }
    return Done{};
  }

  std::string why_no_time(const ComparedSide& side) const {
    if (side.jobs == 0) return question_.where.empty() ? "no job has its outcome" : "no row fits --where";
    return fmt::format("of {} {} failed and {} graded below {}", counted(side.jobs, "job", "jobs"),
                       text_of_count(side.failed), counted(side.graded_below, "is", "are"),
                       question_.worst_grade);
  }

  std::string why_no_pair() const {
    const auto names = never_equal(*words_, rows_a_, rows_b_, pairing_);
    if (names.empty()) return "A and B have no point in common that was measured on one host";
    return fmt::format("A and B have no point in common: no value of {} is in both",
                       fmt::join(names, " nor of "));
  }

  // False: nothing is left.
  bool keep_equal_inputs() {
    const auto differ = [&](const PointPair& pair) {
      return rows_a_.points[pair.a].inputs != rows_b_.points[pair.b].inputs;
    };
    out_.other_inputs = static_cast<std::uint64_t>(std::ranges::count_if(pairing_.pairs, differ));
    if (question_.other_inputs) return true;
    if (out_.other_inputs == pairing_.pairs.size()) {
      const std::uint64_t pairs = pairing_.pairs.size();
      out_ = refused(fmt::format(
          "the inputs differ in all {} pairs of points: that is another problem, or other data; "
          "--other-inputs compares the times anyway",
          text_of_count(pairs)));
      return false;
    }
    std::erase_if(pairing_.pairs, differ);
    return true;
  }

  // Why the sides' numbers are of two kinds; nothing: they are not, as far as is known.
  std::optional<std::string> other_metric() const {
    for (const PointPair& pair : pairing_.pairs) {
      const std::uint32_t of_a = rows_a_.points[pair.a].metric, of_b = rows_b_.points[pair.b].metric;
      if (of_a == 0 || of_b == 0 || of_a == of_b) continue;
      return fmt::format(
          "A was measured with metric {}, B with {}: a sample of the one is many calls in a "
          "row, of the other a single call",
          words_->metrics.values()[of_a].to_text(), words_->metrics.values()[of_b].to_text());
    }
    return std::nullopt;
  }

  // Finds what both sides of a pair hold. False: nothing is left.
  bool keep_own() {
    std::vector<PointPair> kept;
    for (const PointPair& pair : pairing_.pairs) {
      OwnTimes times = own_times(rows_a_, pair.a, rows_b_, pair.b, true);
      if (times.a.medians.empty() != times.b.medians.empty()) {
        ++out_.nothing_own;
        continue;
      }
      identical_.push_back(times.a.medians.empty() ? 1 : 0);
      if (!times.a.medians.empty() && times.shared > 0) {
        out_.shared += times.shared;
        ++out_.shared_pairs;
      }
      kept.push_back(pair);
    }
    pairing_.pairs = std::move(kept);
    if (!pairing_.pairs.empty()) return true;
    const std::uint64_t pairs = out_.nothing_own;
    out_ = refused(fmt::format(
        "in all {} pairs of points one side has no measurements of its own; --again measures both again",
        text_of_count(pairs)));
    return false;
  }

  // The evidence of a pair: what its sides do not share; all of it where they share everything.
  OwnTimes times_of(std::size_t pair) const {
    const PointPair& points = pairing_.pairs[pair];
    return own_times(rows_a_, points.a, rows_b_, points.b, !identical_[pair]);
  }

  // How much processes differ, over all points of the sweeps.
  Status learn(const FoundSide& a, const FoundSide& b) {
    KS_RETURN_IF_ERROR(spread_.add(reader_a_, a.sweep, question_.worst_grade));
    if (&reader_a_ != &reader_b_ || a.sweep.id != b.sweep.id)
      KS_RETURN_IF_ERROR(spread_.add(reader_b_, b.sweep, question_.worst_grade));
    spread_.fit();
    return Done{};
  }

  TimedSide side_a(std::size_t pair, const OwnTimes& times) const {
    return {times.a, stratum_of(*words_, rows_a_, pairing_.pairs[pair].a)};
  }
  TimedSide side_b(std::size_t pair, const OwnTimes& times) const {
    return {times.b, stratum_of(*words_, rows_b_, pairing_.pairs[pair].b)};
  }

  // Of a pair that only the adjustment for many pairs leaves undecided: as if the adjustment stayed as
  // large as it is.
  std::size_t needed_for_many(std::size_t pair) const {
    const OwnTimes times = times_of(pair);
    const double alpha = question_.rules.alpha * differences_[pair].p / adjusted_[pair];
    return processes_needed_at(side_a(pair, times), side_b(pair, times), spread_, question_.rules, alpha);
  }

  void judge() {
    const auto& pairs = pairing_.pairs;
    out_.pairs = pairs.size();
    out_.identical = static_cast<std::uint64_t>(std::ranges::count(identical_, 1));
    out_.compared = out_.pairs - out_.identical;
    centres_.resize(pairs.size());
    std::vector<double> p;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      TimeDifference difference;
      const OwnTimes times = times_of(i);
      if (identical_[i]) {
        difference.identical = true;
        difference.processes_a = times.a.medians.size();
        difference.processes_b = times.b.medians.size();
      } else {
        difference =
            difference_of(side_a(i, times), side_b(i, times), spread_, question_.rules, &centres_[i].of);
        p.push_back(difference.p);
      }
      out_.single += too_few_processes(difference) ? 1 : 0;
      differences_.push_back(difference);
    }
    const auto adjusted = benjamini_hochberg(p);
    std::size_t next = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      adjusted_.push_back(identical_[i] ? 1 : adjusted[next++]);
      const bool same = is_same_run(builds_a_, times_of(i).result_a, builds_b_, times_of(i).result_b);
      same_build_pairs_ += same ? 1 : 0;
      const TimeVerdict verdict =
          same ? TimeVerdict::same : verdict_of(differences_[i], adjusted_[i], question_.rules);
      verdicts_.push_back(verdict);
      if (verdict == TimeVerdict::undecided && differences_[i].p <= question_.rules.alpha)
        differences_[i].processes_needed = needed_for_many(i);
      (verdict == TimeVerdict::same     ? out_.same
       : verdict == TimeVerdict::faster ? out_.faster
       : verdict == TimeVerdict::slower ? out_.slower
                                        : out_.undecided) += 1;
    }
    out_.verdict = out_.slower > 0      ? TimeVerdict::slower
                   : out_.undecided > 0 ? TimeVerdict::undecided
                   : out_.faster > 0    ? TimeVerdict::faster
                                        : TimeVerdict::same;
  }

  void add_mean() {
    std::vector<RatioOfPoints> ratios;
    std::size_t fewest = kTrimmedProcessesLeast;
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      const PointPair& points = pairing_.pairs[i];
      const bool known = !identical_[i];
      if (known) fewest = std::min({fewest, differences_[i].processes_a, differences_[i].processes_b});
      ratios.push_back({differences_[i].ratio, known ? &centres_[i].of[0] : nullptr,
                        known ? &centres_[i].of[1] : nullptr, points.a, points.b});
    }
    const double gap = gap_of(spread_.spread(), std::max<std::size_t>(fewest, 1), question_.rules);
    const MeanRatio mean = mean_ratio_of(ratios, gap, question_.rules.alpha);
    const bool one = differences_.size() == 1;
    out_.mean_ratio = one ? differences_[0].ratio : mean.ratio;
    out_.mean_bounds = one ? differences_[0].bounds : mean.bounds;
  }

  // The value of a parameter in a pair: both sides' where they agree, that of the side which has one else.
  const Value& value_of(const PointPair& pair, std::size_t column) const {
    const auto& values = words_->values[column].values();
    const Value& of_a = values[rows_a_.codes[pair.a * rows_a_.width + column]];
    return of_a.is_null() ? values[rows_b_.codes[pair.b * rows_b_.width + column]] : of_a;
  }

  void add_cells(const std::string& name, const std::vector<Value>& cells, bool of_both = true) {
    const bool constant = std::ranges::all_of(cells, [&](const Value& v) { return v == cells[0]; });
    if (constant) {
      if (of_both && !cells[0].is_null()) out_.everywhere.emplace_back(name, cells[0]);
      return;
    }
    out_.differing.push_back(name);
    for (std::size_t i = 0; i < cells.size(); ++i) out_.rows[i].parameters.push_back(cells[i]);
  }

  Status show() {
    const auto& pairs = pairing_.pairs;
    out_.rows.resize(pairs.size());
    std::vector<Value> cells(pairs.size());
    for (std::size_t c = 0; c < words_->names.size(); ++c) {
      if (words_->names[c] == axis()) continue;
      for (std::size_t i = 0; i < pairs.size(); ++i) cells[i] = value_of(pairs[i], c);
      add_cells(words_->names[c], cells, axis() || pairing_.identity[c]);
    }
    if (pairing_.cache_is_identity) {
      for (std::size_t i = 0; i < pairs.size(); ++i)
        cells[i] = words_->caches.values()[rows_a_.points[pairs[i].a].cache];
      add_cells("cache", cells);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i)
      cells[i] = static_cast<std::int64_t>(rows_a_.points[pairs[i].a].host);
    if (std::ranges::any_of(cells, [&](const Value& v) { return v != cells[0]; })) {
      KS_ASSIGN_OR_RETURN(auto names, host_names(reader_a_));
      for (std::size_t i = 0; i < pairs.size(); ++i) cells[i] = names[rows_a_.points[pairs[i].a].host_id];
      add_cells("host", cells);
    }
    if (rows_a_.spots < rows_a_.points.size() || rows_b_.spots < rows_b_.points.size()) {
      for (std::size_t i = 0; i < pairs.size(); ++i)
        cells[i] = fmt::format("{}/{}", rows_a_.points[pairs[i].a].software_id,
                               rows_b_.points[pairs[i].b].software_id);
      add_cells("software", cells);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const OwnTimes times = times_of(i);
      ComparedPair& row = out_.rows[i];
      row.a_median_s = median_of_times(times.a.medians);
      row.b_median_s = median_of_times(times.b.medians);
      row.difference = differences_[i];
      row.p = adjusted_[i];
      row.verdict = verdicts_[i];
      row.a_result = times.result_a;
      row.b_result = times.result_b;
    }
    return add_notes();
  }

  Status add_notes() {
    out_.notes = pairing_.notes;
    if (same_build_pairs_ > 0)
      out_.notes.push_back("pairs of one built file, so the same: " + text_of_count(same_build_pairs_));
    std::vector<ProvenancePair> hosts, software;
    std::uint64_t quick = 0;
    for (const PointPair& pair : pairing_.pairs) {
      const SidePoint &a = rows_a_.points[pair.a], &b = rows_b_.points[pair.b];
      if (a.host != b.host) hosts.push_back({a.host_id, b.host_id});
      if (a.software != b.software) software.push_back({a.software_id, b.software_id});
      quick += a.quick != b.quick ? 1 : 0;
    }
    for (auto& [table, pairs] : {std::pair("host", &hosts), std::pair("software", &software)}) {
      if (pairs->empty()) continue;
      KS_ASSIGN_OR_RETURN(auto note, difference_between(reader_a_, reader_b_, table, *pairs));
      out_.notes.push_back(fmt::format("{} differs in {} of {} pairs: {}", table,
                                       text_of_count(pairs->size()), text_of_count(out_.pairs), note));
    }
    for (const auto& [name, rows] : {std::pair("A", &rows_a_), std::pair("B", &rows_b_)}) {
      const auto mixed = std::ranges::count(rows->points, true, &SidePoint::mixed_software);
      if (mixed > 0)
        out_.notes.push_back(fmt::format(
            "{} of {} of {}: some processes lack a file or library of the others (those in common are "
            "equal); the row shows the software of the first process",
            text_of_count(static_cast<std::uint64_t>(mixed)),
            counted(rows->points.size(), "point", "points"), name));
      std::vector<std::uint32_t> classes(rows->spots, 0);  // of software, of each point
      for (const SidePoint& point : rows->points) ++classes[point.spot];
      const auto several = std::ranges::count_if(classes, [](std::uint32_t n) { return n > 1; });
      if (several > 0)
        out_.notes.push_back(fmt::format(
            "{} of {} points of {} {} measured by more than one software: each has its own rows",
            text_of_count(static_cast<std::uint64_t>(several)), text_of_count(rows->spots), name,
            several == 1 ? "was" : "were"));
    }
    if (quick > 0)
      out_.notes.push_back(fmt::format("in {} of {} pairs one side was measured with --quick",
                                       text_of_count(quick), text_of_count(out_.pairs)));
    if (question_.other_inputs && out_.other_inputs > 0)
      out_.notes.push_back(fmt::format("the inputs differ in {} of {} pairs",
                                       text_of_count(out_.other_inputs), text_of_count(out_.pairs)));
    return Done{};
  }

  Reader& reader_a_;
  Reader& reader_b_;
  CompareQuestion question_;
  CompareAnswer out_;
  std::optional<SideWords> words_;
  SideRows rows_a_, rows_b_;
  Pairing pairing_;
  std::vector<char> identical_;  // of each pair
  SameBuilds builds_a_, builds_b_;
  std::uint64_t same_build_pairs_ = 0;
  StoredSpread spread_;
  struct Centres {
    Centre of[2];  // of A and B
  };
  std::vector<Centres> centres_;  // of each pair
  std::vector<TimeDifference> differences_;
  std::vector<double> adjusted_;
  std::vector<TimeVerdict> verdicts_;
};

}  // namespace

Result<CompareAnswer> compare(Reader& a, Reader& b, const CompareQuestion& question) {
  const bool value_a = question.a.kind == Side::Kind::value, value_b = question.b.kind == Side::Kind::value;
  if (value_a != value_b || (value_a && question.a.name != question.b.name))
    return failure(
        fmt::format("'{}' and '{}' are not a pair: where one side is AXIS=VALUE, the other one is "
                    "another value of the same axis",
                    question.a.text, question.b.text));
  return Comparing(a, b, question).answer();
}

}  // namespace kernsweep
