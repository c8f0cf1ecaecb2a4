// Compares a stored job with a new run of it: whether it is as fast, whether the bits are the same, and how
// its environment has changed. docs/guides/again.md describes it for users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/answer/compare/time_difference.hpp"
#include "results/read/stored_job.hpp"

namespace kernsweep {

// The comparison of the outputs of both sides. `unsteady`: processes of one side differ.
enum class BitsVerdict : std::uint8_t { same = 1, different, unsteady, unknown };
std::string_view name_of(BitsVerdict verdict);  // "same", ...

// The processes of one point, in one cache state, on one host, with one software.
struct ReplaySide {
  std::vector<std::uint64_t> results;  // of the processes whose times count
  std::vector<double> times;           // medians in seconds, parallel to `results`
  std::vector<double> costs;           // time that disturbances may have added (DisturbedResults), parallel
  std::size_t disturbed = 0;           // number of `results` that are graded C for a disturbance
  std::string grades;                  // "AAB"
  std::string doubtful;                // grades of the other ones, which are worse: "CC"
  std::uint64_t first = 0;             // result of the first that was measured, whatever its grade; 0: none
  std::vector<std::string> hashes;     // of the outputs of all that were measured, each once
  double median_s = 0;                 // median of the processes' medians; NaN: there is none
  std::vector<std::string> doubts;     // reasons for grades below A, each once
  std::vector<std::string> failures;   // "crashed: killed by signal 11", each once
};

struct ReplayAnswer {
  ReplaySide then, now;
  RowSet changes;  // group, field, a (then), b (now); see provenance_changes
  // The ratio of now over then; nothing: a side has no time; `why_no_time` has the reason.
  std::optional<TimeDifference> time;
  std::string why_no_time;
  TimeVerdict verdict = TimeVerdict::undecided;
  BitsVerdict bits = BitsVerdict::unknown;
};

// Compares all processes of the sweep `again` in `replayed`, which measured only the point of `job`, with
// all processes of that point in `stored` that were measured in the job's sweep on its host with its
// software. Times graded worse than `worst_grade` are left out on both sides, but those that were graded
// for a disturbance count, with the time that it may have added; the comparison of bits does not depend on
// the load of a machine. The spread of processes is learnt from both sweeps. Errors: a database cannot be
// read.
Result<ReplayAnswer> hold_against(Reader& stored, const StoredJob& job, Reader& replayed, SweepId again,
                                  const EvidenceRules& rules, char worst_grade = 'B');

}  // namespace kernsweep
