#include "worker/slot/watch/thread_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace kernsweep {
namespace {

using testing::ElementsAre;

// A second of wall time, nearly all of it within samples.
ThreadWork work(std::vector<double> threads_s, double elsewhere_s = 0) {
  return {std::move(threads_s), elsewhere_s, false, 0.99, 1};
}

TEST(ThreadWork, IsWhatEachThreadUsedMeanwhile) {
  const ThreadTimes before{{{10, 1.0}, {11, 5.0}, {12, 2.0}}, 20, 20, false};
  const ThreadTimes after{{{10, 1.5}, {12, 2.0}, {13, 0.25}}, 21, 21, false};
  const ThreadWork seen = work_between(before, after);
  EXPECT_THAT(seen.threads_s, ElementsAre(0.5, 0, 0.25)) << "13 is new";
  EXPECT_DOUBLE_EQ(seen.elsewhere_s, 0.25) << "of 11, or of one that came and went";
  EXPECT_FALSE(seen.children);
}

TEST(ThreadWork, ANumberThatWasGivenToANewThreadIsANewThread) {
  const ThreadWork seen =
      work_between({{{10, 1}, {11, 5}}, 6, 6, false}, {{{10, 1}, {11, 0.5}}, 6.5, 6.5, true});
  EXPECT_THAT(seen.threads_s, ElementsAre(0, 0.5));
  EXPECT_DOUBLE_EQ(seen.elsewhere_s, 0);
  EXPECT_TRUE(seen.children);
}

// Thread 1 was read at 1.0 and 2.0, when the process had used 1.0 to 1.3 and 1.9 to 2.5: the reader waited
// for a core while the thread ran.
TEST(ThreadWork, ClocksThatAreReadOneAfterTheOtherNeverMakeWorkElsewhere) {
  EXPECT_EQ(work_between({{{1, 1}}, 1, 1.3, false}, {{{1, 2}}, 1.9, 2.5, false}).elsewhere_s, 0);
  EXPECT_DOUBLE_EQ(work_between({{{1, 1}}, 1, 1.5, false}, {{{1, 2}}, 4, 4.5, false}).elsewhere_s, 1.5);
}

void expect_worked(const ThreadWork& seen, std::uint32_t count, bool at_least = false) {
  const auto worked = threads_that_worked(seen);
  ASSERT_TRUE(worked);
  EXPECT_EQ(worked->count, count);
  EXPECT_EQ(worked->at_least, at_least);
}

// 5 % of the busiest one's 0.8 s are 0.04 s.
TEST(WorkedThreads, AreThoseThatUsedATwentiethOfWhatTheBusiestDid) {
  expect_worked(work({0.8}), 1);
  expect_worked(work({0.8, 0.8}), 2);
  expect_worked(work({0.1, 0.8}), 2);
  expect_worked(work({0.8, 0.041, 0.039, 0, 0.001}), 2);
}

TEST(WorkedThreads, SleepersOfEarlierJobsAreNotAmongThem) {
  expect_worked(work({0.9, 0, 0, 0, 0, 0, 0}), 1);
}

TEST(WorkedThreads, AreNotKnownWhereTheKernelWaits) {
  EXPECT_FALSE(threads_that_worked(work({0.06, 0.039}))) << "0.099 s in a second";
  expect_worked(work({0.062, 0.039}), 2);
  EXPECT_FALSE(threads_that_worked(work({})));
  EXPECT_FALSE(threads_that_worked(work({0})));
  EXPECT_FALSE(threads_that_worked({{0.9e-3}, 0, false, 1e-3, 1e-3})) << "too little to compare";
}

// Each may have been one thread or several: a library that starts new threads for each call.
TEST(WorkedThreads, ThatHaveEndedAreCountedAsOneAtLeast) {
  expect_worked(work({0.8}, 0.8), 2, true);
  expect_worked(work({0.8}, 0.03), 1);
  expect_worked(work({0.01, 0.001}, 0.8), 1, true);  // the thread that started them only waited
}

// A core's second is enough for both.
TEST(WorkedThreads, OfAProcessThatWasWaitedForAreNone) {
  ThreadWork seen = work({0.3}, 0.6);
  seen.children_s = 0.6;
  expect_worked(seen, 1, true);
  seen.elsewhere_s = 0.7;
  expect_worked(seen, 2, true);  // of a thread that has ended, 0.1 s
  seen = work({0.3}, 0.8);
  seen.children_s = 0.8;
  expect_worked(seen, 2, true);  // more than a core has
  seen = work({0.3, 0.3}, 0.3);
  seen.children_s = 0.3;
  expect_worked(seen, 2, true);
  seen = work({0.01, 0.001}, 0.8);
  seen.children_s = 0.8;
  expect_worked(seen, 1, true);  // the thread that started it only waited
}

TEST(WorkedThreads, OfLivingChildrenAreNotKnown) {
  ThreadWork seen = work({0.3});
  seen.children = true;
  expect_worked(seen, 1, true);
}

// The caches are emptied by the measuring thread, for far longer than a call takes.
TEST(WorkedThreads, AreHiddenByWhatIsDoneBetweenSamples) {
  ThreadWork seen = work({0.9, 0.01});
  seen.sampled_s = 0.02;
  expect_worked(seen, 1, true);
}

// On a core that is shared with others most of the time may pass between samples; little of it is used.
TEST(WorkedThreads, AreNotHiddenByWaitingForACoreBetweenSamples) {
  ThreadWork seen = work({0.3, 0.3});
  seen.sampled_s = 0.4;
  expect_worked(seen, 2);
}

// Until it has used this much; on no clock but its own.
void burn(double wanted_s) {
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  const double end = used() + wanted_s;
  while (used() < end) continue;
}

TEST(ThreadTimes, TellTheThreadsApart) {
  std::atomic<int> phase = 0;
  const auto wait_for = [&](int wanted) {
    for (int now = phase; now < wanted; now = phase) phase.wait(now);
  };
  const auto go_to = [&](int next) {
    phase = next;
    phase.notify_all();
  };
  std::thread another([&] {
    go_to(1);
    wait_for(2);
    burn(0.02);
    go_to(3);
    wait_for(4);
  });
  wait_for(1);
  const auto before = thread_times();
  go_to(2);
  wait_for(3);
  burn(0.01);
  const auto after = thread_times();
  go_to(4);
  another.join();
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->threads.size(), after->threads.size());
  ThreadWork seen = work_between(*before, *after);
  std::sort(seen.threads_s.rbegin(), seen.threads_s.rend());
  ASSERT_GE(seen.threads_s.size(), 2u);
  EXPECT_GE(seen.threads_s[0], 0.0199);
  EXPECT_GE(seen.threads_s[1], 0.0099);
  EXPECT_GE(after->process_last_s - before->process_first_s, 0.0298);
  EXPECT_LE(seen.elsewhere_s, 0.001);
}

TEST(ThreadTimes, CountWhatHasEndedMeanwhile) {
  const auto before = thread_times();
  std::thread([] { burn(0.02); }).join();
  const auto after = thread_times();
  ASSERT_TRUE(before && after);
  EXPECT_GE(work_between(*before, *after).elsewhere_s, 0.019);
}

TEST(ThreadTimes, KnowWhatEndedChildrenUsed) {
  const auto before = thread_times();
  const pid_t child = fork();
  if (child == 0) {
    burn(0.02);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  const auto after = thread_times();
  ASSERT_TRUE(before && after);
  const ThreadWork seen = work_between(*before, *after);
  EXPECT_GE(seen.children_s, 0.019);
  EXPECT_LE(seen.children_s, seen.elsewhere_s);
}

TEST(ThreadTimes, KnowOfChildren) {
  EXPECT_FALSE(thread_times()->children);
  int hold[2];
  ASSERT_EQ(pipe(hold), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    close(hold[1]);
    _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
  }
  EXPECT_TRUE(thread_times()->children);
  close(hold[1]);
  close(hold[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(thread_times()->children);
}

// Two threads shared one core for 20 ms, 10 ms each.
TEST(SharedCores, AreSeenByWhatThreadsWaitedThoughEachCouldHaveOne) {
  const std::vector<ThreadWait> before = {{1, 7, 3, 100}, {2, 7, 3, 100}, {3, 9, 3, 100}};
  const auto after = [&](double ran_s, double waited_s, std::uint64_t turns) {
    std::vector<ThreadWait> out = before;
    for (ThreadWait* each : {&out[0], &out[1]})
      *each = {each->thread, 7 + ran_s, 3 + waited_s, 100 + turns};
    return out;
  };
  EXPECT_NEAR(share_waited(before, after(0.01, 0.01, 7), 0.02, 2), 1, 1e-9);
  EXPECT_NEAR(share_waited(before, after(0.018, 0.002, 2), 0.02, 2), 0.2, 1e-9);
  EXPECT_EQ(share_waited(before, after(0.019, 0.0009, 2), 0.02, 2), 0) << "less than a tenth";
  EXPECT_EQ(share_waited(before, after(0.015, 0.005, 100), 0.02, 2), 0) << "50 us each time that they woke";
  EXPECT_EQ(share_waited(before, after(0.01, 0.01, 7), 0.02, 1), 0) << "no core for each: asked for";
  EXPECT_EQ(share_waited({}, after(0.01, 0.01, 7), 0.02, 2), 0) << "not known before";
}

}  // namespace
}  // namespace kernsweep
