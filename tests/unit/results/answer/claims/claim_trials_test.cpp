// Simulated claims: how often equal code is called different, and different code confirmed. The seeds are
// fixed. KERNSWEEP_TRIALS=N makes N trials of each and prints the numbers of docs/internals/claims.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "results/answer/claims/claim_evidence.hpp"

namespace kernsweep {
namespace {

// `groups` points on the first side, each with `partners` on the second: 1 x 24 is one way compared with 24
// settings of another. Processes of all points vary by 1 %.
struct Layout {
  int groups, partners, processes;
};

// In addition to the 1 %, this share of processes takes twice as long, on both sides or on the first alone.
// `others`: further points of the sweep, which are steady to 0.2 % and have as many processes.
struct Groups {
  double share = 0;
  bool both = true;
  int others = 0;
};

struct Rates {
  double confirmed = 0, refuted = 0, covered = 0;
  double decided() const { return confirmed + refuted; }
};

class Trials {
 public:
  explicit Trials(const Layout& layout, const Groups& groups = {}) : layout_(layout), coin_(groups) {}

  // Of the claim `range`, "faster" if not given, where the second side takes `ratio` times as long.
  Rates of(double ratio, int trials, const ClaimRange& range = {}) {
    Rates out;
    const char* const wished = std::getenv("KERNSWEEP_TRIALS");
    if (wished) trials = std::atoi(wished);
    for (int t = 0; t < trials; ++t) {
      const ClaimEvidence found = one(ratio, range);
      out.confirmed += found.verdict == ClaimVerdict::confirmed ? 1.0 / trials : 0;
      out.refuted += found.verdict == ClaimVerdict::refuted ? 1.0 / trials : 0;
      out.covered += found.bounds.low <= ratio && ratio <= found.bounds.high ? 1.0 / trials : 0;
    }
    if (wished)
      std::printf(
          "%2d points with %2d partners, %2d processes, %g as long, %g %% in a slower group%s, %d others: "
          "confirmed %.2f %%, refuted %.2f %%, interval holds it in %.1f %%\n",
          layout_.groups, layout_.partners, layout_.processes, ratio, 100 * coin_.share,
          coin_.both ? "" : " of the first", coin_.others, 100 * out.confirmed, 100 * out.refuted,
          100 * out.covered);
    return out;
  }

 private:
  std::vector<double> point(double centre, double share, double spread = 0.01) {
    std::vector<double> logs;
    for (int p = 0; p < layout_.processes; ++p) {
      const double group = uniform_(engine_) < share ? std::log(2.0) : 0;
      logs.push_back(std::log(centre) + group + spread * normal_(engine_));
    }
    return logs;
  }

  ClaimEvidence one(double ratio, const ClaimRange& range) {
    std::vector<std::vector<double>> first, second;
    ProcessSpread spread;
    for (int g = 0; g < layout_.groups; ++g) {
      first.push_back(point(1, coin_.share));
      for (int p = 0; p < layout_.partners; ++p)
        second.push_back(point(ratio, coin_.both ? coin_.share : 0));
    }
    for (const auto* side : {&first, &second})
      for (const auto& logs : *side) spread.add(logs, 0);
    for (int i = 0; i < coin_.others; ++i) spread.add(point(1, coin_.both ? coin_.share : 0, 0.002), 0);
    spread.fit();
    const auto way = [&](const std::vector<double>& logs) {
      return WayTimes{.logs = logs, .expected = spread.expected(0, logs[0])};
    };
    std::vector<ClaimPair> pairs;
    for (std::uint32_t b = 0; b < second.size(); ++b) {
      const std::uint32_t a = b / static_cast<std::uint32_t>(layout_.partners);
      pairs.push_back({way(first[a]), way(second[b]), a, b});
    }
    return weigh_pairs(pairs, range, spread, {});
  }

  const Layout layout_;
  const Groups coin_;
  std::mt19937_64 engine_{7};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

// At most 1 % of 300 verdicts should be wrong, which is 3; 9 or more would be chance in 4 of 1,000 cases.
constexpr int kTrials = 300;
constexpr double kWrongMost = 8.5 / kTrials;

// A point that was measured a little too slow makes all its 24 partners look faster.
TEST(ClaimTrials, OnePointWithManyPartnersDecidesNothingByItsOwnError) {
  for (const int processes : {3, 5, 10}) {
    const Rates rates = Trials({1, 24, processes}).of(1, kTrials);
    EXPECT_LE(rates.decided(), kWrongMost) << processes << " processes";
    EXPECT_GE(rates.covered, 1 - kWrongMost) << processes << " processes";
  }
}

TEST(ClaimTrials, FewPointsWithManyPartnersDoNotEither) {
  for (const Layout& layout : {Layout{2, 12, 3}, Layout{6, 4, 3}, Layout{8, 8, 3}, Layout{12, 4, 5}}) {
    const Rates rates = Trials(layout).of(1, kTrials);
    EXPECT_LE(rates.decided(), kWrongMost) << layout.groups << " x " << layout.partners;
    EXPECT_GE(rates.covered, 1 - kWrongMost) << layout.groups << " x " << layout.partners;
  }
}

TEST(ClaimTrials, NorDoPairsOfTheirOwnPoints) {
  for (const int pairs : {1, 3, 6, 12, 24}) {
    const Rates rates = Trials({pairs, 1, 3}).of(1, kTrials);
    EXPECT_LE(rates.decided(), kWrongMost) << pairs << " pairs";
    EXPECT_GE(rates.covered, 1 - kWrongMost) << pairs << " pairs";
  }
}

// Processes of all points take one time or twice that, by chance: the worst case of the rules for pairs.
TEST(ClaimTrials, GroupsOfProcessesMakeEqualCodeDifferentAsRarely) {
  for (const double share : {0.5, 0.2, 0.8})
    for (const int others : {0, 12})
      for (const Layout& layout : {Layout{1, 1, 3}, Layout{1, 1, 5}, Layout{2, 1, 3}, Layout{2, 1, 5},
                                   Layout{6, 1, 3}, Layout{1, 12, 3}, Layout{1, 12, 5}, Layout{4, 3, 5}}) {
        const Rates rates = Trials(layout, {.share = share, .others = others}).of(1, kTrials);
        EXPECT_LE(rates.decided(), kWrongMost)
            << layout.groups << " x " << layout.partners << " x " << layout.processes << ", " << share;
      }
}

// The first point of each pair takes one time or twice that, by chance, the second one the shorter: on
// average they are not the same. Half of the processes in each group, as the table of `tied` has it
// (docs/internals/evidence.md): with three processes of each and 100 other points 12.6 %, with five 2.6 %.
// A mean of three pairs needs three such points.
TEST(ClaimTrials, ThatADifferenceIsAbsentIsConfirmedNoMoreOftenThanTied) {
  const ClaimRange same{0.95, 1.05, true};
  EXPECT_EQ(Trials({1, 1, 3}, {0.5, false, 12}).of(1, kTrials, same).confirmed, 0);
  EXPECT_EQ(Trials({1, 1, 5}, {0.5, false, 12}).of(1, kTrials, same).confirmed, 0);
  EXPECT_LE(Trials({1, 1, 5}, {0.5, false, 100}).of(1, kTrials, same).confirmed, 0.08);
  EXPECT_LE(Trials({3, 1, 5}, {0.5, false, 100}).of(1, kTrials, same).confirmed, kWrongMost);
  EXPECT_GE(Trials({1, 1, 5}, {0, true, 45}).of(1, 100, same).confirmed, 0.95);
  EXPECT_GE(Trials({3, 1, 5}, {0, true, 45}).of(1, 100, same).confirmed, 0.95);
}

// 12 pairs of 3 processes: the standard error of the mean is 1 % * sqrt(2 / 36) = 0.24 %, a twelfth of 3 %.
TEST(ClaimTrials, WhatIsFasterIsConfirmedAllTheSame) {
  EXPECT_GE(Trials({12, 1, 3}).of(1.03, 100).confirmed, 0.95);
  // For a single pair of 3 processes, unseen groups could be the reason, up to a factor of two.
  EXPECT_EQ(Trials({1, 1, 3}).of(1.1, 100).confirmed, 0);
  EXPECT_GE(Trials({1, 1, 3}).of(2.2, 100).confirmed, 0.95);
  EXPECT_GE(Trials({1, 24, 10}).of(1.03, 100).confirmed, 0.8);
}

}  // namespace
}  // namespace kernsweep
