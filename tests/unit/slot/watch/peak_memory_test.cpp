#include "worker/slot/watch/peak_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kernsweep {
namespace {

TEST(PeakMemory, IsInTheStatusInKib) {
  EXPECT_EQ(peak_of_status("Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t     123 kB\nVmRSS:\t  7 kB\n"),
            123u * 1024);
  EXPECT_EQ(peak_of_status("VmHWM: 5 kB"), 5u * 1024);
}

TEST(PeakMemory, AnythingElseIsNotKnown) {
  for (const char* text :
       {"", "VmHWM:", "VmHWM:\t\n", "VmHWM:\tx kB\n", "VmHWM:\t-1 kB\n", "VmHWM:\t5 MB\n", "VmHWM:\t5",
        "XVmHWM:\t5 kB\n", "VmHWM:\t99999999999999999999 kB\n", "VmHWM:\t18446744073709551615 kB\n"})
    EXPECT_FALSE(peak_of_status(text)) << text;
}

class PeakMemoryFilesTest : public testing::Test {
 protected:
  PeakMemoryFilesTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    tell(100);
  }
  ~PeakMemoryFilesTest() override { std::filesystem::remove_all(folder_); }

  void tell(int kib) const { std::ofstream(status()) << "VmHWM:\t " << kib << " kB\n"; }
  std::string status() const { return folder_ + "/status"; }
  std::string clear_refs() const { return folder_ + "/clear_refs"; }
  std::string written() const {
    std::ostringstream all;
    all << std::ifstream(clear_refs()).rdbuf();
    return all.str();
  }

  std::string folder_ = testing::TempDir() + "kernsweep_peak_memory_" + std::to_string(getpid());
};

TEST_F(PeakMemoryFilesTest, IsSetBackForEachJobThatWantsIt) {
  std::ofstream{clear_refs()};
  PeakMemory peak(clear_refs(), status());
  peak.begin_job(true);
  EXPECT_EQ(written(), "5");
  EXPECT_EQ(peak.bytes(), 100u * 1024);
  std::ofstream{clear_refs()};  // empties it
  tell(50);
  peak.begin_job(true);
  EXPECT_EQ(written(), "5");
  EXPECT_EQ(peak.bytes(), 50u * 1024);
}

TEST_F(PeakMemoryFilesTest, AJobThatDoesNotWantItPaysNothing) {
  std::ofstream{clear_refs()};
  PeakMemory peak(clear_refs(), status());
  peak.begin_job(false);
  EXPECT_EQ(written(), "");
  EXPECT_FALSE(peak.bytes());
}

TEST_F(PeakMemoryFilesTest, WhatCannotBeSetBackIsTheFirstJobsOnly) {
  PeakMemory peak(folder_ + "/not_there", status());
  peak.begin_job(true);
  EXPECT_EQ(peak.bytes(), 100u * 1024);
  peak.begin_job(true);
  EXPECT_FALSE(peak.bytes());
  PeakMemory later(folder_ + "/not_there", status());
  later.begin_job(false);
  later.begin_job(true);
  EXPECT_FALSE(later.bytes()) << "the job before it is in there too";
}

TEST_F(PeakMemoryFilesTest, WithoutAStatusThereIsNone) {
  PeakMemory peak(folder_ + "/not_there", folder_ + "/nor_there");
  peak.begin_job(true);
  EXPECT_FALSE(peak.bytes());
}

// Memory that the previous job had touched and freed is no longer in it.
TEST(PeakMemory, OfThisProcessDoesNotCountTheJobBefore) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  PeakMemory peak;
  peak.begin_job(true);
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kBytes);
  munmap(memory, kBytes);
  const auto first = peak.bytes();
  ASSERT_TRUE(first);
  EXPECT_GE(*first, kBytes);
  peak.begin_job(true);
  const auto second = peak.bytes();
  if (!second) GTEST_SKIP() << "this system does not let a process set its peak back";
  EXPECT_LT(*second, *first - kBytes / 2);
}

}  // namespace
}  // namespace kernsweep
