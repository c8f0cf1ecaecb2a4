// How the time of a point changes with the number of threads: speedup, efficiency, and Amdahl's law.
//
// A series is all points that differ in the axis only. Its speedup at p threads is the time at its smallest
// number of threads over that at p; the interval is that of a pair of points as in `best`. Efficiency is
// the speedup over the ratio of the threads: 1 is perfect.
//
// Amdahl's law (1967): t(p) = t1 (s + (1 - s) / p), where s is the serial share. With x = 1 / p it is a
// straight line a + b x, and s = a / (a + b). The line is fitted to the medians of all processes by least
// squares of relative errors (weights 1 / t^2); the interval of s follows from the residuals by the delta
// method and Student's t. So it includes how much processes differ and how far points are off the line, but
// not what only more threads would show. Two numbers of threads always lie on a line: they cannot show
// whether the law applies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/answer/best/best.hpp"

namespace kernsweep {

struct ScalingQuestion {
  BestQuestion of;               // its metric; `by` and `rows_max` are not used
  std::string axis = "threads";  // whole numbers from 1
  std::string where;             // SQL over the columns of the sweep's view; empty: all jobs
};

struct ScalingPoint {
  double threads = 1;
  double median_s = kUnknown;
  double speedup = 1;
  Interval bounds{1, 1};  // of the speedup, confidence 1 - alpha; 0 and infinity: not known
  double efficiency = 1;
  std::uint32_t processes = 0;
  std::uint64_t result = 0;
  bool disturbed = false;  // measured only under disturbance
};

struct AmdahlFit {
  // s; below 0: faster than the law allows, above 1: slower with more threads. NaN: fewer than two numbers
  // of threads, or no such line.
  double serial = kUnknown;
  Interval bounds{kUnknown, kUnknown};  // of `serial`, confidence 1 - alpha; NaN: not known
  double off = 0;                       // largest deviation of a point from the line, relative to it
};

// `threads` and `seconds`: of each process; all above zero. The law is about the time with one thread, or
// with the smallest number if `threads` counts in multiples of it. `alpha`: of the interval.
AmdahlFit fit_amdahl(std::span<const double> threads, std::span<const double> seconds, double alpha);

struct ScalingSeries {
  NamedValues of;                    // what tells it from the others
  std::vector<ScalingPoint> points;  // by threads
  AmdahlFit fit;
};

struct ScalingAnswer {
  BestAnswer about;  // the counts and what was left out; without rows
  std::string axis;
  NamedValues everywhere;             // the same in all series
  std::vector<ScalingSeries> series;  // in the order of the sweep
  std::uint64_t single = 0;           // series of one number of threads or none, left out
  double alpha = 0;
};

// Errors: no such sweep or column; a value of the axis is not a number of at least 1; `where` is not valid
// SQL or selects no job.
Result<ScalingAnswer> scaling(Reader& reader, const ScalingQuestion& question);

}  // namespace kernsweep
