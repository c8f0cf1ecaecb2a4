#include "worker/slot/measure/first_call.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cmath>
#include <ctime>
#include <thread>
#include <vector>

namespace kernsweep {
namespace {

// 50 times the median and 10 ms, both.
TEST(FirstCall, IsToldWhenItIsSlowBesideTheMedianAndByItself) {
  EXPECT_TRUE(about_first_call({0.0101, 0.0101}, 0.0002));
  EXPECT_FALSE(about_first_call({0.0099, 0.0099}, 1e-7)) << "pages, caches and threads cost as much";
  EXPECT_FALSE(about_first_call({0.0101, 0.0101}, 0.00021)) << "48 times the median";
  EXPECT_TRUE(about_first_call({5, 5}, 0.09));
  EXPECT_FALSE(about_first_call({5, 5}, 0.11));
}

TEST(FirstCall, IsNotToldWhereItWaitedForAProcessor) {
  EXPECT_FALSE(about_first_call({0.5, 0.009}, 1e-6));
  EXPECT_FALSE(about_first_call({0.5, 0.04}, 0.001)) << "40 times the median";
  // Two threads: one waits, the other spins. 8 switches explain 200 ms.
  EXPECT_FALSE(about_first_call({0.2, 0.209, 8, 0.1}, 1e-6));
  EXPECT_TRUE(about_first_call({0.212, 0.211, 8, 0.1}, 1e-6)) << "11 ms are not explained";
  EXPECT_TRUE(about_first_call({0.275, 0.275, 12, 0.001}, 1e-6)) << "a single thread only works";
  EXPECT_TRUE(about_first_call({0.045, 0.045, 3, 0.008}, 1e-6)) << "the slot looks at its threads";
}

TEST(FirstCall, IsNotToldWhereNothingIsKnown) {
  EXPECT_FALSE(about_first_call({}, 1e-6));
  EXPECT_FALSE(about_first_call({1, 1}, 0));
  EXPECT_FALSE(about_first_call({1, 1}, std::nan("")));
}

TEST(FirstCall, TakesTheTimeByTheClockOfTheSamples) {
  ks_variant plain{}, with_clock{};
  with_clock.elapsed = [](void*) { return 0.25; };
  const FirstCallClock clock;
  const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 100;  // of processor time
  while (std::clock() < end) {
  }
  const FirstCall own = clock.read(plain, nullptr), said = clock.read(with_clock, nullptr);
  EXPECT_GE(own.seconds, 0.009);
  EXPECT_GE(own.worked_s, 0.009);
  EXPECT_EQ(said.seconds, 0.25);
  EXPECT_EQ(said.worked_s, 0.25);
  with_clock.elapsed = [](void*) { return -1.0; };
  EXPECT_EQ(clock.read(with_clock, nullptr).seconds, 0);
}

TEST(FirstCall, MayUseUpItsDataWhereColdCodeDoesNotExplainIt) {
  EXPECT_TRUE(may_use_up(2.05e-3, 50e-6)) << "sorting, and sorting what is sorted";
  EXPECT_FALSE(may_use_up(99e-6, 1e-6));
  EXPECT_TRUE(may_use_up(102e-6, 1e-6));
  EXPECT_FALSE(may_use_up(3.9e-3, 1e-3));
  EXPECT_FALSE(may_use_up(1, 0));
}

TEST(FirstCall, HasATrialWhereAnotherSetupIsNotTooLong) {
  EXPECT_TRUE(worth_a_trial(9, false));
  EXPECT_FALSE(worth_a_trial(11, false));
  EXPECT_TRUE(worth_a_trial(20, true)) << "it would have a note, and is worth more";
  EXPECT_FALSE(worth_a_trial(40, true));
}

TEST(FirstCall, IsBeyondWarmUpWhereNothingExplainsIt) {
  const auto took = [](double first_s, double loading_s) {
    return FirstCall{first_s, first_s, 0, 0, loading_s, true};
  };
  EXPECT_TRUE(is_beyond_warm_up(took(15.7e-3, 3e-3), 70e-9)) << "an answer that is stored";
  EXPECT_TRUE(is_beyond_warm_up(took(3.6e-3, 0.3e-3), 3e-6)) << "1000 times 3 us";
  EXPECT_TRUE(is_beyond_warm_up(took(0.78e-3, 0.1e-3), 170e-9)) << "a table of compiled patterns";
  EXPECT_FALSE(is_beyond_warm_up(took(0.29e-3, 0), 70e-9)) << "cold code and small tables";
  EXPECT_FALSE(is_beyond_warm_up(took(9e-3, 0), 8e-6)) << "1000 times, but no tiny call";
  EXPECT_TRUE(is_beyond_warm_up(took(0.06, 0), 1e-3)) << "60 times, 60 ms";
  EXPECT_FALSE(is_beyond_warm_up(took(0.06, 0.055), 1e-4)) << "six modules were imported";
  FirstCall waited = took(0.06, 0);
  waited.worked_s = 0.005;
  EXPECT_FALSE(is_beyond_warm_up(waited, 1e-4)) << "it waited for a processor";
  EXPECT_FALSE(is_beyond_warm_up({5, 5}, 1e-6)) << "by a clock of its own";
  EXPECT_FALSE(is_beyond_warm_up(took(5, 0), 0));
}

TEST(FirstCall, OfANewStateIsSlowAgainWhereItsDataAreUsedUp) {
  EXPECT_TRUE(is_used_up(1.15e-3, 0.107e-3, 60e-9)) << "an answer that is stored";
  EXPECT_TRUE(is_used_up(0.3, 2e-3, 50e-6)) << "it imports, and sorts";
  EXPECT_FALSE(is_used_up(10.2, 0.2e-3, 8e-6)) << "it compiles; what remains is a busy machine";
  EXPECT_FALSE(is_used_up(0.3, 90e-6, 50e-9));
}

TEST(FirstCall, OfANewStateMayBeSlowBecauseALibrarySetsItUp) {
  EXPECT_FALSE(may_be_set_up(Compilers::none, 0.3e-3, 10e-6));
  EXPECT_TRUE(may_be_set_up(Compilers::models, 1.2e-3, 37e-6)) << "a traced module of PyTorch";
  EXPECT_FALSE(may_be_set_up(Compilers::models, 1.5e-3, 200e-6)) << "a tensor that is sorted";
  EXPECT_FALSE(may_be_set_up(Compilers::models, 0.4e-3, 50e-9)) << "a stored answer";
  EXPECT_TRUE(may_be_set_up(Compilers::functions, 26e-3, 0.6e-3)) << "jax.jit of a new function";
  EXPECT_FALSE(may_be_set_up(Compilers::functions, 26e-3, 50e-9));
}

TEST(FirstCall, KnowsWhatItHasLoaded) {
  const ks_variant plain{};
  const FirstCallClock still, loads;
  EXPECT_LT(still.read(plain, nullptr).loading_s, 0.1);
  std::vector<char> touched(std::size_t{8} << 20, 1);
  const FirstCall read = loads.read(plain, nullptr);
  EXPECT_TRUE(read.is_known);
  EXPECT_GT(read.loading_s, 2e-6) << "pages";
  EXPECT_LT(read.others_s, 0.05);
}

TEST(FirstCall, SeesCodeThatWasMadeInThisProcess) {
  const Compilers before = compilers_of_process();
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  EXPECT_NE(compilers_of_process(), Compilers::none);
  munmap(page, 4096);
  EXPECT_EQ(compilers_of_process(), before);
}

TEST(FirstCall, IsNotWhatItsPreparationsTake) {
  const Preparations none = Preparations::now(true), touching = Preparations::now(true),
                     quick = Preparations::now(false);
  EXPECT_NEAR(none.without_them(1), 1, 0.01);
  const std::vector<char> touched(std::size_t{64} << 20, 1);
  EXPECT_LT(touching.without_them(0.033), 0.01) << "64 MiB take up to 33 ms";
  EXPECT_LT(quick.without_them(50e-6), 50e-6) << "pages";
}

// A thread that computes on the same core takes it away from this one.
TEST(FirstCall, IsNotSlowWhereItsThreadsWaitForACore) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    while (!is_over.load()) {
    }
  });
  const Preparations before = Preparations::now(false);
  while (before.without_them(0.02) > 0) {
  }
  EXPECT_EQ(before.without_them(0.02), 0);
  is_over = true;
  other.join();
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

// Like a call whose state had a pool before: that pool's thread ends while the new one starts.
TEST(FirstCall, StartsAThreadThatReplacesAnother) {
  std::atomic<bool> is_over = false, is_last = false;
  const auto wait_for = [](std::atomic<bool>& end) { return std::thread([&] { end.wait(false); }); };
  const auto end = [](std::atomic<bool>& over, std::thread& thread) {
    over = true;
    over.notify_all();
    thread.join();
  };
  std::thread old = wait_for(is_over);
  const Preparations before = Preparations::now(true), unseen = Preparations::now(false);
  EXPECT_FALSE(Preparations::now(true).has_started_since(before));
  end(is_over, old);
  std::thread young = wait_for(is_last);
  EXPECT_EQ(before.without_them(1), 0);
  EXPECT_TRUE(Preparations::now(true).has_started_since(before));
  EXPECT_GT(unseen.without_them(1), 0.9);
  end(is_last, young);
}

}  // namespace
}  // namespace kernsweep
