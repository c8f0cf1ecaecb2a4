// How much processes of one point differ, learnt from all points of a sweep and from earlier measurements
// of the host. Pure.
//
// Processes of one point run the same code on the same input, and yet differ: in their memory layout, in
// the load of the machine, in the clock. Two or three processes of one point say little about that; the
// other points of the sweep add to it. Two quantities are estimated:
//   the variance   that is expected of a point with few processes. It is estimated by an inverse
//                  chi-squared prior (Smyth 2004), fitted by likelihood within strata and, in each, within
//                  bins of similar times. A small number of degrees of freedom, as where some points are
//                  far noisier than others, makes it borrow less. A point's own variance is never made
//                  smaller.
//   the gap        by which two processes of one point may differ: a high quantile of the ratios that were
//                  seen. A variance does not describe processes that fall into groups (5 ms or 10 ms, by
//                  the page colours); the gap does, as soon as one point shows both groups.
// All numbers are natural logarithms of seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kernsweep {

// Where the expected variance of a point comes from; degrees 0: nothing was learnt.
struct ExpectedVariance {
  double variance = 0;
  double degrees = 0;
};

class ProcessSpread {
 public:
  // One point of the sweep: the logarithms of its processes' medians, in any order; the stratum is the
  // caller's number for points that are alike (threads, state of the caches). Requires finite numbers.
  void add(std::span<const double> logs, std::uint32_t stratum);
  // Adds a point of an earlier sweep of the host: it counts for the gap and for unseen_groups_risk only,
  // because other code has other variances.
  void add_earlier(std::span<const double> logs);
  // Must be called after the last point.
  void fit();

  // The expected variance of a point of that stratum whose mean is `log_time`.
  ExpectedVariance expected(std::uint32_t stratum, double log_time) const;

  // The logarithm of the ratio that two processes of one point do not exceed in 99 % of the pairs that were
  // seen; each point counts with its number of processes minus one. With fewer than 100 pairs: the largest
  // ratio. 0: no pair.
  double gap() const { return gap_; }

  // The largest probability, over all ways in which processes may choose between two groups at random, that
  // two points of n processes each lie wholly in different groups while every other point that was added
  // lies in one. If it is small, unseen groups cannot be the reason why two points differ. Two of the
  // points that were added are taken to be these two. Without other points it is 2 / 2^n at least: a
  // disturbance of one of the two in each block may choose the same one each time. Requires n > 0.
  double hidden_groups_risk(std::size_t n) const;

  // An estimate of the probability that one of two points, with `first` and `second` processes that all
  // agree, has groups of processes that these do not show, so that its centre lies elsewhere. The share of
  // points that have groups is estimated from all other points, earlier sweeps included, by (s + 1/2) / (m
  // + 1): s points that are split (split_of), m points that would be if they had groups (Jeffreys' prior).
  // A point of k processes that agree counts as 1 - g(k) of one, because it may not show its groups: g(k) =
  // (2/3)^k + (1/3)^k, as where one process in three belongs to the other group. Rarer groups are not
  // accounted for. Requires 2 processes or more on both sides. At most 1.
  double unseen_groups_risk(std::size_t first, std::size_t second) const;

 private:
  struct Point {
    double log_time = 0, variance = 0;
    std::uint32_t processes = 0, stratum = 0;
  };
  struct Bin {
    std::uint32_t stratum = 0;
    double log_time_max = 0;
    ExpectedVariance expected;
  };
  struct Pair {
    double gap = 0, weight = 0;
  };
  // Pairs of processes of one point. With very many points only every n-th counts.
  struct Pairs {
    std::vector<Pair> pairs;
    std::size_t step = 1, seen = 0;
    void add(std::span<const double> logs);
    double quantile();  // 0: no pair
  };
  static constexpr std::size_t kRisks = 6;
  double risk_of(std::size_t n) const;
  void count_groups(std::span<const double> logs);

  std::vector<Point> points_;
  Pairs own_, earlier_;
  std::vector<std::uint64_t> with_processes_;  // number of points with this many processes, 2 or more
  std::vector<Bin> bins_;                      // by stratum, then by time
  ExpectedVariance overall_;
  double gap_ = 0;
  double split_points_ = 0, telling_points_ = 0;  // s and m of unseen_groups_risk, of all points
  double risks_[kRisks] = {1, 1, 1, 1, 1, 1};     // of n processes, up to 5
};

}  // namespace kernsweep
