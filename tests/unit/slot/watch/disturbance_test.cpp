#include "worker/slot/watch/disturbance.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

const DisturbanceRule kRule(0.9, 1);
constexpr double kShortS = 1e-3, kLongS = 0.5;  // windows

EdgeReading at(double clock_ghz) {
  return {clock_ghz, 3, 100, 7};
}

Cause judged(const DisturbanceRule& rule, const EdgeReading& before, const EdgeReading& after,
             double reference_ghz, double window_s) {
  return rule.judge(before, after, reference_ghz, window_s).cause;
}

TEST(Disturbance, NothingHappened) {
  EXPECT_EQ(judged(kRule, at(3), at(3), 3, kShortS), Cause::none);
}

// 0.9 of 4 GHz is 3.6: that is not below.
TEST(Disturbance, AClockBelowTheShareOfTheReferenceAtEitherEdge) {
  EXPECT_EQ(judged(kRule, at(3.6), at(4), 4, kShortS), Cause::none);
  EXPECT_EQ(judged(kRule, at(3.59), at(4), 4, kShortS), Cause::clock);
  EXPECT_EQ(judged(kRule, at(4), at(3.59), 4, kShortS), Cause::clock);
  EXPECT_EQ(judged(DisturbanceRule(0.5, 1), at(2.1), at(2.1), 4, kShortS), Cause::none);
  EXPECT_EQ(judged(DisturbanceRule(1, 1), at(3.999), at(4), 4, kShortS), Cause::clock);
}

TEST(Disturbance, AClockThatIsNotKnownSaysNothing) {
  EXPECT_EQ(judged(kRule, at(0), at(0), 4, kShortS), Cause::none);
  EXPECT_EQ(judged(kRule, at(4), at(4), 0, kShortS), Cause::none) << "a reference of 0";
  EXPECT_EQ(judged(kRule, at(0), at(2), 4, kShortS), Cause::clock) << "one edge is known and slow";
  EXPECT_EQ(judged(DisturbanceRule(0, 1), at(1e-9), at(1e-9), 4, kShortS), Cause::none)
      << "0: never by the clock";
}

TEST(Disturbance, TheThreadCameToAnotherCore) {
  EdgeReading elsewhere = at(3);
  elsewhere.cpu = 4;
  EXPECT_EQ(judged(kRule, at(3), elsewhere, 3, kShortS), Cause::migrated);
  elsewhere.cpu = -1;
  EXPECT_EQ(judged(kRule, at(3), elsewhere, 3, kShortS), Cause::none) << "not known";
}

TEST(Disturbance, TheCoreWasTakenAway) {
  EdgeReading switched = at(3);
  ++switched.involuntary_switches;
  EXPECT_EQ(judged(kRule, at(3), switched, 3, kShortS), Cause::switched);
  EXPECT_EQ(judged(kRule, switched, at(3), 3, kShortS), Cause::none)
      << "a count that goes backwards says nothing";
}

EdgeReading ran(double ran_s, double waited_s, std::uint64_t switches) {
  EdgeReading out = at(3);
  out.involuntary_switches = switches;
  out.schedule = {ran_s, waited_s, ran_s < 0 ? -1 : 20 + ran_s};
  return out;
}

// 0.5 % of half a second are 2.5 ms. Three switches cost 30 us in addition to the time of others.
TEST(Disturbance, SwitchesThatCostNothingOfALongWindowDisturbNothing) {
  const EdgeReading before = ran(10, 1, 7);
  EXPECT_EQ(judged(kRule, before, ran(10.499, 1.001, 10), 3, kLongS), Cause::none);
  EXPECT_EQ(judged(kRule, before, ran(10.497, 1.0024, 10), 3, kLongS), Cause::none);
  EXPECT_EQ(judged(kRule, before, ran(10.497, 1.0026, 10), 3, kLongS), Cause::switched);
  EXPECT_EQ(judged(kRule, before, ran(10.4, 1.1, 7), 3, kLongS), Cause::none) << "it has slept by itself";
  EXPECT_EQ(judged(kRule, before, ran(10.001, 1, 8), 3, kShortS), Cause::switched) << "1 % by itself";
}

TEST(Disturbance, SwitchesOfAThreadThatDoesNotComputeCountAlways) {
  EXPECT_EQ(judged(kRule, ran(10, 1, 7), ran(10.2, 1, 8), 3, kLongS), Cause::switched);
  EdgeReading helped = ran(10.49, 1, 8);
  helped.schedule.all_ran_s += 0.003;
  EXPECT_EQ(judged(kRule, ran(10, 1, 7), helped, 3, kLongS), Cause::switched) << "a helper of 3 ms";
  EXPECT_EQ(judged(kRule, ran(-1, 1, 7), ran(-1, 1, 8), 3, kLongS), Cause::switched) << "not known";
  EXPECT_EQ(judged(kRule, ran(10, -1, 7), ran(10.5, -1, 8), 3, kLongS), Cause::switched) << "not known";
}

// A pool of threads and the thread that waits for it, on one core.
TEST(Disturbance, SwitchesBetweenThreadsThatTogetherHadTheCoreDisturbNothing) {
  const auto read = [](double at_s, double all_ran_s, std::uint64_t switches) {
    EdgeReading out = ran(10 + all_ran_s / 10, 1 + all_ran_s / 2, switches);
    out.schedule.all_ran_s = 20 + all_ran_s;
    out.schedule.at_s = at_s;
    return out;
  };
  const EdgeReading before = read(100, 0, 7);
  EXPECT_EQ(judged(kRule, before, read(100.5, 0.498, 700), 3, kLongS), Cause::none);
  EXPECT_EQ(judged(kRule, before, read(100.5, 0.501, 700), 3, kLongS), Cause::none) << "inexact clocks";
  EXPECT_EQ(judged(kRule, before, read(100.5, 0.496, 700), 3, kLongS), Cause::switched)
      << "others may have";
  EXPECT_EQ(judged(kRule, before, read(100.5, 0.6, 700), 3, kLongS), Cause::switched) << "on two cores";
  EXPECT_EQ(judged(kRule, read(-1, 0, 7), read(-1, 0.498, 700), 3, kLongS), Cause::switched) << "not known";
}

// A data loader that is a process of its own computes on the core of its job.
TEST(Disturbance, SwitchesToChildrenOfTheProcessDisturbNothing) {
  const auto at = [](std::uint64_t switches, double ran_s, double children_s, double at_s) {
    EdgeReading out{3, 0, switches, 0};
    out.schedule = {10 + ran_s, 5, 20 + ran_s, at_s};
    out.schedule.children_s = children_s;
    return out;
  };
  const DisturbanceRule rule(0.9, 1);
  EXPECT_EQ(judged(rule, at(0, 0, 1, 0), at(30, 0.1, 1.1, 0.2), 3, 0.2), Cause::none);
  EXPECT_EQ(judged(rule, at(0, 0, 1, 0), at(30, 0.1, 1.05, 0.2), 3, 0.2), Cause::switched)
      << "others had a quarter of the time";
}

// The slot computed for 1 ms of 100 ms, meanwhile the program waited for it.
TEST(Disturbance, AProgramIsDisturbedByWhatItWaited) {
  const EdgeReading before = ran(10, 1, 7), after = ran(10.001, 1, 900);
  const auto by = [&](const ProgramWait& programs) { return kRule.judge(before, after, 3, 0.1, programs); };
  EXPECT_EQ(by({0.0014, true}).cause, Cause::none) << "switches of the slot are none of the program";
  EXPECT_EQ(by({0.0016, true}).cause, Cause::switched);
  EXPECT_EQ(by({0.05, true}).lost_s, 0.05);
  EXPECT_EQ(DisturbanceRule(0.9, 2).judge(before, after, 3, 0.1, ProgramWait{0.05, true}).cause,
            Cause::none);
}

// In 100 ms the slot had the core for 1 ms and the processes of the program for 60 ms.
TEST(Disturbance, AProgramOfSeveralProcessesMayHaveWaitedForWhatIsLeftOfTheCore) {
  EdgeReading before = ran(10, 1, 7), after = ran(10.001, 1, 9);
  before.schedule.at_s = 0;
  after.schedule.at_s = 0.1;
  after.schedule.children_s = 0.06;
  const ProgramWait programs{0.002, false};
  EXPECT_FALSE(kRule.judge(before, after, 3, 0.1, programs).is_suspected) << "no core was taken away";
  after.switches_of_children = 1;
  const WindowDisturbance seen = kRule.judge(before, after, 3, 0.1, programs);
  EXPECT_TRUE(seen.is_suspected);
  EXPECT_EQ(seen.cause, Cause::none) << "it may have slept";
  EXPECT_NEAR(seen.lost_s, 0.039, 1e-9);
  after.schedule.children_s = 0.018;
  EXPECT_FALSE(kRule.judge(before, after, 3, 0.1, programs).is_suspected)
      << "it has slept most of the time";
  after.schedule.children_s = 0.0986;
  EXPECT_FALSE(kRule.judge(before, after, 3, 0.1, programs).is_suspected) << "nothing is left";
}

// The caches are full again after 1 ms, which is 0.5 % of 200 ms.
TEST(Disturbance, AMoveDisturbsShortWindows) {
  EdgeReading elsewhere = at(3);
  elsewhere.cpu = 4;
  EXPECT_EQ(judged(kRule, at(3), elsewhere, 3, 0.199), Cause::migrated);
  EXPECT_EQ(judged(kRule, at(3), elsewhere, 3, 0.201), Cause::none);
}

// The spinning threads of a BLAS yield to each other some hundred times a second on a quiet machine.
TEST(Disturbance, SwitchesOfSeveralThreadsSayNothing) {
  EdgeReading switched = at(3);
  switched.involuntary_switches += 500;
  EXPECT_EQ(judged(DisturbanceRule(0.9, 2), at(3), switched, 3, kShortS), Cause::none);
  switched.cpu = 4;
  EXPECT_EQ(judged(DisturbanceRule(0.9, 2), at(3), switched, 3, kShortS), Cause::migrated);
}

TEST(Disturbance, APageCameFromADisk) {
  EdgeReading faulted = at(3);
  ++faulted.major_faults;
  EXPECT_EQ(judged(kRule, at(3), faulted, 3, kShortS), Cause::major_fault);
}

TEST(Disturbance, TheClockComesBeforeTheRest) {
  EdgeReading all = at(1);
  ++all.involuntary_switches;
  ++all.major_faults;
  EXPECT_EQ(judged(kRule, at(3), all, 3, kShortS), Cause::clock);
}

TEST(Disturbance, CausesAreListedInWords) {
  CauseCounts counts{};
  EXPECT_EQ(listed(counts), "");
  counts[0] = 5000;  // undisturbed
  EXPECT_EQ(listed(counts), "");
  counts[static_cast<std::size_t>(Cause::switched)] = 40;
  counts[static_cast<std::size_t>(Cause::clock)] = 12;
  EXPECT_EQ(listed(counts), "clock 12, switched 40");
}

}  // namespace
}  // namespace kernsweep
