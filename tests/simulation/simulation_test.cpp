// Hundreds of lives of one small cluster. KERNSWEEP_SEED=n runs one of them; KERNSWEEP_SEEDS=n changes how
// many, KERNSWEEP_FIRST_SEED=n from where.
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
  std::uint64_t first = number_from("KERNSWEEP_FIRST_SEED", 1);
  std::uint64_t count = number_from("KERNSWEEP_SEEDS", 400);
  if (std::getenv("KERNSWEEP_SEED")) {
    first = number_from("KERNSWEEP_SEED", 1);
    count = 1;
  }
  Verdict all;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Verdict verdict = run_cluster(seed);
    EXPECT_EQ(verdict.violation, "") << "run it alone with KERNSWEEP_SEED=" << seed;
    all.rows += verdict.rows;
    all.jobs += verdict.jobs;
    all.crashes += verdict.crashes;
    all.faults += verdict.faults;
    for (std::size_t kind = 0; kind < all.faults_of.size(); ++kind)
      all.faults_of[kind] += verdict.faults_of[kind];
    all.sweeps += verdict.sweeps;
    all.retracted += verdict.retracted;
    all.drained += verdict.drained;
    all.shut_out += verdict.shut_out;
    all.gpus_given_up += verdict.gpus_given_up;
    all.cores_given_up += verdict.cores_given_up;
    all.restarted += verdict.restarted;
    all.rounds += verdict.rounds;
    all.simulated_s += verdict.simulated_s;
  }
  std::printf(
      "%llu lives, %.0f simulated seconds: %llu sweeps, %llu jobs answered in %llu rows, %llu faults, "
      "%llu crashes, %llu jobs asked back, %llu workers drained, %llu of them for their failures, %llu "
      "GPUs and %llu cores given up, %llu points restarted, %llu rounds\n",
      static_cast<unsigned long long>(count), all.simulated_s, static_cast<unsigned long long>(all.sweeps),
      static_cast<unsigned long long>(all.jobs), static_cast<unsigned long long>(all.rows),
      static_cast<unsigned long long>(all.faults), static_cast<unsigned long long>(all.crashes),
      static_cast<unsigned long long>(all.retracted), static_cast<unsigned long long>(all.drained),
      static_cast<unsigned long long>(all.shut_out), static_cast<unsigned long long>(all.gpus_given_up),
      static_cast<unsigned long long>(all.cores_given_up), static_cast<unsigned long long>(all.restarted),
      static_cast<unsigned long long>(all.rounds));
  for (std::size_t kind = 0; kind < all.faults_of.size(); ++kind)
    std::printf("%s%llu %s", kind ? ", " : "", static_cast<unsigned long long>(all.faults_of[kind]),
                kFaultNames[kind]);
  std::printf("\n");
  if (count >= 200) {
    EXPECT_GT(all.retracted, 0U);
    EXPECT_GT(all.drained, 0U);
    EXPECT_GT(all.shut_out, 0U);
    EXPECT_GT(all.gpus_given_up, 0U);
    EXPECT_GT(all.cores_given_up, 0U);
    EXPECT_GT(all.restarted, 0U);
    EXPECT_GT(all.rounds, 0U);
  }
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
