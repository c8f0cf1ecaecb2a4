// From points to jobs: numbering, order, keys.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "language/space/permutation.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;

// "position/process/h" of every job.
std::vector<std::string> jobs_of(const Expansion& e) {
  std::vector<std::string> out;
  for (std::uint64_t i = 0; i < e.raw_jobs(); ++i) {
    const auto job = e.job_at(i);
    out.push_back(std::to_string(job.position) + "/" + std::to_string(job.process) +
                  (job.cache == Cache::hot ? "/h" : "/c"));
  }
  return out;
}

// What every point has, and what it may have.
std::string processes_of(const std::string& measure, bool decide = false) {
  Replacements replacements;
  replacements.decide = decide;
  const auto e = parsed("axes: {a: [1, 2]}\nmeasure: {" + measure + "}", replacements);
  if (!e) return e.error().message;
  return std::to_string(e->sweep().processes_least) + " to " + std::to_string(e->sweep().processes);
}

TEST(Jobs, ProcessesMayHaveBounds) {
  EXPECT_EQ(processes_of(""), "10 to 20");
  EXPECT_EQ(processes_of("order: sequential"), "12 to 12");
  EXPECT_EQ(processes_of("processes: 5"), "5 to 5");
  EXPECT_EQ(processes_of("processes: {min: 4, max: 4}"), "4 to 4");
  EXPECT_EQ(processes_of("processes: {min: 4}"), "4 to 20");
  EXPECT_EQ(processes_of("processes: {min: 30}"), "30 to 30");
  EXPECT_EQ(processes_of("processes: {max: 8}"), "8 to 8");
  EXPECT_EQ(processes_of("processes: {max: 40}"), "10 to 40");
  EXPECT_EQ(processes_of("", true), "10 to 20");
  EXPECT_EQ(processes_of("processes: 5", true), "5 to 20");
  EXPECT_EQ(processes_of("processes: {min: 3, max: 7}", true), "3 to 7");
  const auto many = parsed("axes: {a: {range: [1, 9]}}\nmeasure: {processes: {max: 20}}");
  EXPECT_EQ(many->sweep().processes_least, 3U);
  EXPECT_EQ(expansion_of("axes: {a: {range: [1, 9]}}").sweep().processes, 3U)
      << "a large one decides if asked";
}

TEST(Jobs, BoundsThatCannotBeKeptAreRefused) {
  EXPECT_THAT(processes_of("processes: {min: 9, max: 5}"), IsGolden());
  EXPECT_THAT(processes_of("processes: {min: 0}"), IsGolden());
  EXPECT_THAT(processes_of("processes: {least: 3}"), IsGolden());
  EXPECT_THAT(processes_of("processes: many"), IsGolden());
  EXPECT_THAT(processes_of("processes: {min: 3}, order: sequential"), IsGolden());
}

TEST(Jobs, InterleaveMeasuresAllPointsBeforeAnyAgain) {
  const auto e =
      expansion_of("axes: {a: [1, 2]}\nmeasure: {processes: 2, cache: [hot, cold], order: interleave}");
  EXPECT_THAT(jobs_of(e),
              ElementsAre("0/0/h", "1/0/h", "0/0/c", "1/0/c", "0/1/h", "1/1/h", "0/1/c", "1/1/c"));
}

TEST(Jobs, SequentialMeasuresAPointInARow) {
  const auto e =
      expansion_of("axes: {a: [1, 2]}\nmeasure: {processes: 2, cache: [hot, cold], order: sequential}");
  EXPECT_THAT(jobs_of(e),
              ElementsAre("0/0/h", "0/1/h", "0/0/c", "0/1/c", "1/0/h", "1/1/h", "1/0/c", "1/1/c"));
}

TEST(Jobs, ShuffleIsAPermutationOfEachRoundAndFollowsTheSeed) {
  const std::string file = "axes: {a: {range: [1, 100]}}\nmeasure: {processes: 2}\n";
  const auto e = expansion_of(file);
  std::vector<std::uint64_t> rounds[2];
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto job = e.job_at(i);
    EXPECT_EQ(job.process, i / 100);
    rounds[i / 100].push_back(job.position);
  }
  for (const auto& round : rounds)
    EXPECT_EQ(std::set<std::uint64_t>(round.begin(), round.end()).size(), 100u);
  EXPECT_NE(rounds[0], rounds[1]);
  EXPECT_EQ(jobs_of(e), jobs_of(expansion_of(file)));
  EXPECT_NE(jobs_of(e), jobs_of(expansion_of(file + "seed: 2")));
}

// One block for each process and cache, all points in each. With 100 points two blocks in the same order,
// or one in the file's, happen once in 100! files.
TEST(Jobs, ComeInBlocksOfTheirOwnRandomOrderUnlessTheFileSaysOtherwise) {
  const auto e = expansion_of(
      "axes: {a: {range: [1, 100]}}\nmeasure: {processes: 2, cache: [hot, cold]}\n"
      "include: [{a: 500}]");
  std::set<std::vector<std::uint64_t>> orders;
  for (std::uint64_t block = 0; block < 4; ++block) {
    std::vector<std::uint64_t> order;
    for (std::uint64_t place = 0; place < 101; ++place) {
      const auto job = e.job_at(block * 101 + place);
      EXPECT_EQ(job.process, block / 2);
      EXPECT_EQ(job.cache, block % 2 == 0 ? Cache::hot : Cache::cold);
      order.push_back(job.position);
    }
    EXPECT_EQ(std::set<std::uint64_t>(order.begin(), order.end()).size(), 101u) << "each point once";
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 4u);
}

// Half of 3000 blocks of two variants begin with the second: 1500, with a deviation of 27. With three
// variants each order has a sixth of the blocks: 500, with a deviation of 20. Six deviations are allowed.
TEST(Jobs, EveryOrderOfFewVariantsIsAsLikely) {
  std::uint64_t second_first = 0;
  std::map<std::vector<std::uint64_t>, int> orders;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::string rest = "measure: {processes: 1000}\nseed: " + std::to_string(seed);
    const auto of_two = expansion_of("axes: {variant: [x, y]}\n" + rest);
    const auto of_three = expansion_of("axes: {variant: [x, y, z]}\n" + rest);
    for (std::uint64_t block = 0; block < 1000; ++block) {
      second_first += of_two.job_at(2 * block).position;
      std::vector<std::uint64_t> order;
      for (std::uint64_t place = 0; place < 3; ++place)
        order.push_back(of_three.job_at(3 * block + place).position);
      ++orders[order];
    }
  }
  EXPECT_NEAR(static_cast<double>(second_first), 1500, 6 * 27);
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [order, times] : orders) EXPECT_NEAR(times, 500, 6 * 20);
}

// Stored rows name jobs by their numbers.
TEST(Jobs, AreNumberedTheSameInEveryBuild) {
  EXPECT_THAT(jobs_of(expansion_of("axes: {a: [1, 2, 3, 4, 5]}\nmeasure: {processes: 2}")),
              ElementsAre("4/0/h", "3/0/h", "2/0/h", "0/0/h", "1/0/h", "3/1/h", "1/1/h", "2/1/h", "0/1/h",
                          "4/1/h"));
}

TEST(Permutation, HitsEveryNumberOfItsRangeOnce) {
  for (const std::uint64_t size : {1u, 2u, 3u, 4u, 5u, 17u, 64u, 65u, 1000u, 4097u}) {
    const Permutation permutation(size, 42);
    std::vector<bool> met(size, false);
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto to = permutation(i);
      ASSERT_LT(to, size);
      ASSERT_FALSE(met[to]) << "size " << size << " index " << i;
      met[to] = true;
    }
  }
}

TEST(Permutation, TellsWhatIsPermutedToANumber) {
  for (const std::uint64_t size : {1u, 2u, 3u, 5u, 64u, 65u, 1000u}) {
    const Permutation permutation(size, 42);
    for (std::uint64_t i = 0; i < size; ++i) ASSERT_EQ(permutation.index_of(permutation(i)), i);
  }
}

TEST(Jobs, OfAPointAreFoundInEachOrder) {
  for (const char* order : {"shuffle", "interleave", "sequential"}) {
    const auto e =
        expansion_of("axes: {a: {range: [1, 30]}}\nmeasure: {processes: 3, cache: [hot, cold], order: " +
                     std::string(order) + "}");
    std::vector<std::vector<std::uint64_t>> expected(30);
    for (std::uint64_t i = 0; i < e.raw_jobs(); ++i) expected[e.job_at(i).position].push_back(i);
    for (std::uint64_t position = 0; position < 30; ++position)
      EXPECT_EQ(e.jobs_of(position), expected[position]) << order << " " << position;
  }
}

TEST(Permutation, StaysInRangeUpToItsLargestSize) {
  for (const std::uint64_t size : {(std::uint64_t{1} << 62), (std::uint64_t{1} << 61) + 1}) {
    const Permutation permutation(size, 1);
    for (const std::uint64_t i : {std::uint64_t{0}, size / 2, size - 1}) EXPECT_LT(permutation(i), size);
  }
}

std::string key_at(const Expansion& e, std::uint64_t position, Cache cache = Cache::hot,
                   std::uint32_t process = 0) {
  Point point;
  e.point_at(position, point);
  return e.key_of(point, {position, cache, process}).hex();
}

TEST(Keys, DifferForEverythingThatIsMeasuredDifferently) {
  const std::string base = "axes: {m: [1, 2]}\n";
  std::set<std::string> keys;
  const auto e = expansion_of(base);
  keys.insert(key_at(e, 0));
  keys.insert(key_at(e, 1));
  keys.insert(key_at(e, 0, Cache::cold));
  keys.insert(key_at(e, 0, Cache::hot, 1));
  keys.insert(key_at(expansion_of(base + "seed: 2"), 0));
  keys.insert(key_at(expansion_of(base + "measure: {samples: {min: 11}}"), 0));
  keys.insert(key_at(expansion_of(base + "verify: false"), 0));
  keys.insert(key_at(expansion_of(base + "overrides: [{when: m == 1, set: {measure.stop.noise: 1%}}]"), 0));
  keys.insert(key_at(expansion_of("axes: {m: ['1']}"), 0));     // text, not a number
  keys.insert(key_at(expansion_of("axes: {m: [1, 2.5]}"), 0));  // 1.0
  keys.insert(key_at(expansion_of("axes: {n: [1]}"), 0));
  keys.insert(Expansion::parse("sweep: 1\nname: n\nkernel: conv\naxes: {m: [1]}", "s", {})
                  .map([](const Expansion& other) { return key_at(other, 0); })
                  .value());
  keys.insert(Expansion::parse("sweep: 1\nname: n\ncommand: gemm\naxes: {m: [1]}", "s", {})
                  .map([](const Expansion& other) { return key_at(other, 0); })
                  .value());
  EXPECT_EQ(keys.size(), 13u);
}

TEST(Keys, AreEqualInDifferentSweepsThatMeasureTheSame) {
  const std::string key = key_at(expansion_of("axes: {m: [1], n: [2]}"), 0);
  // Another order of axes, other points, an absent axis, notes, derived columns, timeouts and retries
  // change nothing.
  EXPECT_EQ(key, key_at(expansion_of("axes: {n: [2, 3], m: [1]}"), 0));
  EXPECT_EQ(key,
            key_at(expansion_of("axes: {s: [{label: x, m: 1, n: 2, count: 5}]}\nderive: {f: m * n}"), 0));
  EXPECT_EQ(
      key,
      key_at(expansion_of("axes: {m: [1], n: [2], x: {values: [1], when: m == 9}, env.Y: [null]}"), 0));
  EXPECT_EQ(key, key_at(expansion_of("axes: {m: [1], n: [2]}\ntimeout: {run: 9s}\nretry: {max: 0}"), 0));
  EXPECT_EQ(key, key_at(expansion_of("axes: {m: [1], n: [2]}\nmeasure: {interference: 50%}"), 0));
}

TEST(Keys, HoldTheFilesThatASweepDependsOn) {
  const std::string base = "axes: {m: [1]}\n";
  const std::string none = key_at(expansion_of(base), 0);
  EXPECT_EQ(key_at(expansion_of(base + "depends: []"), 0), none) << "results of before are found";
  const std::string both = key_at(expansion_of(base + "depends: [a, b]"), 0);
  EXPECT_NE(both, none);
  EXPECT_NE(both, key_at(expansion_of(base + "depends: [a]"), 0));
  EXPECT_NE(both, key_at(expansion_of(base + "depends: ['a b']"), 0));
  EXPECT_EQ(both, key_at(expansion_of(base + "depends: [b, a, b]"), 0)) << "a list without an order";
}

TEST(Keys, AreTheSameInEveryBuild) {
  // Results of earlier versions are found by this key: a change of its recipe must be meant.
  EXPECT_EQ(key_at(expansion_of("axes: {m: [1], d: [f32]}"), 0), "06b636180fc34cff6c77c4b438132a12");
}

TEST(Jobs, AnyThreadMayAsk) {
  const auto e = expansion_of(
      "axes: {m: {range: [0, 999]}}\nderive: {h: m % 7}\nconstraints: [h != 3]\n"
      "overrides: [{when: m % 2 == 0, set: {measure.samples.min: 20}}, "
      "{when: m % 3 == 0, set: {measure.samples.max: 999}}]");
  std::vector<std::string> keys[2];
  const auto ask = [&](std::vector<std::string>& out) {
    Point point;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      e.point_at(i, point);
      if (!e.rejection(i, point)) out.push_back(e.key_of(point, {i, Cache::hot, 0}).hex());
    }
  };
  std::thread other([&] { ask(keys[1]); });
  ask(keys[0]);
  other.join();
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_EQ(std::set<std::string>(keys[0].begin(), keys[0].end()).size(), keys[0].size());
}

}  // namespace
}  // namespace kernsweep::sweep_test
