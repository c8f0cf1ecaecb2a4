// Which setting is best for each problem of a sweep, and by how much.
//
// A sweep's values fall into two: those that describe the problem (sizes, types: what has to be computed)
// and those that are settings (how it is computed); the sweep has stored which are which
// (SweepColumn::problem). Jobs with equal problem values form a group; a group's
// candidates are its points; a candidate's number is the median over its processes' medians, because
// samples of one process are not independent. Caches and kinds of host (hosts of one fingerprint; with
// `hosts: each` every host) are never mixed: each has groups of its own. Processes that were measured by
// software that contradicts (results/read/software_classes.hpp) are never taken together either: a point
// has a candidate for each class of software, and the best one's others follow it in rows of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/answer/grade_cause.hpp"
#include "results/read/reader.hpp"
#include "results/read/sweep_rows.hpp"
#include "shared/stats/contest.hpp"
#include "shared/text/metric_name.hpp"

namespace kernsweep {

// Of rates (gflops, gbps) a larger number is better, of all others a smaller one. p90_s, p99_s and p999_s
// are of single calls, where there were enough of them; these, energy_j, cpu_s and peak_memory_bytes are of
// the table `conditions`.
// `counted`: a name of the table `metric`, what a variant or its GPUs counted.
enum class BestMetric : std::uint8_t {
  median_s = 1,
  gflops,
  gbps,
  min_s,
  max_s,
  p90_s,
  p99_s,
  p999_s,
  energy_j,
  cpu_s,
  peak_memory_bytes,
  counted
};
std::string_view name_of(BestMetric metric);
std::optional<BestMetric> metric_named(std::string_view name);
std::string metrics_listed();  // "median_s, gflops, min_s, ...", without what is counted

struct BestQuestion {
  std::string sweep;                           // as Reader::find_sweep takes it
  std::optional<std::vector<std::string>> by;  // names in the sweep file; none: the problem's
  BestMetric metric = BestMetric::median_s;
  std::string counted;              // of BestMetric::counted: its name
  Better better = Better::unknown;  // of that; unknown: as it was declared, or as its name says
  char worst_grade = 'B';           // rows graded worse are left out; rows without grade are kept
  std::size_t rows_max = SIZE_MAX;  // of the answer
  EvidenceRules rules;
};

// Fills in metric, counted and what the rules depend on. Error: the name is none of the above, and nothing
// in the database has it.
Status choose_metric(Reader& reader, const std::string& name, BestQuestion& question);

// A point that may be the best of its problem.
struct BestSetMember {
  std::string difference;     // from the best in the table; of that itself: ""
  NamedValues settings;       // variant and settings that it has
  double number = 0;          // of the metric; NaN: not known
  std::uint64_t result = 0;   // one of its results
  bool disturbed = false;     // measured only under disturbance
  bool other_output = false;  // not that of most settings; see outputs.hpp
  Split split;                // of its processes
};

// All that may be the best, the point of the row first, then by their numbers. Only that point where it
// wins, or is alone.
struct BestSet {
  std::uint64_t size = 0;              // 0: the row only stands behind the best one's
  std::vector<BestSetMember> members;  // the first ones
  // Points of which a process has a number that is not above zero. It has no logarithm, so they are in no
  // contest, and may be better or not.
  std::uint64_t not_judged_size = 0;
  std::vector<BestSetMember> not_judged;  // the first ones, without the point of the row
  // The point of the row is not judged: the verdict about the others, and what may be the best of them, the
  // one that leads first; `size` and `members` are 0 and empty. Empty verdict: there is one other or none.
  std::string others_verdict;
  std::vector<BestSetMember> others;
};

// A result of a row whose rate is above the roof of its host: usable, with this warning, whatever its
// stored grade is.
struct AboveRoof {
  std::uint64_t result = 0;
  std::string reason;
};

// A result of a row whose output most settings of its problem do not have (outputs.hpp): usable, with this
// warning, whatever its stored grade is.
struct OtherOutput {
  std::uint64_t result = 0;
  std::string reason;
  std::uint64_t results = 1;  // that the reason is about
};

// The best point of a problem; or, behind it and without a comparison, the same point as other software
// measured it. Numbers: NaN: not known; bounds: 0, NaN or infinite: not known.
struct BestRow {
  std::vector<Value> problem;   // of each of BestAnswer::by
  Value cache, host, software;  // where it was measured; `software`: the number in the table of that name
  Value variant;
  std::vector<Value> settings;            // of each of BestAnswer::settings
  double median_s = 0, gflops = 0;        // of the processes' medians
  double number = 0;                      // of the metric, the median over the processes
  Interval bounds;                        // of the centre of contest.hpp, with 99 % confidence, widened
                                          // to hold `number`
  std::optional<ContestVerdict> verdict;  // about the points whose numbers are all above zero; none:
                                          // there is no rival, or this point is not one of them
  // Than the runner-up: the best point of another variant or, if there is none, of another setting. Its
  // text is its variant and what else differs; none: there is none.
  double times_better = 0;
  Interval times_better_bounds;
  std::optional<std::string> runner_up;
  std::uint64_t processes = 0;
  std::uint64_t processes_disturbed = 0;  // of these, measured under disturbance
  double equal_within = 0;                // tied, equal: as of ContestResult
  std::uint64_t processes_needed = 0;  // leads: about so many of each point would decide it; 0: not known
  std::string outputs;                 // what is to be said of its output
  std::uint64_t result = 0;            // one of its results
  // What differs in points that run the same built file in the same way (same_builds.hpp): they are one
  // setting with this one, and not compared with it.
  std::vector<std::string> same_builds;
  BestSet set;
};

struct BestAnswer {
  std::string sweep;
  SweepId id;
  std::string metric = "median_s";
  Better better = Better::smaller;  // which numbers of it are
  char worst_grade = 'B';
  double alpha = 0.01;        // EvidenceRules::alpha, by which verdicts and intervals are
  std::string imported_from;  // the program that measured the sweep; empty: Kernsweep
  std::vector<std::string> by, settings;
  // The parts of the problem that differ within groups of `by`, if the points there differ in their work.
  // Then `metric` is a rate in place of the time. Otherwise empty.
  std::vector<std::string> rates_for;
  bool by_variant = false;                             // the variant is one of `by`
  bool several_caches = false, several_hosts = false;  // in which the points were measured
  // In the order of the sweep; the first BestQuestion::rows_max groups.
  std::vector<BestRow> rows;
  std::uint64_t groups = 0;            // with those that have no row above
  std::uint64_t groups_told = 0;       // that have one
  std::uint64_t several_software = 0;  // points that were measured by several, in one state of the caches
  std::vector<std::string> changed;    // what differs between these: files, libraries, the build
  std::vector<char> everywhere;        // for each of `by`: 1: it is the same in all groups
  std::uint64_t lost_groups = 0;       // that have results, but no row: all are graded below
  std::uint64_t jobs = 0;              // looked at
  std::uint64_t left_out_failed = 0;   // not ok
  std::uint64_t left_out_without = 0;  // ok, without the metric
  std::uint64_t left_out_grade = 0;
  // Results that were measured under disturbance (graded C, for a cause of the machine), and points that
  // have no others. They count, with what that may have cost them, and are in no sum of what is left out.
  std::uint64_t disturbed_points = 0, disturbed_jobs = 0;
  GradeCause grade_cause;                  // of these; filled in by best() and sweep_effects()
  std::vector<Implausible> implausible;    // of those left out for their grade: it is X (implausible.hpp)
  std::vector<AboveRoof> above_roofs;      // in the order of the rows; filled in by note_above_roofs()
  std::vector<OtherOutput> other_outputs;  // likewise; by best() and sweep_effects()
  // Of each setting whose output is not that of most: one of its results; by the other answers.
  std::vector<OtherOutput> all_other_outputs;
  std::uint64_t left_out() const { return left_out_failed + left_out_without + left_out_grade; }
};

// Fills in which way a counted metric is better, where the question does not say it. Error: no file says it
// either.
Status find_direction(Reader& reader, BestQuestion& question,
                      const std::string& option = "--better larger or --better smaller");

// Errors: no such sweep, no such column; a counted metric for which no file says which way it is better;
// `by` puts different problems into one group and the metric cannot compare them (measure_of_groups.hpp).
// Reads the rows of the sweep once, and a bounded number of those of earlier sweeps.
Result<BestAnswer> best(Reader& reader, const BestQuestion& question);

// The same from rows that were read already, for those who count on them once more. Requires that `rows`
// hold the columns of `by` and every column that is not derived, and the metric of `question`. Error: the
// database cannot be read.
Result<BestAnswer> best_of(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                           const std::vector<SweepColumn>& by, const BestQuestion& question);

}  // namespace kernsweep
