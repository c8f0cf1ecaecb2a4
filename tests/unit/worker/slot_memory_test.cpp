#include "worker/process/slot_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "tests/golden_text/golden_text.hpp"

namespace kernsweep::worker {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kHostHasPlenty = UINT64_MAX;
const MemoryGiven kByOption{1024 * kMiB, true};
const MemoryGiven kByItself{1024 * kMiB, false};

MemoryUse data(const std::string& program, std::uint64_t used_mib, std::uint64_t most_mib = 1024) {
  return {program, used_mib * kMiB, most_mib * kMiB, 0, 0};
}

TEST(SlotMemory, OneNearItsLimitIsToldWithWhatRaisesIt) {
  EXPECT_EQ(note_of({data("slot", 1000)}, kByOption, kHostHasPlenty),
            "slot used 1000 MiB of private memory; the limit is 1024 MiB (--memory): a request for more "
            "fails, or may wait forever; raise it by --memory");
  EXPECT_EQ(
      note_of({data("slot", 1000)}, kByItself, kHostHasPlenty),
      "slot used 1000 MiB of private memory; the limit is 1024 MiB (four fifths of this machine's): a "
      "request for more fails, or may wait forever; make the problem smaller, or use a "
      "machine with more memory");
}

TEST(SlotMemory, NearIsWhereAPieceOf128MiBOrAnEighthOfTheLimitFindsNoRoom) {
  EXPECT_EQ(note_of({data("slot", 896)}, kByItself, kHostHasPlenty), "");
  EXPECT_THAT(note_of({data("slot", 897)}, kByItself, kHostHasPlenty), IsGolden());
  EXPECT_EQ(note_of({data("slot", 7168, 8192)}, {8192 * kMiB, false}, kHostHasPlenty), "");
  EXPECT_THAT(note_of({data("slot", 7169, 8192)}, {8192 * kMiB, false}, kHostHasPlenty), IsGolden());
}

// One piece may be larger than all that is left.
TEST(SlotMemory, ALimitThatSomebodyChoseIsToldAlwaysAndWithoutAGuess) {
  EXPECT_EQ(note_of({data("slot", 10)}, kByOption, kHostHasPlenty),
            "slot used 10 MiB of private memory; the limit is 1024 MiB (--memory)");
}

TEST(SlotMemory, TheProcessThatIsNearestIsTold) {
  EXPECT_THAT(note_of({data("slot", 20), data("prog", 1020), data("sh", 1)}, kByItself, kHostHasPlenty),
              IsGolden());
}

TEST(SlotMemory, LimitsOfOthersAreNotOurs) {
  EXPECT_THAT(note_of({data("slot", 60, 64)}, kByOption, kHostHasPlenty), IsGolden());
  const MemoryUse space{"slot", 0, 0, 2000 * kMiB, 2048 * kMiB};
  EXPECT_EQ(note_of({space}, kByOption, kHostHasPlenty),
            "slot used 2000 MiB of address space; the limit is 2048 MiB (ulimit -v): a request for more "
            "fails, or "
            "may wait forever; raise it by ulimit -v");
}

TEST(SlotMemory, WithoutALimitThereIsNothingToTell) {
  EXPECT_EQ(note_of({data("slot", 100000, 0)}, {0, false}, kHostHasPlenty), "");
  EXPECT_EQ(note_of({}, kByOption, kHostHasPlenty), "");
}

TEST(SlotMemory, AHostThatHasNoneLeftIsTold) {
  EXPECT_THAT(note_of({}, kByItself, 3 * kMiB), IsGolden());
  EXPECT_EQ(note_of({}, kByItself, 64 * kMiB), "");
}

// A process of a group of its own that has taken this much, with a limit that is not ours.
TEST(SlotMemory, EachProcessOfTheGroupIsLookedAt) {
  constexpr rlim_t kMost = rlim_t{1} << 60;  // a sanitizer has terabytes
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    const rlimit limit{kMost, kMost};
    setrlimit(RLIMIT_DATA, &limit);
    void* const taken =
        mmap(nullptr, 64 * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const char done = taken == MAP_FAILED ? 'n' : 'y';
    if (write(ends[1], &done, 1) == 1) pause();
    _exit(0);
  }
  ASSERT_GT(child, 0);
  char done = 0;
  ASSERT_EQ(read(ends[0], &done, 1), 1);
  ASSERT_EQ(done, 'y');
  const auto uses = memory_of_group(child);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_GE(uses[0].data, 64 * kMiB);
  EXPECT_GE(uses[0].space, uses[0].data);
  EXPECT_EQ(uses[0].data_max, kMost);
  EXPECT_EQ(uses[0].program, "unit_worker");
  EXPECT_TRUE(memory_of_group(child).empty()) << "it has ended";
}

}  // namespace
}  // namespace kernsweep::worker
