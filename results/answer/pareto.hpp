// The Pareto front of a problem over several metrics: the points that no other point dominates.
//
// A point is on the front if no other one is as good in every metric and better in one, by their numbers.
// Numbers have errors, so a point behind the front is kept unless one is shown to dominate it: its interval
// lies on the better side of the other's in every metric, at confidence 1 - alpha for all metrics together
// (Bonferroni).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "results/answer/best/best.hpp"

namespace kernsweep {

struct ParetoQuestion {
  std::string sweep;                  // in the form of Reader::find_sweep
  std::vector<BestQuestion> metrics;  // two or more; of each the metric, counted and better are used
  std::string where;                  // SQL over the columns of the sweep's view; empty: all jobs
  char worst_grade = 'B';
  double alpha = 0.01;
};

struct ParetoNumber {
  double number = kUnknown;
  Interval bounds{kUnknown, kUnknown};  // NaN: not known
};

enum class ParetoPlace : std::uint8_t {
  front = 1,
  may_be,  // another one has better numbers, but is not shown to be better
  behind,
};
std::string_view name_of(ParetoPlace place);  // "front", "may be on it", "behind"

struct ParetoPoint {
  NamedValues settings;               // the variant and what differs within the sweep
  std::vector<ParetoNumber> numbers;  // of each metric
  ParetoPlace place = ParetoPlace::front;
  std::uint32_t processes = 0;
  std::uint64_t result = 0;
  bool disturbed = false;  // measured only under disturbance
};

struct ParetoProblem {
  NamedValues problem;              // with cache and host, where there are several
  std::vector<ParetoPoint> points;  // by place, then by the first metric
};

struct ParetoMetric {
  std::string name, unit;
  Better better = Better::smaller;
};

struct ParetoAnswer {
  BestAnswer about;  // what was left out for the first metric; without rows
  std::vector<ParetoMetric> metrics;
  NamedValues everywhere;               // of the problem: the same in all of them
  std::vector<ParetoProblem> problems;  // in the order of the sweep
  std::uint64_t incomplete = 0;         // points that have some of the metrics, not all
  double alpha = 0;
};

// Errors: no such sweep; a metric twice; a counted metric without a declared direction; `where` is not
// valid SQL or selects no job.
Result<ParetoAnswer> pareto(Reader& reader, const ParetoQuestion& question);

}  // namespace kernsweep
