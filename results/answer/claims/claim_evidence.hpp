// Whether measured pairs and points confirm or refute a claim. Pure.
//
// A pair is for the claim, against it, or open. It is for or against if its ratio is shown, by the rules of
// shared/stats/contest.hpp, to lie on one side of the nearest end of the claimed range: one side is scaled
// by that end, and p is adjusted for the number of pairs. So a pair that misses the range by less than the
// margin is never against. A pair with a single process on a side is always open, and while there is one,
// only the mean of several pairs decides.
//
// The overall ratio is the geometric mean over the pairs, with the interval of shared/stats/mean_ratio.hpp,
// which takes into account that the pairs of a shared point are not independent; of one pair it is the
// pair's own interval. The interval alone confirms nothing. Each end of the range is asked for by itself:
//   - an end that two equal points would miss (a least of 1 or more, a most of 1 or less) is kept if each
//     pair is shown to lie inside it by rule 1 or 2, with one side scaled by the end, or if the mean is
//     (MeanRatio::shown_above);
//   - an end that two equal points would keep says that a difference is absent. It is kept if the same
//     rules show the ratio to lie on the inner side of 1, or of the end moved towards 1 by kHiddenRatio,
//     whichever asks for less; or if the processes of each point lie together, groups that they do not show
//     are unlikely, and the interval lies inside.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shared/base/claim.hpp"
#include "shared/stats/contest.hpp"

namespace kernsweep {

enum class ClaimVerdict : std::uint8_t { confirmed = 1, refuted, undecided };
std::string_view name_of(ClaimVerdict verdict);

// The processes of two points; the ratio is that of `second` over `first`. Equal numbers of a side are one
// and the same point.
struct ClaimPair {
  WayTimes first, second;
  std::uint32_t first_point = 0, second_point = 0;
};

// Why the whole is neither confirmed nor refuted.
enum class ClaimOpen : std::uint8_t {
  none = 0,  // it is decided
  single,    // a pair has a single process on a side
  interval,  // the interval holds an end of the range
  outside,   // it lies outside, but by no more than equal points may differ
  inside,    // it lies inside, but by no more than that
  margin,    // it lies on one side, but the ratio is nearer to the end than the margin
  apart,     // a difference is claimed to be absent, and processes of one point do not lie together
  groups,    // it is, and a point may have groups that its processes do not show
};
std::string_view name_of(ClaimOpen open);  // "none", ...

enum class ClaimStand : std::uint8_t { open = 1, in_favour, against };

struct WeighedPair {
  double ratio = 1;                  // of the medians over processes
  Interval bounds{0, HUGE_VAL};      // with confidence 1 - alpha, of this pair alone
  double p = 1;                      // adjusted; of the nearest end of the range
  bool single = false;               // fewer than kVerdictProcessesLeast processes on a side
  std::size_t processes_needed = 0;  // open: as in PairEvidence, to be told from that end; 0: not known
  ClaimStand stand = ClaimStand::open;
};

struct ClaimEvidence {
  ClaimVerdict verdict = ClaimVerdict::undecided;
  ClaimOpen open = ClaimOpen::none;  // of an undecided one
  std::size_t processes_needed = 0;  // ClaimOpen::groups: of each point; 0: more than kMoreProcessesMost
  double ratio = 1;
  Interval bounds{0, HUGE_VAL};
  double lowest = 1, highest = 1;
  std::uint64_t against = 0;
  std::uint64_t single = 0;        // pairs with too few processes
  std::uint64_t outside = 0;       // pairs whose ratio is outside the range, significantly or not
  std::vector<WeighedPair> pairs;  // as given
};

// confirmed: both ends of the range are kept, the ratio lies inside, and no pair is against.
// refuted: a pair is against; or the mean of several is shown to lie outside.
// Requires at least one pair.
ClaimEvidence weigh_pairs(std::span<const ClaimPair> pairs, const ClaimRange& range,
                          const ProcessSpread& spread, const EvidenceRules& rules);

// One number for each process of each point, made so that 1 or more is as claimed: gflops / 100 for "at
// least 100"; given are their logarithms. Such a claim is about every point: it is confirmed only when none
// is outside by its own median, too. Points are held against a number as weigh() does, and hide no groups.
// Requires at least one point.
ClaimEvidence weigh_levels(std::span<const WayTimes> points, const ProcessSpread& spread,
                           const EvidenceRules& rules);

}  // namespace kernsweep
