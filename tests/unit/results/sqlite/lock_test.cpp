// A database that another program has begun to write to: waited for, never taken for a failure of the disk.
#include "results/sqlite/lock_wait.hpp"

#include <unistd.h>

#include "results/sqlite/sqlite.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using sqlite::Connection;
using test::asked;
using test::Folder;
using test::good;
using test::Job;
using test::sweep_named;

struct LockTest : testing::Test {
  Folder folder;
  std::string path = folder.file("r.db");
  Store store = good(Store::open_for_writing(path));
  SweepId id = good(store.begin_sweep(sweep_named("s", {"a"}))).id;
  Connection other = good(Connection::open(path, Connection::Mode::create));
  int questions = 0;

  void lock() { good(other.execute("begin immediate")); }
  void unlock() { good(other.execute("rollback")); }
  Status put(std::uint64_t index) {
    Job job(id, index, {1});
    const auto recorded = store.record(job.ready());
    if (!recorded) return tl::unexpected(recorded.error());
    return store.commit();
  }
  std::string jobs() {
    return asked(path, "select group_concat(job) from (select job from s order by job)");
  }
};

TEST_F(LockTest, ABatchWaitsUntilTheDatabaseIsFreeAndIsWholeThen) {
  lock();
  store.while_locked([&](double) {
    if (++questions == 3) unlock();
    return true;
  });
  EXPECT_TRUE(put(0));
  EXPECT_EQ(questions, 3);
  EXPECT_EQ(jobs(), "0");
}

TEST_F(LockTest, ABatchThatMayNotWaitIsNotStoredAndMayBeOfferedAgain) {
  EXPECT_TRUE(put(0));
  lock();
  store.while_locked([&](double waited_s) {
    EXPECT_GE(waited_s, 0);
    return ++questions < 3;
  });
  EXPECT_FALSE(put(1));
  EXPECT_EQ(questions, 3) << "the lock is asked about, so that it is told from a failure";
  unlock();
  EXPECT_TRUE(put(1));
  EXPECT_TRUE(put(2));
  EXPECT_EQ(jobs(), "0,1,2");
}

TEST_F(LockTest, NothingButALockIsAskedAbout) {
  store.while_locked([&](double) { return ++questions < 3; });
  EXPECT_TRUE(put(0));
  Job unknown(SweepId{99}, 0, {1});
  EXPECT_FALSE(store.record(unknown.ready()));
  EXPECT_EQ(questions, 0);
}

TEST_F(LockTest, OpeningWaitsToo) {
  const std::string fresh = folder.file("fresh.db");
  Connection holder = good(Connection::open(fresh, Connection::Mode::create));
  good(holder.execute("pragma journal_mode = wal; begin immediate"));
  Store::Options options;
  options.while_locked = [&](double) {
    if (++questions == 3) good(holder.execute("rollback"));
    return true;
  };
  EXPECT_TRUE(Store::open_for_writing(fresh, options));
  EXPECT_EQ(questions, 3);
}

TEST_F(LockTest, WhoHasTheDatabaseOpenIsNamedButNotThisProcess) {
  EXPECT_THAT(others_with_open(path), testing::IsEmpty());
  int ready[2] = {}, ended[2] = {};
  ASSERT_EQ(pipe(ready) + pipe(ended), 0);
  const pid_t child = fork();  // has what this process has open, but no use for it
  if (child == 0) {
    char byte = 0;
    close(ended[1]);
    _exit(write(ready[1], &byte, 1) == 1 && read(ended[0], &byte, 1) == 0 ? 0 : 1);
  }
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_THAT(others_with_open(path),
              testing::ElementsAre(testing::EndsWith("(pid " + std::to_string(child) + ")")));
  EXPECT_THAT(others_with_open(folder.file("r")), testing::IsEmpty());
  for (const int end : {ready[0], ready[1], ended[0], ended[1]}) close(end);
}

}  // namespace
}  // namespace kernsweep
