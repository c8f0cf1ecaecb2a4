// How often a comparison finds a difference between two halves of the same results: a check of the
// comparison.
//
// The processes of each point are split at random into two halves, which are compared like two sides. Any
// difference is due to chance, or to processes that are not alike.
#pragma once

#include <cstdint>
#include <string>

#include "results/answer/operand_rows.hpp"

namespace kernsweep {

struct SplitQuestion {
  Side side;
  std::string sweep, where;  // as in CompareQuestion
  char worst_grade = 'B';
  std::uint32_t rounds = 0;  // splits of each point; 0: about kSplitPairs in all, at least 20
  ComparisonRules rules;
};

struct SplitAnswer {
  std::string what;                      // "first-look@2 in first-look.db"
  std::uint64_t points = 0;              // split
  std::uint64_t too_few = 0;             // points with fewer processes than kSplitProcesses: left out
  std::uint64_t not_looked_at = 0;       // points beyond the first kSplitPoints
  std::uint64_t jobs = 0, left_out = 0;  // left out: failed, or graded below
  std::size_t least = 0, most = 0;       // processes of a point
  std::uint32_t rounds = 0;
  std::uint64_t pairs = 0, different = 0, ambiguous = 0;  // each pair judged alone
  std::uint64_t different_together = 0;                   // pairs, each round judged as one comparison
  std::uint64_t rounds_different = 0;                     // rounds with such a pair
};

// A half of a single process has no verdict (shared/stats/comparison.hpp).
inline constexpr std::size_t kSplitProcesses = 2 * kProcessesLeast;
inline constexpr std::uint64_t kSplitPairs = 2000;
inline constexpr std::size_t kSplitPoints = 2000;

// Errors: what find_side and read_side say.
Result<SplitAnswer> split_halves(Reader& reader, const SplitQuestion& question);
// Pure: the same over points that have been read; `answer` is filled from `points` on.
void split_halves(const SideRows& rows, const SplitQuestion& question, SplitAnswer& answer);

// Whether more is called different than rules.alpha allows for: of the pairs, each judged by itself, or of
// the comparisons.
bool too_often(const SplitAnswer& answer, const ComparisonRules& rules);

std::string text_of(const SplitAnswer& answer, const SplitQuestion& question);
std::string to_json(const SplitAnswer& answer);

}  // namespace kernsweep
