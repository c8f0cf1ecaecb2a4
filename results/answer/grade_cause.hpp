// The most frequent cause of grades for which results are left out of an answer, and the advice for it.
#pragma once

#include <cstdint>
#include <string>

#include "results/read/reader.hpp"
#include "shared/base/doubt_cause.hpp"

namespace kernsweep {

struct GradeCause {
  std::uint64_t jobs = 0;  // jobs with this cause
  std::uint64_t of = 0;    // jobs with a worse grade
  std::string reason;      // the text of one of them, one line; empty: none is stored
  DoubtCause about = DoubtCause::unknown;
  // The program that disturbed most of them, according to results that were not retried; empty: not known.
  std::string disturber;        // "clang"
  std::string disturber_cores;  // used at the same time as one of them: "1.9 cores"
  std::uint64_t disturbed = 0;  // jobs that it disturbed
};

// Reads the jobs of a sweep whose result is graded worse than `worst_grade`. Causes that differ only in
// numbers are the same. Error: the database cannot be read.
Result<GradeCause> main_grade_cause(Reader& reader, SweepId sweep, char worst_grade);

// The advice for it; empty: there is no general advice.
std::string_view what_helps_against(DoubtCause cause);

// "mainly because (2 of 2): 2 threads and 1.03 cores of others on a host of 2 cores; end what else ...",
// and "most disturbed by: clang (1.9 cores), 2 of these 2 jobs" if that is known, each with a line feed;
// empty without a reason.
std::string text_of(const GradeCause& cause);

}  // namespace kernsweep
