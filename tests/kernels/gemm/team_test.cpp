#include "kernels/cpu/parallel/tbb.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace kernsweep {
namespace {

std::unique_ptr<Team> made(int threads) {
  ks_status status = KS_OK;
  char why[64];
  return Team::make(threads, status, {why, sizeof why});
}

TEST(Team, CallsEachIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    const auto team = made(threads);
    for (const std::int64_t count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      team->each(count, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& times : calls) EXPECT_EQ(times.load(), 1) << threads << " threads, " << count;
    }
  }
}

TEST(Team, NeverComputesOnMoreThreadsThanItHas) {
  for (const int threads : {1, 2}) {
    const auto team = made(threads);
    std::mutex guard;
    std::set<std::thread::id> seen;
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    team->each(5000, [&](std::int64_t) {
      const int now = ++inside;
      int before = most.load();
      while (before < now && !most.compare_exchange_weak(before, now)) {
      }
      {
        const std::lock_guard lock(guard);
        seen.insert(std::this_thread::get_id());
      }
      --inside;
    });
    EXPECT_LE(most.load(), threads);
    EXPECT_LE(seen.size(), static_cast<std::size_t>(threads));
  }
}

// Two indices that wait for each other end only when two threads run them at once, whatever the number of
// cores.
TEST(Team, ReallyHasAsManyThreadsAsAsked) {
  const auto team = made(2);
  std::atomic<int> arrived{0};
  team->each(2, [&](std::int64_t) {
    ++arrived;
    while (arrived.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived.load(), 2);
}

}  // namespace
}  // namespace kernsweep
