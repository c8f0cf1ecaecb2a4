#include "worker/slot/watch/disturbance.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

const DisturbanceRule kRule(0.9, 1);

EdgeReading at(double clock_ghz) {
  return {clock_ghz, 3, 100, 7};
}

TEST(Disturbance, NothingHappened) {
  EXPECT_EQ(kRule.judge(at(3), at(3), 3), Cause::none);
}

// 0.9 of 4 GHz is 3.6: that is not below.
TEST(Disturbance, AClockBelowTheShareOfTheReferenceAtEitherEdge) {
  EXPECT_EQ(kRule.judge(at(3.6), at(4), 4), Cause::none);
  EXPECT_EQ(kRule.judge(at(3.59), at(4), 4), Cause::clock);
  EXPECT_EQ(kRule.judge(at(4), at(3.59), 4), Cause::clock);
  EXPECT_EQ(DisturbanceRule(0.5, 1).judge(at(2.1), at(2.1), 4), Cause::none);
  EXPECT_EQ(DisturbanceRule(1, 1).judge(at(3.999), at(4), 4), Cause::clock);
}

TEST(Disturbance, AClockThatIsNotKnownSaysNothing) {
  EXPECT_EQ(kRule.judge(at(0), at(0), 4), Cause::none);
  EXPECT_EQ(kRule.judge(at(4), at(4), 0), Cause::none) << "a reference of 0";
  EXPECT_EQ(kRule.judge(at(0), at(2), 4), Cause::clock) << "one edge is known and slow";
  EXPECT_EQ(DisturbanceRule(0, 1).judge(at(1e-9), at(1e-9), 4), Cause::none) << "0: never by the clock";
}

TEST(Disturbance, TheThreadCameToAnotherCore) {
  EdgeReading elsewhere = at(3);
  elsewhere.cpu = 4;
  EXPECT_EQ(kRule.judge(at(3), elsewhere, 3), Cause::migrated);
  elsewhere.cpu = -1;
  EXPECT_EQ(kRule.judge(at(3), elsewhere, 3), Cause::none) << "not known";
}

TEST(Disturbance, TheCoreWasTakenAway) {
  EdgeReading switched = at(3);
  ++switched.involuntary_switches;
  EXPECT_EQ(kRule.judge(at(3), switched, 3), Cause::switched);
  EXPECT_EQ(kRule.judge(switched, at(3), 3), Cause::none) << "a count that goes backwards says nothing";
}

// The spinning threads of a BLAS yield to each other some hundred times a second on a quiet machine.
TEST(Disturbance, SwitchesOfSeveralThreadsSayNothing) {
  EdgeReading switched = at(3);
  switched.involuntary_switches += 500;
  EXPECT_EQ(DisturbanceRule(0.9, 2).judge(at(3), switched, 3), Cause::none);
  switched.cpu = 4;
  EXPECT_EQ(DisturbanceRule(0.9, 2).judge(at(3), switched, 3), Cause::migrated);
}

TEST(Disturbance, APageCameFromADisk) {
  EdgeReading faulted = at(3);
  ++faulted.major_faults;
  EXPECT_EQ(kRule.judge(at(3), faulted, 3), Cause::major_fault);
}

TEST(Disturbance, TheClockComesBeforeTheRest) {
  EdgeReading all = at(1);
  ++all.involuntary_switches;
  ++all.major_faults;
  EXPECT_EQ(kRule.judge(at(3), all, 3), Cause::clock);
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
