#include "worker/slot/measure/cache_eviction.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  KS_ASSERT(sched_getaffinity(0, sizeof set, &set) == 0);
  return set;
}

std::vector<CacheEviction::Core> own_cores(std::uint64_t cache_bytes) {
  const cpu_set_t set = affinity();
  std::vector<CacheEviction::Core> cores;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cores.push_back({cpu, cache_bytes});
  return cores;
}

TEST(CacheEviction, GoesThreeTimesOverEachCoresShare) {
  EXPECT_EQ(CacheEviction({{0, 16 * kMebibyte}, {1, 16 * kMebibyte}}, 32 * kMebibyte).buffer_bytes(),
            96 * kMebibyte);
  EXPECT_EQ(CacheEviction({{0, 32 * kMebibyte}, {8, 32 * kMebibyte}}, 64 * kMebibyte).buffer_bytes(),
            192 * kMebibyte);
}

TEST(CacheEviction, GoesOverALargerCacheThatIsNotTheCoresTooAndNeverOverLessThan32MiB) {
  EXPECT_EQ(CacheEviction({{0, 16 * kMebibyte}}, 50 * kMebibyte).buffer_bytes(), 150 * kMebibyte)
      << "a GPU's";
  EXPECT_EQ(CacheEviction({{0, kMebibyte}, {1, kMebibyte}}, 2 * kMebibyte).buffer_bytes(), 32 * kMebibyte);
  EXPECT_EQ(CacheEviction({}, kMebibyte).buffer_bytes(), 32 * kMebibyte);
  EXPECT_EQ(CacheEviction({}, 0).buffer_bytes(), 32 * kMebibyte);
}

TEST(CacheEviction, LeavesTheThreadWhereItMayRunAsItWas) {
  const cpu_set_t before = affinity();
  const int cpu = sched_getcpu();
  CacheEviction eviction(own_cores(kMebibyte), kMebibyte);
  ASSERT_TRUE(eviction.run());
  EXPECT_TRUE(eviction.has_buffer());
  const cpu_set_t after = affinity();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  if (own_cores(1).size() == 1) {
    EXPECT_EQ(sched_getcpu(), cpu);
  }
  eviction.forget();
  EXPECT_FALSE(eviction.has_buffer());
}

TEST(CacheEviction, OfACoreThatTheThreadMayNotUseIsDoneWhereItIs) {
  const cpu_set_t before = affinity();
  CacheEviction eviction({{CPU_SETSIZE, kMebibyte}, {CPU_SETSIZE - 1, kMebibyte}}, kMebibyte);
  EXPECT_TRUE(eviction.run());
  const cpu_set_t after = affinity();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(CacheEviction, WithoutMemoryForItSaysSo) {
#ifdef KERNSWEEP_SANITIZED
  GTEST_SKIP() << "AddressSanitizer ends a program that asks for so much";
#endif
  CacheEviction eviction({}, std::uint64_t{1} << 55);
  EXPECT_FALSE(eviction.run());
  EXPECT_FALSE(eviction.has_buffer());
}

}  // namespace
}  // namespace kernsweep
