// Which of several ways to compute one thing is the fastest, and how sure that is. Pure.
//
// The unit of evidence is the process: the logarithm of the median of its samples. The centre of a way is
// the mean of its processes' logarithms, trimmed by one fifth on either side from five processes on (Yuen
// 1974). Its variance is that of its processes, winsorised, or the one that its sweep lets expect
// (shared/stats/process_spread.hpp), whichever is larger; degrees of freedom add up (Smyth 2004),
// differences have those of Welch and Satterthwaite (1947).
//
// A is shown faster than B if both have two processes or more, and either
//   - the lower bound of B / A (one-sided, alpha / 2) lies beyond the gap by which processes of one point
//     differ on this host, beyond the margin, and, while groups of processes that nobody has seen could be
//     the reason (hidden_groups_risk), beyond kHiddenRatio; with five processes or more of both, only if
//     no process of theirs lies off without reason (Centre::steady); or
//   - both have five processes or more, and the exact test of Mann and Whitney has p <= kRankAlpha for A
//     made slower by the margin; or has it for A as it is, and the lower bound of B / A lies beyond the
//     margin.
//
// A `wins` if it is shown faster than each other one. No correction for their number is needed: whoever is
// as fast as A has to lose against A, too. A is left out of the set that holds the best if another one is
// shown faster at alpha / (candidates - 1) (Gupta 1965; Bonferroni). Ways are `tied` if each that is left
// in the set is shown to be as fast as the leader within the margin by two one-sided tests (Schuirmann
// 1987), its processes lie together (lie_together), and groups that neither has shown are unlikely
// (unseen_groups_risk). How often this is wrong: docs/internals/evidence.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "shared/stats/intervals.hpp"
#include "shared/stats/process_spread.hpp"
#include "shared/stats/split.hpp"

namespace kernsweep {

// Below this ratio processes may fall into two groups (pages, sibling threads, clocks) that few of them do
// not show.
inline constexpr double kHiddenRatio = 2;
inline constexpr double kHiddenRiskMost = 0.008;  // that this is why two points differ
inline constexpr double kRankAlpha = 0.008;       // of 5 against 5 the smallest p is 0.0079
inline constexpr std::size_t kRankProcessesLeast = 5;
inline constexpr std::size_t kSignProcessesLeast =
    8;  // 2 / 2^8 is the first p of the sign test below 0.8 %
inline constexpr std::size_t kVerdictProcessesLeast = 2;
inline constexpr std::size_t kMoreProcessesMost = 100;

struct EvidenceRules {
  double margin = 0.01;  // a smaller relative difference is of no interest; 0 <= margin < 1
  double alpha = 0.01;   // two-sided; 0 < alpha < 1
  // Whether processes may fall into groups that nobody has seen: times do, the memory that a process takes
  // does not.
  bool hidden_groups = true;
  // Both are one point, measured twice: the groups that one has are taken to be the other's, too.
  bool one_point = false;
};

// The logarithm of the ratio by which two equal points of so many processes (1 or more) may differ: the
// gap, and kHiddenRatio while groups that nobody has seen could be the reason.
double gap_of(const ProcessSpread& spread, std::size_t processes, const EvidenceRules& rules);

// Whether groups that the processes of two points do not show are too likely for the two to be called the
// same (ProcessSpread::unseen_groups_risk). Requires two processes or more of each.
bool groups_may_be_unseen(const ProcessSpread& spread, std::size_t first, std::size_t second,
                          const EvidenceRules& rules);

// What is known of one way; `logs` must outlive it.
struct WayTimes {
  std::span<const double> logs;  // natural logarithms of the processes' medians in seconds; one at least
  ExpectedVariance expected;     // of ProcessSpread
  // Measured only under disturbance: may be faster than it seems. It leads only if all are disturbed, and
  // is left out of the set only if the leader is shown faster than its fastest sample, best_case_log.
  bool disturbed = false;
  double best_case_log = 0;
  // What the leader is chosen by, smaller first; not a number: the median of `logs`.
  double rank = std::numeric_limits<double>::quiet_NaN();
};

struct Centre {
  double log = 0;       // of the time in seconds
  double variance = 0;  // of it; infinity: not known
  double degrees = 0;
  std::size_t processes = 0;
  // Trimmed, and yet no process far off that may be of a second group: they lie together, or differ as
  // those of other points do. If not, the variance is that of all processes, with the degrees of freedom of
  // the point alone.
  bool steady = true;
  bool together = true;  // its processes lie together (lie_together)
  bool split = false;    // they fall into two groups (split_of)
};
Centre centre_of(const WayTimes& way);
// exp of the centre's bounds (confidence 1 - alpha); 0 and infinity if its variance is not known.
Interval bounds_of(const Centre& centre, double alpha);

enum class PairVerdict : std::uint8_t { undecided = 0, first_faster, second_faster, same };

struct PairEvidence {
  Interval ratio{0, HUGE_VAL};  // second over first, above 1: the second takes longer; confidence 1 - alpha
  PairVerdict verdict = PairVerdict::undecided;
  // The smallest two-sided probability of error at which the bounds show one faster, by rule 1, or if the
  // ranks have their p, by rule 2; 1: at none. Who judges many pairs at once adjusts it for their number.
  // Where the bounds decide by rule 2 the p of the ranks is no part of it: with five processes it is never
  // small enough to be adjusted.
  double p = 1;
  // Undecided: how many processes each would need if they went on as they began; 0: more than
  // kMoreProcessesMost, or one of them falls into groups. At least one more than the fewer of both has.
  std::size_t processes_needed = 0;
};
PairEvidence weigh(const WayTimes& first, const WayTimes& second, const ProcessSpread& spread,
                   const EvidenceRules& rules);
// The same with the second a time that is known exactly, the logarithm of seconds: by rule 1 without
// kHiddenRatio, and from kSignProcessesLeast processes on by the sign test in place of the ranks; below
// a process that lies off without reason does not keep rule 1 from deciding, for all variance counts.
// Never `same`.
PairEvidence weigh(const WayTimes& first, double second_log, const ProcessSpread& spread,
                   const EvidenceRules& rules);

// How many processes each of two ways would need to be told apart, or, where they lie together, to be shown
// to be the same, if they went on as they began; at least one more than the fewer of both has. 0: not with
// kMoreProcessesMost. A smaller rules.alpha asks for the processes that decide at that one.
std::size_t processes_needed(const WayTimes& first, const WayTimes& second, const ProcessSpread& spread,
                             const EvidenceRules& rules);

enum class ContestVerdict : std::uint8_t {
  alone = 0,  // there is no other
  wins,
  tied,
  leads,     // not decided
  doubtful,  // all were measured only under disturbance, or one that was is ahead of the leader
};
std::string_view name_of(ContestVerdict verdict);

struct ContestResult {
  ContestVerdict verdict = ContestVerdict::alone;
  std::size_t leader = 0;
  Split split;                   // of the leader, which then never wins
  std::vector<std::size_t> set;  // holds the best; the leader first, then by time
  // leads: as in PairEvidence, the most of any that the leader does not beat; 0 too where no number of
  // processes decides: the leader or a rival falls into groups, or a rival was disturbed.
  std::size_t processes_needed = 0;
};
// Requires one way at least. Time: linear in the number of ways.
ContestResult decide(std::span<const WayTimes> ways, const ProcessSpread& spread,
                     const EvidenceRules& rules);

}  // namespace kernsweep
