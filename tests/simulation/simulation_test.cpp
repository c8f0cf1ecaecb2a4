// Thousands of lives of one small cluster. KERNSWEEP_SEED=n runs one of them; KERNSWEEP_SEEDS=n changes how
// many.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/simulation/cluster.hpp"

namespace kernsweep::simulation {
namespace {

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(Simulation, EveryPromiseIsKeptInEveryLife) {
  std::uint64_t first = 1;
  std::uint64_t count = number_from("KERNSWEEP_SEEDS", 1000);
  if (std::getenv("KERNSWEEP_SEED")) {
    first = number_from("KERNSWEEP_SEED", 1);
    count = 1;
  }
  std::uint64_t rows = 0, jobs = 0, crashes = 0;
  double simulated_s = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Verdict verdict = run_cluster(seed);
    EXPECT_EQ(verdict.violation, "") << "run it alone with KERNSWEEP_SEED=" << seed;
    rows += verdict.rows;
    jobs += verdict.jobs;
    crashes += verdict.crashes;
    simulated_s += verdict.simulated_s;
  }
  std::printf("%llu lives, %.0f simulated seconds: %llu jobs answered in %llu rows, %llu crashes\n",
              static_cast<unsigned long long>(count), simulated_s, static_cast<unsigned long long>(jobs),
              static_cast<unsigned long long>(rows), static_cast<unsigned long long>(crashes));
}

TEST(Simulation, TheSameSeedGivesTheSameActions) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Verdict once = run_cluster(seed);
    const Verdict again = run_cluster(seed);
    EXPECT_EQ(once.hash, again.hash) << "seed " << seed;
    EXPECT_NE(once.hash, run_cluster(seed + 1000).hash) << "the hash sees nothing";
  }
}

}  // namespace
}  // namespace kernsweep::simulation
