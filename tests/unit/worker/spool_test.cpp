#include "worker/spool/spool.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "tests/unit/worker/spool_fixture.hpp"
#include "worker/spool/spool_folder.hpp"

namespace kernsweep {
namespace {

const std::string kDatabase(16, 'd');
const std::string kOther(16, 'o');

class SpoolTest : public testing::Test {
 protected:
  SpoolPlace place(const std::string& endpoint = "tcp://h:1", const std::string& host = "h f00") const {
    SpoolPlace made;
    made.folder = home_.folder();
    made.host = host;
    made.endpoint = endpoint;
    return made;
  }

  // As a worker that was killed leaves it: the file is there, and no process holds it. Returns its
  // instance.
  std::string leave(int outcomes, const std::string& database = kDatabase, int released = 0) const {
    Spool spool(place("tcp://left:1"));
    spool.begin(database);
    spool.learn(software_of("s"));
    for (int i = 0; i < outcomes; ++i)
      spool.keep(attempt_of(static_cast<std::uint64_t>(i)), outcome_of(static_cast<std::uint64_t>(i), "b"));
    for (int i = 0; i < released; ++i) spool.release({attempt_of(static_cast<std::uint64_t>(i))});
    spool.tend(Instant{});
    return spool.instance();
  }

  SpoolHome home_;
};

TEST_F(SpoolTest, ANewSpoolIsEmptyAndOfItsOwnInstance) {
  const Spool one(place());
  const Spool two(place());
  EXPECT_TRUE(one.empty());
  EXPECT_EQ(one.instance().size(), 16U);
  EXPECT_NE(one.instance(), two.instance());
  EXPECT_EQ(one.database(), "");
}

TEST_F(SpoolTest, WhatAKilledWorkerLeftIsTakenOverWithItsInstance) {
  const std::string instance = leave(3, kDatabase, 1);
  const Spool next(place("tcp://left:1"));
  EXPECT_EQ(next.instance(), instance);
  EXPECT_EQ(next.database(), kDatabase);
  EXPECT_EQ(next.outcomes().size(), 2U);
  EXPECT_FALSE(next.find(attempt_of(0)));
  ASSERT_TRUE(next.find(attempt_of(2)));
  EXPECT_EQ(next.find(attempt_of(2))->body(), "b");
  EXPECT_EQ(next.software().count("s"), 1U);
}

TEST_F(SpoolTest, ASecondWorkerDoesNotTakeWhatTheFirstHolds) {
  leave(2);
  const Spool first(place("tcp://left:1"));
  const Spool second(place("tcp://left:1"));
  EXPECT_EQ(first.outcomes().size(), 2U);
  EXPECT_TRUE(second.empty());
  EXPECT_NE(first.instance(), second.instance());
}

TEST_F(SpoolTest, AtAnotherAddressItIsTakenOnceTheDatabaseIsKnown) {
  leave(2);
  Spool moved(place("tcp://moved:2"));
  EXPECT_TRUE(moved.empty());
  moved.begin(kDatabase);
  EXPECT_EQ(moved.outcomes().size(), 2U);
  EXPECT_EQ(home_.files(".spool").size(), 1U);
}

TEST_F(SpoolTest, AnotherDatabasesOutcomesStayWhereTheyAre) {
  leave(2);
  {
    Spool stranger(place("tcp://moved:2"));
    stranger.begin(kOther);
    EXPECT_TRUE(stranger.empty());
  }
  EXPECT_EQ(home_.files(".spool").size(), 1U);
  EXPECT_EQ(Spool(place("tcp://left:1")).outcomes().size(), 2U);
}

TEST_F(SpoolTest, AnotherHostsOutcomesStayWhereTheyAre) {
  leave(2);
  Spool elsewhere(place("tcp://left:1", "other f00"));
  elsewhere.begin(kDatabase);
  EXPECT_TRUE(elsewhere.empty());
}

TEST_F(SpoolTest, WithoutADatabaseThereIsNoFile) {
  for (const std::string& unknown : {std::string(), std::string("short")}) {
    Spool spool(place());
    spool.begin(unknown);
    spool.keep(attempt_of(1), outcome_of(1, "b"));
    spool.tend(Instant{});
    EXPECT_FALSE(spool.on_disk());
    EXPECT_EQ(spool.outcomes().size(), 1U);
  }
  EXPECT_TRUE(home_.files("").empty());
}

TEST_F(SpoolTest, WithAllReleasedTheFileGoes) {
  leave(2, kDatabase, 2);
  EXPECT_TRUE(home_.files("").empty());
}

TEST_F(SpoolTest, OneThatFollowsLeavesTheFileAndNotItsPlace) {
  const std::string instance = leave(2);
  {
    Spool former(place("tcp://left:1"));
    Spool next = former.follow();
    EXPECT_EQ(next.instance(), instance);
    EXPECT_EQ(next.database(), "");
    EXPECT_TRUE(next.empty());
    next.begin(kOther);
    EXPECT_TRUE(next.on_disk());
  }
  Spool back(place("tcp://left:1"));
  EXPECT_EQ(back.outcomes().size(), 2U);
  EXPECT_NE(back.instance(), instance);
}

TEST_F(SpoolTest, OutcomesOfSweepsThatAreOverGo) {
  Spool spool(place());
  spool.begin(kDatabase);
  spool.keep(attempt_of(1), outcome_of(1, "b"));
  const SweepId sweep = attempt_of(1).job.sweep;
  spool.release_sweeps({SweepId{sweep.value + 1}});
  EXPECT_EQ(spool.outcomes().size(), 1U);
  spool.release_sweeps({sweep, SweepId{sweep.value + 1}});
  EXPECT_TRUE(spool.empty());
}

TEST_F(SpoolTest, IsFullByWhatItMeasuredItself) {
  leave(50);
  SpoolPlace small = place("tcp://left:1");
  small.bytes_max = 4000;
  Spool spool(small);
  EXPECT_EQ(spool.outcomes().size(), 50U);
  EXPECT_FALSE(spool.full());
  spool.keep(attempt_of(100), outcome_of(100, std::string(4000, 'x')));
  EXPECT_TRUE(spool.full());
  spool.release({attempt_of(100)});
  EXPECT_FALSE(spool.full());
}

TEST_F(SpoolTest, KeepingTwiceIsKeepingOnce) {
  SpoolPlace small = place();
  small.bytes_max = 1000;
  Spool spool(small);
  for (int i = 0; i < 100; ++i) spool.keep(attempt_of(1), outcome_of(1, std::string(500, 'x')));
  EXPECT_FALSE(spool.full());
  spool.release({attempt_of(1), attempt_of(1)});
  EXPECT_TRUE(spool.empty());
}

TEST_F(SpoolTest, AFileThatIsMostlyOverIsWrittenAnew) {
  SpoolPlace small = place();
  small.file_bytes_max = 10'000;
  Spool spool(small);
  spool.begin(kDatabase);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    spool.keep(attempt_of(i), outcome_of(i, std::string(1000, 'x')));
    if (i > 0) spool.release({attempt_of(i)});
    spool.tend(Instant{});
  }
  spool.keep(attempt_of(1000), outcome_of(1000, "the last"));
  // A million bytes were kept. The file is rewritten when the writer has nothing else to do: not before the
  // last of them, and then without what was released.
  const auto settled = [this] {
    const auto files = home_.files(".spool");
    if (files.empty()) return false;
    const std::string content = content_of(files[0]);
    const auto outcomes = read_spool(content).outcomes;
    return content.size() <= 10'000 && outcomes.size() == 2 && outcomes.count(attempt_of(0)) == 1 &&
           outcomes.count(attempt_of(1000)) == 1;
  };
  while (!settled()) {
    spool.tend(Instant{});
    std::this_thread::yield();
  }
}

TEST_F(SpoolTest, ADamagedFileIsSetAsideAndTheRestIsDelivered) {
  leave(3);
  const std::string path = home_.files(".spool").at(0);
  std::string broken = content_of(path);
  broken[broken.size() - 3] = static_cast<char>(~broken[broken.size() - 3]);
  write_file(path, broken);
  {
    const Spool next(place("tcp://left:1"));
    EXPECT_EQ(next.outcomes().size(), 2U);
    ASSERT_EQ(home_.files(".damaged").size(), 1U);
    EXPECT_EQ(content_of(home_.files(".damaged")[0]), broken);
  }
  EXPECT_EQ(Spool(place("tcp://left:1")).outcomes().size(), 2U);
  EXPECT_EQ(home_.files(".damaged").size(), 1U) << "told once";
}

TEST_F(SpoolTest, AFileOfNobodyIsSetAside) {
  write_file(home_.folder() + "/rubbish.spool", std::string(300, 'r'));
  const Spool spool(place());
  EXPECT_TRUE(spool.empty());
  EXPECT_EQ(home_.files(".spool").size(), 0U);
  EXPECT_EQ(home_.files(".damaged").size(), 1U);
}

TEST_F(SpoolTest, FilesThatNobodyFetchesAreCountedAfterAMonth) {
  const std::string file = home_.folder() + "/old.spool";
  std::ofstream(file) << "x";
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(file, now - std::chrono::hours(29 * 24));
  EXPECT_EQ(count_forgotten(home_.folder()), 0U);
  std::filesystem::last_write_time(file, now - std::chrono::hours(31 * 24));
  EXPECT_EQ(count_forgotten(home_.folder()), 1U);
  {
    const int held = open(file.c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
    EXPECT_EQ(count_forgotten(home_.folder()), 0U) << "a worker has it";
    close(held);
  }
  EXPECT_EQ(count_forgotten(home_.folder() + "/nowhere"), 0U);
}

TEST_F(SpoolTest, AFolderThatCannotBeWrittenIsToldBeforehand) {
  write_file(home_.folder() + "/file", "");
  EXPECT_FALSE(prepare_spool_folder(home_.folder() + "/file/spool"));
  EXPECT_TRUE(prepare_spool_folder(home_.folder() + "/a/b/spool"));
}

// No file of this process may have more bytes: as if the disk were full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

TEST_F(SpoolTest, AFullDiskCostsTheFileButNoOutcomeAndIsTriedAgain) {
  {
    const FullDisk disk(20'000);
    Spool spool(place());
    spool.begin(kDatabase);
    for (std::uint64_t i = 0; i < 100; ++i) {
      spool.keep(attempt_of(i), outcome_of(i, std::string(1000, 'x')));
      spool.tend(Instant{});
    }
    // No time passes for the spool: it does not try again.
    while (spool.on_disk()) {
      spool.tend(Instant{});
      std::this_thread::yield();
    }
    EXPECT_EQ(spool.outcomes().size(), 100U);
    for (std::uint64_t i = 0; i < 95; ++i) spool.release({attempt_of(i)});
    // There is room for five: after a while it is written again.
    while (!spool.on_disk()) {
      spool.tend(Instant{} + std::chrono::minutes(1));
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(Spool(place()).outcomes().size(), 5U);
}

}  // namespace
}  // namespace kernsweep
