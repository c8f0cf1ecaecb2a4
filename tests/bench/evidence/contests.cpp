#include "tests/bench/evidence/contests.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <numbers>
#include <random>
#include <span>

namespace kernsweep::contests {

namespace {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) / 9007199254740992.0; }
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  // The time of one process; `when`: the share of the sweep that is over.
  double of(const Cell& cell, World world, double when) {
    const double noise = cell.spread * normal();
    switch (world) {
      case World::normal:
        return noise;
      case World::student: {
        double squares = 0;
        for (int i = 0; i < 3; ++i) squares += std::pow(normal(), 2);
        return noise / std::sqrt(squares / 3);
      }
      case World::coin_even:
        return noise + (uniform() < 0.5 ? std::log(cell.coin) : 0);
      case World::coin_rare:
        return noise + (uniform() < 0.2 ? std::log(cell.coin) : 0);
      case World::coin_usual:
        return noise + (uniform() < 0.8 ? std::log(cell.coin) : 0);
      case World::drift:
        return noise + 0.1 * when;
      case World::one_in_each_block:
      case World::pinned:  // block by block, in simulate()
        return noise;
    }
    return noise;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace

std::string_view name_of(World world) {
  switch (world) {
    case World::normal:
      return "normal";
    case World::student:
      return "Student t3";
    case World::coin_even:
      return "coin 50/50";
    case World::coin_rare:
      return "coin 80/20";
    case World::coin_usual:
      return "coin 20/80";
    case World::drift:
      return "drift";
    case World::one_in_each_block:
      return "one in each block";
    case World::pinned:
      return "pinned neighbour";
  }
  return "normal";
}

namespace {

// The contest of the first `ways` points, by the first processes of each.
ContestResult look_at(std::span<const std::vector<double>> logs, std::size_t ways, std::size_t processes,
                      const EvidenceRules& rules) {
  const auto seen = [&](std::size_t i) { return std::span(logs[i]).first(processes); };
  ProcessSpread spread;
  for (std::size_t i = 0; i < logs.size(); ++i) spread.add(seen(i), 0);
  spread.fit();
  std::vector<WayTimes> times;
  for (std::size_t i = 0; i < ways; ++i)
    times.push_back({.logs = seen(i), .expected = spread.expected(0, logs[i][0])});
  return decide(times, spread, rules);
}

}  // namespace

Counts simulate(const Cell& cell, std::uint64_t contests, std::uint64_t seed) {
  Noise noise(seed);
  Counts counts;
  const std::size_t ways = cell.rivals + 1;
  std::vector<std::vector<double>> logs(ways + cell.others, std::vector<double>(cell.processes));
  for (std::uint64_t c = 0; c < contests; ++c) {
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const World world = i < cell.of_world ? cell.world : World::normal;
      // The n-th processes of all points lie near each other in time.
      for (std::size_t p = 0; p < cell.processes; ++p)
        logs[i][p] = noise.of(
            cell, world, (static_cast<double>(p) + noise.uniform()) / static_cast<double>(cell.processes));
      const bool rival = i > 0 && i < ways;
      for (double& log : logs[i]) log += rival ? std::log(cell.advantage) : 0;
    }
    for (std::size_t p = 0; p < cell.processes; ++p) {
      const auto hit = static_cast<std::size_t>(noise.uniform() * static_cast<double>(ways));
      if (cell.world == World::one_in_each_block) logs[hit][p] += std::log(cell.coin);
      if (cell.world != World::pinned || p % 2 == 0) continue;
      for (auto& point : logs) point[p] += std::log(cell.coin);
    }
    EvidenceRules rules;
    if (!cell.looks.empty()) rules.alpha *= kLookShare;
    ContestResult result;
    std::size_t seen = 0;
    for (const std::size_t look : cell.looks.empty() ? std::vector{cell.processes} : cell.looks) {
      result = look_at(logs, ways, seen = look, rules);
      if (result.verdict != ContestVerdict::leads) break;
    }
    ++counts.contests;
    counts.processes += seen;
    counts.wins += result.verdict == ContestVerdict::wins ? 1 : 0;
    counts.right += result.verdict == ContestVerdict::wins && result.leader == 0 ? 1 : 0;
    counts.tied += result.verdict == ContestVerdict::tied ? 1 : 0;
    counts.set_size += result.set.size();
    counts.set_holds += std::ranges::count(result.set, std::size_t{0}) > 0 ? 1 : 0;
  }
  return counts;
}

double upper_bound(std::uint64_t events, std::uint64_t trials) {
  if (events >= trials) return 1;
  const auto seen = static_cast<double>(events), all = static_cast<double>(trials);
  return boost::math::quantile(boost::math::beta_distribution<double>(seen + 1, all - seen), 0.95);
}

}  // namespace kernsweep::contests
