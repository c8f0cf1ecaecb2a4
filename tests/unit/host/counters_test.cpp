#include "worker/host/counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/host/fake_counters.hpp"

namespace kernsweep::testing_host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class CountersTest : public testing::Test {
 protected:
  // "cycles 100" for each event, after so many of each in each thread.
  std::vector<std::string> counted(std::uint64_t events = 100) {
    counters_.open();
    counters_.on();
    system_.work(events);
    counters_.off();
    std::vector<std::string> out;
    totals_ = counters_.totals();
    for (const CounterTotals::Event& each : totals_.events)
      out.push_back(each.name + " " + std::to_string(std::llround(each.count)));
    return out;
  }
  std::vector<std::string> whys() const {
    std::vector<std::string> out;
    for (const Counters::Missing& each : counters_.missing()) out.push_back(each.name + ": " + each.why);
    return out;
  }

  FakeCounters system_;
  Counters counters_{system_, hardware_counters()};
  CounterTotals totals_;
};

TEST_F(CountersTest, SumOverThreadsWhatHappensWhileTheyAreOn) {
  system_.ids = {100, 101, 102};
  counters_.open();
  system_.work(7);
  counters_.on();
  system_.work(10);
  counters_.off();
  system_.work(7);
  counters_.on();
  system_.work(1);
  counters_.off();
  const CounterTotals totals = counters_.totals();
  ASSERT_THAT(totals.events, SizeIs(5));
  for (const CounterTotals::Event& each : totals.events) EXPECT_EQ(each.count, 3 * 11) << each.name;
  EXPECT_EQ(note_of(totals), std::nullopt);
}

TEST_F(CountersTest, BeginAnewWhenTheyAreOpenedAgain) {
  counted();
  system_.ids = {100, 101};
  EXPECT_THAT(counted(1), ElementsAre("cycles 2", "instructions 2", "llc_misses 2", "dtlb_misses 2",
                                      "branch_misses 2"));
  EXPECT_THAT(system_.open_now, SizeIs(10));
  counters_.close();
  EXPECT_THAT(system_.open_now, IsEmpty());
}

// Also when it is the first one, which leads the others elsewhere.
TEST_F(CountersTest, AnEventThatTheMachineDoesNotHaveIsLeftOutAlone) {
  system_.ids = {100, 101};
  system_.error = [](const std::string& name, int) {
    return name == "cycles" ? ENOENT : name == "dtlb_misses" ? EINVAL : 0;
  };
  EXPECT_THAT(counted(), ElementsAre("instructions 200", "llc_misses 200", "branch_misses 200"));
  EXPECT_THAT(whys(), ElementsAre("cycles: the processor shows no such counter",
                                  "dtlb_misses: the other counters leave no room for it"));
}

TEST_F(CountersTest, WhereNothingCanBeCountedNothingFails) {
  for (const int error : {EPERM, EACCES, ENOSYS, ENOENT, EOPNOTSUPP, EMFILE}) {
    system_.error = [=](const std::string&, int) { return error; };
    EXPECT_THAT(counted(), IsEmpty()) << error;
    EXPECT_THAT(whys(), SizeIs(5)) << error;
    EXPECT_THAT(metrics_of(totals_, 1), IsEmpty());
    EXPECT_EQ(note_of(totals_), std::nullopt);
    EXPECT_THAT(system_.open_now, IsEmpty());
  }
}

TEST_F(CountersTest, AThreadThatHasEndedMeanwhileCostsNothing) {
  system_.ids = {100, 101, 102};
  system_.error = [](const std::string&, int thread) { return thread == 101 ? ESRCH : 0; };
  EXPECT_THAT(counted(), ElementsAre("cycles 200", "instructions 200", "llc_misses 200", "dtlb_misses 200",
                                     "branch_misses 200"));
}

TEST_F(CountersTest, APartOfTheThreadsIsWorseThanNone) {
  system_.ids = {100, 101, 102};
  for (const char* const at : {"cycles", "branch_misses"}) {
    system_.error = [=](const std::string& name, int thread) {
      return thread == 102 && name == at ? EACCES : 0;
    };
    EXPECT_THAT(counted(), IsEmpty());
    EXPECT_THAT(system_.open_now, IsEmpty());
    EXPECT_THAT(whys(), SizeIs(5));
  }
  system_.error = nullptr;
  EXPECT_THAT(counted(), SizeIs(5)) << "the next job has other threads";
  EXPECT_THAT(whys(), IsEmpty());
}

TEST_F(CountersTest, TheLastDescriptorsAreLeftToTheKernel) {
  system_.ids = {100, 101};
  system_.most = 9;
  EXPECT_THAT(counted(), IsEmpty());
  EXPECT_THAT(system_.open_now, IsEmpty());
  system_.most = 10;
  EXPECT_THAT(counted(), SizeIs(5));
}

TEST_F(CountersTest, WhatWasCountedForAPartOfTheTimeIsScaledAndSaid) {
  system_.shares = {{"cycles", 0.5}, {"instructions", 0.25}};
  EXPECT_THAT(counted(1000), ElementsAre("cycles 1000", "instructions 1000", "llc_misses 1000",
                                         "dtlb_misses 1000", "branch_misses 1000"));
  EXPECT_EQ(totals_.counted_share, 0.25);
  EXPECT_THAT(note_of(totals_).value_or(""), IsGolden());
}

TEST_F(CountersTest, WhatWasHardlyCountedIsLeftOutAndNotSaid) {
  system_.shares = {{"cycles", 0.05}, {"llc_misses", 0}, {"dtlb_misses", 0.995}};
  system_.unreadable = {"branch_misses"};
  EXPECT_THAT(counted(1000), ElementsAre("instructions 1000", "dtlb_misses 1000"));
  EXPECT_EQ(note_of(totals_), std::nullopt);
}

TEST(CounterMetrics, AreOfACallWithUnitAndDirection) {
  const CounterTotals totals{{{"instructions", 3000}, {"cycles", 1200}, {"llc_misses", 0}}, 1};
  EXPECT_THAT(metrics_of(totals, 100),
              ElementsAre(CountedMetric{"instructions", 30, Better::smaller, "1/call"},
                          CountedMetric{"cycles", 12, Better::smaller, "1/call"},
                          CountedMetric{"llc_misses", 0, Better::smaller, "1/call"},
                          CountedMetric{"instructions_per_cycle", 2.5, Better::larger, ""}));
  EXPECT_THAT(metrics_of(totals, 0), IsEmpty()) << "there was no call";
  EXPECT_THAT(metrics_of({{{"cycles", 5}}, 1}, 1), SizeIs(1)) << "no instructions are known";
}

}  // namespace
}  // namespace kernsweep::testing_host
