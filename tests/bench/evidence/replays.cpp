// Replays recorded sweeps: what a sweep that is looked at while it runs would have decided, had its blocks
// come in another order, and how often what all of its blocks say contradicts that.
//
//   kernsweep sql DB --csv 'select problem, point, process, median_s from ...' | bench_replays [TRIALS]
//
// One line for each process: the number of the problem, of the point, of the block, and the median in
// seconds; a first line with names is skipped. Every point needs the same blocks, 20 at least. A trial
// draws an order of the blocks, asks for 10 of all points, and then for further ones of the points that are
// open, as coordinator/policy/decide.hpp does. Contradicted is a winner that a rival beats by more than the
// margin in all blocks together, and a bound of equality that the medians of all blocks exceed. Decidable
// is a problem whose second point takes longer by more than the margin and 1.2 times the spread of
// processes (the standard deviation of their logarithms). Status 1 if more than 5 % are contradicted, or
// more than 1 % of those that win.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "shared/stats/contest.hpp"

namespace {

using namespace kernsweep;

constexpr std::size_t kLooks[] = {10, 13, 16, 20};

struct Point {
  std::map<std::uint64_t, double> of_block;  // logarithms of seconds
  std::vector<double> logs;                  // in the order of the blocks
  double all = 0;                            // the median of all
};
using Problem = std::vector<Point>;

struct Sweep {
  std::vector<Problem> problems;
  std::size_t blocks = 0;
};

double median_log(std::vector<double> logs) {
  std::ranges::sort(logs);
  const std::size_t half = logs.size() / 2;
  return logs.size() % 2 ? logs[half] : (logs[half - 1] + logs[half]) / 2;
}

bool read_sweep(std::istream& in, Sweep& sweep) {
  std::map<std::uint64_t, std::map<std::uint64_t, Point>> read;
  for (std::string line; std::getline(in, line);) {
    unsigned long long problem = 0, point = 0, block = 0;
    double seconds = 0;
    if (std::sscanf(line.c_str(), "%llu,%llu,%llu,%lf", &problem, &point, &block, &seconds) != 4) continue;
    if (seconds > 0) read[problem][point].of_block[block] = std::log(seconds);
  }
  for (auto& [number, points] : read) {
    Problem problem;
    for (auto& [which, point] : points) {
      for (const auto& [block, log] : point.of_block) point.logs.push_back(log);
      point.all = median_log(point.logs);
      if (sweep.blocks == 0) sweep.blocks = point.logs.size();
      if (point.logs.size() != sweep.blocks) return false;
      problem.push_back(std::move(point));
    }
    sweep.problems.push_back(std::move(problem));
  }
  return sweep.blocks >= kLooks[3];
}

// A problem's logarithm of the second shortest median over the shortest, and the standard deviation of the
// processes of both.
bool is_decidable(const Problem& problem) {
  if (problem.size() < 2) return false;
  std::vector<const Point*> by_time;
  for (const Point& point : problem) by_time.push_back(&point);
  std::ranges::sort(by_time, {}, &Point::all);
  double variance = 0;
  for (const Point* const point : {by_time[0], by_time[1]}) {
    double sum = 0;
    for (const double log : point->logs) sum += (log - point->all) * (log - point->all);
    variance = std::max(variance, sum / static_cast<double>(point->logs.size() - 1));
  }
  return by_time[1]->all - by_time[0]->all > std::log1p(EvidenceRules().margin) + 1.2 * std::sqrt(variance);
}

// The times of each point, in the order of a trial.
class Trial {
 public:
  Trial(const Sweep& sweep, const std::vector<std::size_t>& order) {
    for (const Problem& problem : sweep.problems)
      for (const Point& point : problem) {
        logs_.emplace_back();
        for (const std::size_t block : order) logs_.back().push_back(point.logs[block]);
      }
    has_.assign(logs_.size(), kLooks[0]);
  }

  // For the problem whose first point has this number.
  ContestResult look(std::size_t first, std::size_t count, const EvidenceRules& rules) const {
    ProcessSpread spread;
    for (std::size_t i = 0; i < logs_.size(); ++i) spread.add(seen(i), 0);
    spread.fit();
    std::vector<WayTimes> ways;
    for (std::size_t i = first; i < first + count; ++i)
      ways.push_back({.logs = seen(i), .expected = spread.expected(0, seen(i)[0])});
    return decide(ways, spread, rules);
  }
  void ask(std::size_t point, std::size_t processes) { has_[point] = processes; }
  std::size_t asked() const { return std::accumulate(has_.begin(), has_.end(), std::size_t{0}); }

 private:
  std::span<const double> seen(std::size_t point) const {
    return std::span(logs_[point]).first(has_[point]);
  }

  std::vector<std::vector<double>> logs_;
  std::vector<std::size_t> has_;
};

struct Counts {
  std::uint64_t problems = 0, decided = 0, decidable = 0, decidable_decided = 0, wins = 0, wrong_wins = 0,
                wrong = 0, processes = 0;
};

bool is_contradicted(const ContestResult& result, const Problem& problem) {
  const double margin = std::log1p(EvidenceRules().margin), led = problem[result.leader].all;
  if (result.verdict == ContestVerdict::wins)
    return std::ranges::any_of(problem, [&](const Point& point) { return led - point.all > margin; });
  if (result.verdict == ContestVerdict::leads) return false;
  const double bound = std::log1p(std::max(result.equal_within, EvidenceRules().margin));
  return std::ranges::any_of(result.set,
                             [&](std::size_t i) { return std::abs(problem[i].all - led) > bound; });
}

void run(const Sweep& sweep, const std::vector<std::size_t>& order, std::span<const std::size_t> looks,
         double alpha_share, Counts& counts) {
  EvidenceRules rules;
  rules.alpha *= alpha_share;
  Trial trial(sweep, order);
  std::size_t first = 0;
  for (const Problem& problem : sweep.problems) {
    ContestResult result;
    for (std::size_t i = first; i < first + problem.size(); ++i) trial.ask(i, looks.front());
    for (std::size_t at = 0;; ++at) {
      result = trial.look(first, problem.size(), rules);
      if (result.verdict != ContestVerdict::leads || at + 1 == looks.size()) break;
      trial.ask(first + result.leader, looks[at + 1]);
      for (const std::size_t i : result.open) trial.ask(first + i, looks[at + 1]);
    }
    const bool is_decided = result.verdict != ContestVerdict::leads;
    const bool may_be = is_decidable(problem), is_wrong = is_contradicted(result, problem);
    ++counts.problems;
    counts.decided += is_decided;
    counts.decidable += may_be;
    counts.decidable_decided += may_be && is_decided;
    counts.wins += result.verdict == ContestVerdict::wins;
    counts.wrong += is_wrong;
    counts.wrong_wins += is_wrong && result.verdict == ContestVerdict::wins;
    first += problem.size();
  }
  counts.processes += trial.asked();
}

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

void print(const char* name, const Counts& counts, std::uint64_t trials) {
  std::printf("| %s | %.1f %% | %.1f %% | %.2f %% | %.2f %% | %.1f |\n", name,
              share(counts.decided, counts.problems), share(counts.decidable_decided, counts.decidable),
              share(counts.wrong, counts.decided), share(counts.wrong_wins, counts.wins),
              static_cast<double>(counts.processes) / static_cast<double>(trials));
}

}  // namespace

int main(int argc, char** argv) {
  const auto trials = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000ULL;
  Sweep sweep;
  if (trials == 0 || !read_sweep(std::cin, sweep)) {
    std::fprintf(stderr,
                 "%s: give a positive number of trials, and points with the same 20 blocks or more\n",
                 argv[0]);
    return 2;
  }
  std::mt19937_64 random(20261129);
  std::vector<std::size_t> order(sweep.blocks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Counts looked;
  std::map<std::size_t, Counts> fixed;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    std::ranges::shuffle(order, random);
    run(sweep, order, kLooks, kLookShare, looked);
    for (std::size_t n = 8; n <= sweep.blocks; n += 4) run(sweep, order, std::span(&n, 1), 1, fixed[n]);
  }
  std::printf(
      "| processes | decided | of the decidable | contradicted | of `wins` | processes of a sweep |\n"
      "|---|---|---|---|---|---|\n");
  print("10 to 20, looked at", looked, trials);
  for (const auto& [n, counts] : fixed) print(("each " + std::to_string(n)).c_str(), counts, trials);
  const bool kept = 20 * looked.wrong <= looked.decided && 100 * looked.wrong_wins <= looked.wins;
  return kept ? 0 : 1;
}
