// The output of the timed calls: calls that only seem to compute it are wrong results.
#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/slot/job/job_fixture.hpp"

namespace kernsweep::testing_slot {
namespace {

class TimedOutput : public JobTest {
 protected:
  Ran cheat(const std::string& fault) { return run_faulty(fault); }
};

TEST_F(TimedOutput, OnlyTheFirstCallComputes) {
  const Ran ran = cheat("stored");
  EXPECT_EQ(ran.outcome, Outcome::wrong_result);
  EXPECT_EQ(ran.body.samples_s_size(), 0);
  EXPECT_THAT(ran.body.reason(), IsGolden());
}

TEST_F(TimedOutput, LaterCallsComputeAPart) {
  const Ran ran = cheat("part");
  EXPECT_EQ(ran.outcome, Outcome::wrong_result);
  EXPECT_THAT(ran.body.reason(), IsGolden());
}

// Verified are calls 1 and 2, the warm-up is 3, samples are 4 to 6 or to 7. Of the two calls that follow,
// one is an even one.
TEST_F(TimedOutput, EveryOtherTimedCallComputes) {
  for (const std::uint64_t samples : {3u, 4u}) {
    rules_.measure.samples = {samples, samples, 0s, 60s};
    const Ran ran = cheat("replays");
    EXPECT_EQ(ran.outcome, Outcome::wrong_result) << samples;
    EXPECT_EQ(ran.body.samples_s_size(), 0);
    EXPECT_FALSE(ran.body.verified());
  }
}

#ifndef __SANITIZE_THREAD__  // the cheat is a data race
// Only the writing itself shows it: the content is always right within the tolerance. On a busy machine the
// thread may not run between two looks, or have come to the same value.
TEST_F(TimedOutput, AnotherThreadWritesAfterTheCall) {
  rules_.measure.samples = {3, 3, 20ms, 60s};  // watched
  Ran ran = cheat("late");
  for (int tries = 1; tries < 1000 && ran.outcome == Outcome::ok; ++tries) ran = cheat("late");
  EXPECT_EQ(ran.outcome, Outcome::wrong_result);
  EXPECT_EQ(ran.body.samples_s_size(), 0);
  EXPECT_THAT(ran.body.reason(), IsGolden());
}
#endif

// As threads of OpenMP and TBB do, for up to 200 ms. Only writes after the call count. The only grade from
// it may be that of the threads: one was requested.
TEST_F(TimedOutput, ThreadsThatSpinAfterTheCallAreNoLateWork) {
  rules_.measure.samples = {3, 3, 20ms, 60s};  // watched, so that it is looked for late work
  const Ran ran = cheat("spins");
  EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_TRUE(ran.body.verified());
  EXPECT_TRUE(ran.body.repeatable());
}

TEST_F(TimedOutput, HonestOnesStayAsTheyAre) {
  for (const char* variant : {"twice", "reference"}) {
    const Ran ran = run(variant);
    EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
    EXPECT_TRUE(ran.body.verified());
    EXPECT_TRUE(ran.body.repeatable());
    EXPECT_EQ(ran.body.samples_s_size(), 3);
  }
}

TEST_F(TimedOutput, NothingIsOverwrittenWhereNothingIsVerified) {
  rules_.measure.verify.enabled = false;
  EXPECT_EQ(cheat("stored").outcome, Outcome::ok);
}

}  // namespace
}  // namespace kernsweep::testing_slot
