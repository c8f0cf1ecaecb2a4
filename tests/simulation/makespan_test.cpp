// How long a sweep takes on several hosts, over the best that is possible: real cores of both kinds, calm
// weather, time of the simulation only.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "tests/simulation/coordinator_host.hpp"
#include "tests/simulation/worker_host.hpp"

namespace kernsweep::simulation {
namespace {

// Jobs of one core that may run side by side.
class SteadyPlan : public Plan {
 public:
  explicit SteadyPlan(std::vector<Duration> lengths)
      : Plan(1, lengths.size()), lengths_(std::move(lengths)) {}
  bool wanted(std::uint64_t) const override { return true; }
  std::uint32_t cores(std::uint64_t) const override { return 1; }
  std::optional<std::string> unfit(std::uint64_t, const coordinator::HostFacts&) const override {
    return std::nullopt;
  }
  bool poison(std::uint64_t) const override { return false; }
  bool killer(std::uint64_t) const override { return false; }
  Duration busy(std::uint64_t index) const override { return lengths_[index]; }
  worker::Order order(const AttemptId& attempt) const override {
    worker::Order order;
    order.attempt = attempt;
    order.alone_on = Exclusion::core;
    order.run_timeout = 1h;
    return order;
  }

 private:
  std::vector<Duration> lengths_;
};

struct Race {
  Duration took{};
  std::uint64_t retracted = 0;
};

Race race(const std::vector<Duration>& lengths, const std::vector<std::uint32_t>& hosts) {
  World world(1);
  world.calm = true;
  world.faults = false;
  Network network(world);
  Archive archive(world);
  Script script;
  script.plans.push_back(std::make_shared<SteadyPlan>(lengths));
  Measurements measurements;
  CoordinatorHost coordinator(world, network, archive, script, measurements);
  std::uint32_t instances = 0;
  std::vector<std::unique_ptr<WorkerHost>> workers;
  for (const std::uint32_t cores : hosts) {
    const auto number = static_cast<std::uint32_t>(workers.size() + 1);
    workers.push_back(std::make_unique<WorkerHost>(world, network, script, measurements,
                                                   coordinator::HostFacts{number, cores, 0, 0}, instances));
  }
  coordinator.submit(SweepId{1});
  coordinator.start();
  for (auto& worker : workers) worker->start();
  while (world.step(Instant{1h}) && !coordinator.over()) {
  }
  EXPECT_EQ(world.violation, "");
  EXPECT_EQ(archive.answers().size(), lengths.size());
  return {world.now.since_start, coordinator.retracted};
}

double over(const Race& run, Duration ideal) {
  const double ratio = seconds(run.took) / seconds(ideal);
  std::printf("%.4f of the ideal %.3f s, %llu jobs asked back\n", ratio, seconds(ideal),
              static_cast<unsigned long long>(run.retracted));
  return ratio;
}

TEST(Makespan, EqualJobsOfATenthOfASecondTakeAHundredthMoreThanTheIdeal) {
  // 1 + 2 + 4 cores, 100 jobs a core: 10 s.
  EXPECT_LE(over(race(std::vector<Duration>(700, 100ms), {1, 2, 4}), 10s), 1.01);
}

TEST(Makespan, TheLastJobsAreSpreadThoughTheHostsDiffer) {
  // 13 cores; 1,300 jobs and 5 more: one round more, 10.1 s.
  EXPECT_LE(over(race(std::vector<Duration>(1305, 100ms), {1, 8, 4}), 10100ms), 1.01);
}

TEST(Makespan, NobodyWaitsBehindAJobOfAHundredTimesTheLength) {
  // Job 40 takes 10 s. 1 + 2 + 4 cores share 699 x 0.1 + 10 = 79.9 s: 11.414 s, and no schedule of jobs of
  // 0.1 s is promised to end better than one of them later.
  std::vector<Duration> lengths(700, 100ms);
  lengths[40] = 10s;
  EXPECT_LE(over(race(lengths, {1, 2, 4}), 11414ms), 1.02);
}

TEST(Makespan, WorkMovesFromAHostWithLongJobsToIdleOnes) {
  // The first 8 jobs take 2 s each and all go to the first worker: 2 a core. 8 cores could do them at once;
  // that worker alone would need 4 s.
  const Race run = race(std::vector<Duration>(8, 2s), {4, 1, 1, 1, 1});
  EXPECT_LE(over(run, 2s), 1.2);
  EXPECT_GT(run.retracted, 0U);
}

TEST(Makespan, ShortJobsOnUnequalHostsEndTogether) {
  // 10,000 jobs of 2 ms on 5 cores: 4 s.
  EXPECT_LE(over(race(std::vector<Duration>(10000, 2ms), {1, 4}), 4s), 1.05);
}

}  // namespace
}  // namespace kernsweep::simulation
