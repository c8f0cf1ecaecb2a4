// Whether measured pairs and points confirm or refute a claim. Pure.
//
// A pair is for the claim, against it, or open. It is for or against if its ratio is shown, by the rules of
// shared/stats/contest.hpp, to lie on one side of the nearest end of the claimed range: one side is scaled
// by that end, and p is adjusted for the number of pairs. So a pair that misses the range by less than the
// margin is never against. A pair with a single process on a side is always open, and while there is one,
// the claim is not decided by its interval.
//
// The overall ratio is the geometric mean over the pairs, with the interval of shared/stats/mean_ratio.hpp,
// which takes into account that the pairs of a shared point are not independent.
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
  double ratio = 1;
  Interval bounds{0, HUGE_VAL};
  double lowest = 1, highest = 1;
  std::uint64_t against = 0;
  std::uint64_t single = 0;        // pairs with too few processes
  std::uint64_t outside = 0;       // pairs whose ratio is outside the range, significantly or not
  std::vector<WeighedPair> pairs;  // as given
};

// confirmed: the interval of the overall ratio lies inside the range, and no pair is against or single.
// refuted: a pair is against; or that interval lies outside, and no pair is single.
// Requires at least one pair.
ClaimEvidence weigh_pairs(std::span<const ClaimPair> pairs, const ClaimRange& range,
                          const ProcessSpread& spread, const EvidenceRules& rules);

// One number for each process of each point, made so that 1 or more is as claimed: gflops / 100 for "at
// least 100"; given are their logarithms. Such a claim is about every point: it is confirmed only when none
// is outside by its own median. Requires at least one point.
ClaimEvidence weigh_levels(std::span<const WayTimes> points, const ProcessSpread& spread,
                           const EvidenceRules& rules);

}  // namespace kernsweep
