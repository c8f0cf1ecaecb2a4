// Which setting is best for each problem of a sweep, and by how much.
//
// A sweep has two kinds of values: those of the problem (sizes, types: what is computed) and settings (how
// it is computed). The sweep stores which are which (SweepColumn::problem). Jobs with equal problem values
// form a group; the candidates of a group are its points; the number of a candidate is the median of its
// processes' medians, because samples of one process are not independent. Different cache states and kinds
// of host (hosts of one fingerprint; with `hosts: each` every host) have groups of their own. Processes
// that were measured by contradicting software (results/read/software_classes.hpp) are not combined either:
// a point has a candidate for each class of software, and the other classes of the best point follow it in
// rows of their own.
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

// A larger rate (gflops, gbps) is better; a smaller value of any other metric is better. p90_s, p99_s and
// p999_s are of single calls, if there were enough of them; these, energy_j, cpu_s and peak_memory_bytes
// are in the table `conditions`. `counted`: a metric of the table `metric`, counted by a variant or its
// GPUs.
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
std::string metrics_listed();  // "median_s, gflops, min_s, ...", without counted metrics

struct BestQuestion {
  std::string sweep;                           // in the form of Reader::find_sweep
  std::optional<std::vector<std::string>> by;  // column names of the sweep file; none: the problem's
  BestMetric metric = BestMetric::median_s;
  std::string counted;              // the name, if the metric is BestMetric::counted
  Better better = Better::unknown;  // for a counted metric; unknown: as declared, or by its name
  char worst_grade = 'B';           // rows with a worse grade are left out; rows without grade are kept
  std::size_t rows_max = SIZE_MAX;  // largest number of rows of the answer
  EvidenceRules rules;
};

// Fills in metric, counted and the members that depend on the rules. Error: the name is not listed above,
// and no result in the database has it.
Status choose_metric(Reader& reader, const std::string& name, BestQuestion& question);

// A point that could be the best of its problem.
struct BestSetMember {
  std::string difference;     // from the best in the table; of that itself: ""
  NamedValues settings;       // variant and settings that it has
  double number = 0;          // of the metric; NaN: not known
  std::uint64_t result = 0;   // one of its results
  bool disturbed = false;     // measured only under disturbance
  bool other_output = false;  // not that of most settings; see outputs.hpp
  Split split;                // of its processes
};

// All points that could be best: the point of the row first, then by their numbers. Only that point if it
// wins, or is alone.
struct BestSet {
  std::uint64_t size = 0;              // 0: the row only follows the best one
  std::vector<BestSetMember> members;  // the first ones
  // Number of points with a process whose number is not above zero. It has no logarithm, so they are not
  // compared, and may be better or not.
  std::uint64_t not_judged_size = 0;
  std::vector<BestSetMember> not_judged;  // the first ones, without the point of the row
  // If the point of the row is not compared: the verdict on the others, and which of them could be best,
  // the leader first; `size` and `members` are 0 and empty. Empty verdict: there is at most one other.
  std::string others_verdict;
  std::vector<BestSetMember> others;
};

// A result of a row whose rate is above the roof of its host: usable, with this warning, whatever its
// stored grade is.
struct AboveRoof {
  std::uint64_t result = 0;
  std::string reason;
};

// A result of a row whose output differs from that of most settings of its problem (outputs.hpp): usable,
// with this warning, whatever its stored grade is.
struct OtherOutput {
  std::uint64_t result = 0;
  std::string reason;
  std::uint64_t results = 1;  // number of results with this reason
};

// The best point of a problem; or, after it and not compared, the same point measured with other software.
// Numbers: NaN: not known; bounds: 0, NaN or infinite: not known.
struct BestRow {
  std::vector<Value> problem;   // values of the columns BestAnswer::by
  Value cache, host, software;  // where it was measured; `software`: the number in the table of that name
  Value variant;
  std::vector<Value> settings;            // values of the columns BestAnswer::settings
  double median_s = 0, gflops = 0;        // from the processes' medians
  double number = 0;                      // of the metric, the median over the processes
  Interval bounds;                        // of the centre of contest.hpp, with 99 % confidence, widened
                                          // to include `number`
  std::optional<ContestVerdict> verdict;  // on the points whose numbers are all above zero; none:
                                          // there is no rival, or this point is not one of them
  // Compared with the runner-up: the best point of another variant or, if there is none, of another
  // setting. Its text is its variant and what else differs; none: there is none.
  double times_better = 0;
  Interval times_better_bounds;
  std::optional<std::string> runner_up;
  std::uint64_t processes = 0;
  std::uint64_t processes_disturbed = 0;  // those of them that were measured under disturbance
  double equal_within = 0;                // tied, equal: as in ContestResult
  std::uint64_t processes_needed = 0;  // leads: about this many of each point would decide it; 0: not known
  std::string outputs;                 // the remark about its output
  std::uint64_t result = 0;            // the id of one of its results
  // The differences of points that run the same built file in the same way (same_builds.hpp): they are one
  // setting with this point, and not compared with it.
  std::vector<std::string> same_builds;
  BestSet set;
};

struct BestAnswer {
  std::string sweep;
  SweepId id;
  std::string metric = "median_s";
  Better better = Better::smaller;  // whether larger or smaller numbers are better
  char worst_grade = 'B';
  double alpha = 0.01;        // EvidenceRules::alpha of verdicts and intervals
  std::string imported_from;  // the program that measured the sweep; empty: Kernsweep
  std::vector<std::string> by, settings;
  // The parts of the problem that differ within groups of `by`, if the points there differ in their work.
  // `metric` is then a rate instead of the time. Otherwise empty.
  std::vector<std::string> rates_for;
  bool by_variant = false;                             // the variant is one of `by`
  bool several_caches = false, several_hosts = false;  // the points were measured in several
  // In the order of the sweep; the first BestQuestion::rows_max groups.
  std::vector<BestRow> rows;
  std::uint64_t groups = 0;            // including those without a row above
  std::uint64_t groups_told = 0;       // that have a row above
  std::uint64_t several_software = 0;  // points that were measured by several in the same cache state
  std::vector<std::string> changed;    // what differs between these: files, libraries, the build
  std::vector<char> everywhere;        // for each of `by`: 1: equal in all groups
  std::uint64_t lost_groups = 0;       // with results, but without a row: all have a worse grade
  std::uint64_t jobs = 0;              // number of jobs read
  std::uint64_t left_out_failed = 0;   // not ok
  std::uint64_t left_out_without = 0;  // ok, but without the metric
  std::uint64_t left_out_grade = 0;
  // Results that were measured under disturbance (graded C, for a cause of the machine), and points that
  // have no others. They count, with the time that it may have added, and are not in the sums of what is
  // left out.
  std::uint64_t disturbed_points = 0, disturbed_jobs = 0;
  GradeCause grade_cause;                  // of those left out; filled in by best() and sweep_effects()
  std::vector<Implausible> implausible;    // of those left out for their grade X (implausible.hpp)
  std::vector<AboveRoof> above_roofs;      // in the order of the rows; filled in by note_above_roofs()
  std::vector<OtherOutput> other_outputs;  // filled in by best() and sweep_effects()
  // One result of each setting whose output differs from that of most; filled in by the other answers.
  std::vector<OtherOutput> all_other_outputs;
  std::uint64_t left_out() const { return left_out_failed + left_out_without + left_out_grade; }
};

// Fills in whether larger or smaller values of a counted metric are better, unless the question has it.
// Error: no file declares it either.
Status find_direction(Reader& reader, BestQuestion& question,
                      const std::string& option = "--better larger or --better smaller");

// Errors: no such sweep, no such column; a counted metric without a declared direction; `by` puts different
// problems into one group and the metric cannot compare them (measure_of_groups.hpp). Reads the rows of the
// sweep once, and a bounded number of those of earlier sweeps.
Result<BestAnswer> best(Reader& reader, const BestQuestion& question);

// The same from rows that the caller has read and uses again. Requires that `rows` contain the columns of
// `by`, every column that is not derived, and the metric of `question`. Error: the database cannot be read.
Result<BestAnswer> best_of(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                           const std::vector<SweepColumn>& by, const BestQuestion& question);

}  // namespace kernsweep
