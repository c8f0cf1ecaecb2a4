#include "tensors/available_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kernsweep {
namespace {

class AvailableMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "available_memory_" + std::to_string(getpid()) + "/";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(AvailableMemoryTest, IsWhatTheHostHasWhereNoGroupLimits) {
  put("proc/meminfo", "MemTotal: 900 kB\nMemFree: 1 kB\nMemAvailable:     500 kB\n");
  put("proc/self/cgroup", "0::/\n");
  EXPECT_EQ(available_memory_under(root_), 500u * 1024);
}

TEST_F(AvailableMemoryTest, IsWhatTheTightestGroupOnTheWayUpLeaves) {
  put("proc/meminfo", "MemAvailable: 500 kB\n");
  put("proc/self/cgroup", "0::/job/step\n");
  put("sys/fs/cgroup/job/step/memory.max", "max\n");
  put("sys/fs/cgroup/job/step/memory.current", "1000\n");
  put("sys/fs/cgroup/job/memory.max", "5000\n");
  put("sys/fs/cgroup/job/memory.current", "4000\n");
  EXPECT_EQ(available_memory_under(root_), 1000u);
  // File cache can be dropped: 4000 used, including 1500 of cache, leave 2500.
  put("sys/fs/cgroup/job/memory.stat", "anon 2500\nfile 1500\ninactive_file 1500\nactive_file 0\n");
  EXPECT_EQ(available_memory_under(root_), 2500u);
  // A group beyond its limit has nothing, not a huge unsigned number.
  put("sys/fs/cgroup/job/memory.current", "9000\n");
  EXPECT_EQ(available_memory_under(root_), 0u);
}

TEST_F(AvailableMemoryTest, IsNoLimitWhereNothingIsKnown) {
  EXPECT_EQ(available_memory_under(root_), ~std::uint64_t{0});
}

TEST_F(AvailableMemoryTest, OfThisHostIsAnAnswer) {
  EXPECT_GT(available_memory(), 1u << 20);
}

}  // namespace
}  // namespace kernsweep
