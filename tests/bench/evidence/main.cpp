// Prints the tables of docs/internals/evidence.md: bench_evidence [CONTESTS [RIVALS]], 10,000 without the
// first. With RIVALS only the contests against at most so many, which take a tenth of the time. Status 1 if
// a limit is not kept.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/bench/evidence/contests.hpp"

namespace {

using kernsweep::contests::Cell;
using kernsweep::contests::Counts;
using kernsweep::contests::simulate;
using kernsweep::contests::upper_bound;
using kernsweep::contests::World;

constexpr std::size_t kRivals[] = {1, 2, 10, 50};
constexpr std::size_t kOthers[] = {0, 12};
constexpr std::uint64_t kSeed = 20261123;

struct Kind {
  World world;
  double coin, spread;
  std::size_t from = 2;  // processes, from which on the limits hold
};
constexpr Kind kKinds[] = {{World::normal, 1, 0.02},
                           {World::student, 1, 0.02},
                           {World::coin_even, 2, 0.01},
                           {World::coin_rare, 2, 0.01},
                           {World::coin_usual, 2, 0.01},
                           {World::coin_even, 1.15, 0.01},
                           {World::coin_rare, 1.15, 0.01},
                           {World::coin_usual, 1.15, 0.01},
                           {World::drift, 1, 0.01},
                           {World::one_in_each_block, 2, 0.01, 8},
                           {World::one_in_each_block, 1.15, 0.01, 8},
                           {World::pinned, 2, 0.01}};

std::string name(const Kind& kind) {
  std::string text(name_of(kind.world));
  if (kind.coin > 1) text += kind.coin == 2 ? ", 2x" : ", 1.15x";
  return text;
}

// Every cell: all ways are equal, so that each `wins` is false; and where the first is 2 % faster, the set
// should hold it.
bool errors(std::uint64_t contests, std::size_t rivals_max) {
  bool kept = true;
  std::printf(
      "| processes | rivals | other points | world | false wins, at most | set without the best, at most "
      "|\n"
      "|---|---|---|---|---|---|\n");
  for (const Kind& kind : kKinds)
    for (const std::size_t others : kOthers)
      for (const std::size_t rivals : kRivals) {
        if (rivals > rivals_max) continue;
        double wins = 0, missed = 0;
        std::size_t of_wins = 2;
        for (const std::size_t n : {2, 3, 4, 5, 6, 7, 8, 9, 10, 12}) {
          if (n < kind.from) continue;
          Cell cell{kind.world, kind.coin, kind.spread, n, rivals, 1, others};
          const double w = upper_bound(simulate(cell, contests, kSeed + n).wins, contests);
          cell.advantage = 1.02;
          const Counts set = simulate(cell, contests, kSeed + 100 + n);
          missed = std::max(missed, upper_bound(contests - set.set_holds, contests));
          if (w > wins) of_wins = n;
          wins = std::max(wins, w);
        }
        kept = kept && wins <= 0.01 && missed <= 0.01;
        std::printf("| worst of %zu to 12 (%zu) | %zu | %zu | %s | %.2f %%%s | %.2f %%%s |\n", kind.from,
                    of_wins, rivals, others, name(kind).c_str(), 100 * wins, wins > 0.01 ? " (!)" : "",
                    100 * missed, missed > 0.01 ? " (!)" : "");
        std::fflush(stdout);
      }
  return kept;
}

// The same where a sweep is looked at while it runs, and ends once it is decided.
bool errors_under_stopping(std::uint64_t contests) {
  bool kept = true;
  std::printf(
      "\n| looks | rivals | other points | world | false wins, at most | tied or equal | processes |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const bool from_few : {false, true})
    for (const Kind& kind : kKinds)
      for (const std::size_t others : kOthers)
        for (const std::size_t rivals : {1, 2}) {
          if (from_few && kind.from > 3) continue;
          Cell cell{kind.world, kind.coin, kind.spread, 20, rivals, 1, others};
          cell.looks = {10, 13, 16, 20};
          if (from_few) cell.looks.insert(cell.looks.begin(), {3, 5});
          const Counts counts = simulate(cell, contests, kSeed + 7);
          const double wins = upper_bound(counts.wins, contests);
          kept = kept && wins <= 0.01;
          const auto all = static_cast<double>(contests);
          std::printf("| %s10, 13, 16, 20 | %zu | %zu | %s | %.2f %%%s | %.0f %% | %.1f |\n",
                      from_few ? "3, 5, " : "", rivals, others, name(kind).c_str(), 100 * wins,
                      wins > 0.01 ? " (!)" : "", 100 * static_cast<double>(counts.tied) / all,
                      static_cast<double>(counts.processes) / all);
          std::fflush(stdout);
        }
  return kept;
}

// How often a point whose processes take one or twice the time is called tied with a steady one.
void false_ties(std::uint64_t contests) {
  std::printf(
      "\n| first point | other points | 2 processes | 3 | 5 | 7 | 12 | 21 "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const World world : {World::coin_even, World::coin_rare, World::normal})
    for (const std::size_t others : {0, 12, 45, 100}) {
      std::printf("| %s | %zu |", std::string(name_of(world)).c_str(), others);
      for (const std::size_t n : {2, 3, 5, 7, 12, 21}) {
        const Cell cell{world, 2, 0.002, n, 1, 1, others, 1};
        const Counts counts = simulate(cell, contests, kSeed);
        std::printf(" %.1f %% |", 100.0 * static_cast<double>(counts.tied) / static_cast<double>(contests));
      }
      std::printf("\n");
      std::fflush(stdout);
    }
}

// Two points whose processes take one or twice the time, among steady ones, which make such groups seem
// unlikely: how often one is said to win, and how often they are called tied (of which that is true).
void coins_among_steady(std::uint64_t contests) {
  std::printf("\n| both points | other points, steady | verdict | 2 processes | 3 | 5 | 7 | 12 |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const World world : {World::coin_even, World::coin_rare}) {
    std::string wins, tied;
    for (const std::size_t n : {2, 3, 5, 7, 12}) {
      const Counts counts = simulate({world, 2, 0.002, n, 1, 1, 100, 2}, contests, kSeed);
      const auto percent = [&](std::uint64_t count) {
        char text[32];
        std::snprintf(text, sizeof text, " %.2f %% |",
                      100.0 * static_cast<double>(count) / static_cast<double>(contests));
        return std::string(text);
      };
      wins += percent(counts.wins);
      tied += percent(counts.tied);
    }
    const std::string of = "| " + std::string(name_of(world)) + " | 100 |";
    std::printf("%s false `wins` |%s\n%s `tied` |%s\n", of.c_str(), wins.c_str(), of.c_str(), tied.c_str());
    std::fflush(stdout);
  }
}

void power(std::uint64_t contests, std::size_t others) {
  std::printf("\nother points: %zu\n", others);
  std::printf(
      "| spread of processes | ratio | 2 processes | 3 | 5 | 7 | 8 | 12 "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const double spread : {0.003, 0.01, 0.03, 0.1})
    for (const double ratio : {1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0}) {
      std::printf("| %.1f %% | %.2f |", 100 * spread, ratio);
      for (const std::size_t n : {2, 3, 5, 7, 8, 12}) {
        const Counts counts = simulate({World::normal, 1, spread, n, 2, ratio, others}, contests, kSeed);
        std::printf(" %.0f %% |",
                    100.0 * static_cast<double>(counts.right) / static_cast<double>(contests));
      }
      std::printf("\n");
      std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const auto contests = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000ULL;
  const auto rivals = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 50ULL;
  if (contests == 0 || rivals == 0) {
    std::fprintf(stderr, "%s: the numbers of contests and rivals must be positive\n", argv[0]);
    return 2;
  }
  const bool kept_stopping = errors_under_stopping(contests);
  const bool kept = errors(contests, rivals) && kept_stopping;
  const std::uint64_t fewer = std::max<std::uint64_t>(1, contests / 10);
  false_ties(fewer);
  coins_among_steady(contests);
  for (const std::size_t others : {0, 12}) power(fewer, others);
  std::printf("\n%s\n", kept ? "all limits are kept" : "(!): more than 1 %");
  return kept ? 0 : 1;
}
