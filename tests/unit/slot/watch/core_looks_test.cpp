#include "worker/slot/watch/core_looks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace kernsweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CoreLooks, AsManyThreadsRunAtOnceAsCanGetACoreEach) {
  EXPECT_EQ(that_run_at_once({}), 0U);
  EXPECT_EQ(that_run_at_once({{0, 1}, {0, 1}}), 2U);
  EXPECT_EQ(that_run_at_once({{0}, {0}}), 1U);
  EXPECT_EQ(that_run_at_once({{0, 1}, {0}}), 2U) << "the first one makes room";
  EXPECT_EQ(that_run_at_once({{0, 1}, {1, 2}, {0}, {2, 3}}), 4U) << "three make room";
  EXPECT_EQ(that_run_at_once({{0}, {0}, {1, 2, 3}}), 2U) << "four cores, and two threads on one of them";
}

CoreLook look(const std::vector<Cpus>& ready, const Cpus& cpus) {
  return {static_cast<std::uint32_t>(ready.size()), that_run_at_once(ready), cpus, cpus};
}
const CoreLook kShared = look({{0}, {0}}, {0}), kApart = look({{0, 1}, {0, 1}}, {0, 1}),
               kBoundAlone = look({{0}}, {0}), kFreeAlone = look({{0, 1}}, {0, 1}), kNothing = look({}, {});

TEST(CoreLooks, ThreadsThatShareACoreAreTooFewCores) {
  const auto few = few_cores({kShared, kNothing, kShared}, 2);
  ASSERT_TRUE(few);
  EXPECT_EQ(few->at_once, 1U);
  EXPECT_THAT(few->cpus, ElementsAre(0));
  EXPECT_FALSE(few_cores({kApart, kApart}, 2));
  EXPECT_FALSE(few_cores({kNothing, kNothing}, 2)) << "nothing was seen";
  EXPECT_FALSE(few_cores({}, 2));
}

TEST(CoreLooks, ThreadsBeyondThoseThatAreWantedMayShareCores) {
  EXPECT_FALSE(few_cores({look({{0, 1}, {0, 1}, {0, 1}}, {0, 1})}, 2));
  EXPECT_TRUE(few_cores({look({{0, 1}, {0, 1}, {0, 1}}, {0, 1})}, 3));
  EXPECT_FALSE(few_cores({kApart}, 4)) << "two of four threads have nothing to do";
}

TEST(CoreLooks, AThreadThatIsAloneShowsTheMaskOfItsProcess) {
  EXPECT_TRUE(few_cores({kBoundAlone, kBoundAlone}, 2))
      << "a library that starts one thread for its one core";
  EXPECT_FALSE(few_cores({kFreeAlone, kFreeAlone}, 2)) << "one thread computes, others would have a core";
}

// A shell starts taskset; an OpenMP program reads its input before it starts its pool.
TEST(CoreLooks, TheLooksThatSawSeveralThreadsDecide) {
  EXPECT_TRUE(few_cores({kFreeAlone, kFreeAlone, kFreeAlone, kShared}, 2));
  EXPECT_FALSE(few_cores({kBoundAlone, kBoundAlone, kBoundAlone, kApart}, 2));
  EXPECT_TRUE(few_cores({kShared, kApart, kApart, kApart, kApart}, 2)) << "a shell beside its program";
  EXPECT_FALSE(few_cores({kShared, kApart, kApart, kApart, kApart, kApart}, 2)) << "before a pool is bound";
  std::vector<CoreLook> looks(50, kBoundAlone);
  looks.push_back(kApart);
  EXPECT_TRUE(few_cores(looks, 2)) << "a shell and the program that it starts, once";
}

// Two threads that compute on one core.
[[noreturn]] void share_core(std::uint32_t cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) _exit(1);
  const auto compute = [] {
    for (std::atomic<unsigned> i = 0;; ++i) {
    }
  };
  std::thread(compute).detach();
  compute();
  _exit(0);
}

TEST(CoreLooks, ReadyAtOnceIsWhatMoreThanATwentiethSaw) {
  std::vector<CoreLook> looks(19, look({{0, 1}, {0, 1}}, {0, 1}));
  EXPECT_FALSE(ready_at_once(looks)) << "too few";
  looks.push_back(look({}, {}));
  EXPECT_FALSE(ready_at_once(looks)) << "nothing was ready";
  looks.push_back(look({{0, 1}, {0, 1}, {0, 1}}, {0, 1}));
  EXPECT_EQ(ready_at_once(looks), 2U) << "one of 20";
  looks.push_back(look({{0, 1}, {0, 1}, {0, 1}}, {0, 1}));
  EXPECT_EQ(ready_at_once(looks), 3U) << "two of 21";
}

TEST(CoreLooks, SeeThreadsOfProgramsThatWereStarted) {
  const Cpus all = cpus_of_thread(0).value_or(Cpus());
  ASSERT_FALSE(all.empty());
  const pid_t child = fork();
  if (child == 0) share_core(all.back());
  CoreLook seen;
  do seen = look_at_threads(gettid());
  while (seen.ready < 2 && waitpid(child, nullptr, WNOHANG) == 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_GE(seen.ready, 2U);
  EXPECT_LT(seen.at_once, seen.ready);
  EXPECT_THAT(seen.cpus, testing::Contains(all.back()));
}

TEST(CoreLooks, OfAThreadThatHasEndedNothingIsKnown) {
  int id = 0;
  std::thread([&id] { id = gettid(); }).join();
  // join() returns before the kernel has taken the thread out of /proc.
  while (access(("/proc/self/task/" + std::to_string(id)).c_str(), F_OK) == 0) std::this_thread::yield();
  EXPECT_FALSE(cpus_of_thread(id));
  EXPECT_THAT(cpus_of_thread(gettid()).value_or(Cpus()), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace kernsweep
