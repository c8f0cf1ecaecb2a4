// The data of a report (`kernsweep report`) as one JSON object: answers, points, processes, failures and
// where it was measured. The page of results/page/site draws it. All verdicts and intervals are those of
// `best`, `compare` and `claims`; nothing is decided here.
//
//   format      1
//   made_by, database, sweep {name, id, kernel, state, ...}, sweeps [{id, name, jobs, ...}]
//   answer      {best: as `best --json`, effects, left_out, text, roofs}
//   axes        [{name, kind: problem | setting | derived | place, values: [...]}]
//   points      columns of equal length: codes (a list for each axis, indices into its values), median_s,
//               low_s, high_s (99 %), gflops, gbps, flops, bytes, processes, result; grades: a letter each
//   processes   columns: point (index into points), process, result, median_s, min_s, q1_s, q3_s, max_s,
//               samples; grades: a letter each
//   failures    [{status, reason, stderr, jobs, result, params}], grades [{grade, reason, jobs, ...}]
//   rejected    a sentence, or ""
//   comparison  {sides, text, answer: as `compare --json`}, or null; claims as `claims --json`,
//               {error}, or null
//   roofs       [{host, cpu, gpu, threads, peaks, levels}], hosts, software: lists of objects
//
// Times are in seconds, rates in 1e9 per second. Numbers have five significant digits, except for those of
// an answer. Raw samples are not included: each process has five numbers.
#pragma once

#include <string>

#include "results/read/reader.hpp"

namespace kernsweep {

struct ReportQuestion {
  std::string sweep;     // in the form of Reader::find_sweep
  std::string database;  // the name that is shown
  // The sweep to compare with, in the form that `compare` takes for a side of the same database. Empty: the
  // newest earlier sweep of the same name, if there is one.
  std::string against;
};

// Parts of the report that other rooms compute.
struct ReportParts {
  std::string claims;    // to_json(ClaimsAnswer), or {"error": the reason}; empty: no claims
  std::string rejected;  // a sentence; empty: nothing was rejected, or it is not known
};

struct SweepReport {
  std::string title;  // "first-look@1"
  std::string json;
  std::string answer;  // the answer as text, for readers without scripts
};

// Errors: no such sweep, the database cannot be read, `against` names no sweep.
Result<SweepReport> report_data(Reader& reader, const ReportQuestion& question, const ReportParts& parts);

}  // namespace kernsweep
