// What a successful job reports, and when it requests the lease.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

#include "shared/base/digest.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/slot/job/job_fixture.hpp"

namespace kernsweep::testing_slot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(JobTest, AGoodVariantIsVerifiedAndMeasured) {
  const Ran ran = run("twice");
  ASSERT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_TRUE(ran.body.verified());
  EXPECT_TRUE(ran.body.repeatable());
  EXPECT_LE(ran.body.error(), 1e-6);
  EXPECT_EQ(ran.body.tolerance(), 1e-5);
  EXPECT_EQ(ran.body.samples_s_size(), 3);
  EXPECT_EQ(ran.body.stopped_by(), "max_samples");
  EXPECT_GE(ran.body.warmup_runs(), 1u);
  EXPECT_GT(ran.body.calls_per_sample(), 1u);
  EXPECT_EQ(ran.body.flops(), 4);
  EXPECT_EQ(ran.body.bytes(), 32);
  EXPECT_EQ(ran.body.reason(), "");
  EXPECT_THAT(ran.grades(), IsEmpty());
  EXPECT_EQ(ran.body.output_hash().size(), 16u);
}

TEST_F(JobTest, AJobTellsWhereAndOnWhatItRan) {
  const Ran ran = run("twice");
  EXPECT_EQ(ran.body.affinity(), "0-1");
  EXPECT_EQ(ran.body.slot_pid(), static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(ran.body.pack_name(), "example");
  EXPECT_EQ(ran.body.pack_version(), "1.2");
  EXPECT_GT(ran.body.started_unix_ns(), 0);
  EXPECT_GT(ran.body.setup_s(), 0);
  EXPECT_GT(ran.body.run_s(), 0);
  ASSERT_EQ(ran.body.inputs_size(), 1);
  EXPECT_EQ(ran.body.inputs(0).name(), "x");
  EXPECT_EQ(ran.body.inputs(0).bytes(), 16u);
  EXPECT_EQ(ran.body.inputs(0).identity().size(), 16u);
  EXPECT_TRUE(ran.body.inputs(0).summary().starts_with("f32[4] uniform(1, 2)"));
  const wire::TensorOrigin& origin = ran.body.inputs(0).origin();
  EXPECT_EQ(origin.dtype(), "f32");
  ASSERT_EQ(origin.shape_size(), 1);
  EXPECT_EQ(origin.shape(0), 4);
  EXPECT_EQ(origin.distribution(), "uniform(1, 2)");
  EXPECT_TRUE(ran.body.inputs(0).summary().ends_with(" seed " + std::to_string(origin.seed())));
  EXPECT_TRUE(digest_from_hex(ran.body.inputs(0).content_hash()));
}

// The fake says "caf" and a byte that is no UTF-8.
TEST_F(JobTest, TextOfAPackThatIsNoUtf8DoesNotLoseTheResult) {
  const Ran ran = run("twice");
  EXPECT_EQ(ran.body.runtime(), "fake 1.0 caf\xEF\xBF\xBD");
  EXPECT_EQ(ran.body.samples_s_size(), 3);
}

TEST_F(JobTest, TheSamePointHasTheSameBits) {
  const std::string hash = run("twice").body.output_hash();
  EXPECT_EQ(run("twice").body.output_hash(), hash);
  plan_.set_seed(43);
  EXPECT_NE(run("twice").body.output_hash(), hash) << "another seed, other numbers";
}

TEST_F(JobTest, OfAFamilyWithOneVariantNeedsNotNameIt) {
  ks_family family = doubling();
  family.variant_count = 1;  // the reference
  use(family);
  EXPECT_EQ(run("").outcome, Outcome::ok);
}

TEST_F(JobTest, AsksForTheLeaseOnceAndAfterVerifying) {
  leased_ = false;
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_EQ(worker_.leases, 1);
  EXPECT_EQ(run_faulty("wrong").outcome, Outcome::wrong_result);
  EXPECT_EQ(worker_.leases, 1) << "what is wrong is never measured";
}

TEST_F(JobTest, DoesNotAskForALeaseThatCameWithIt) {
  (void)run("twice");
  EXPECT_EQ(worker_.leases, 0);
}

TEST_F(JobTest, WithoutALeaseNothingIsMeasured) {
  leased_ = false;
  worker_.keeps_lease = true;
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::failed_run);
  EXPECT_EQ(ran.body.reason(), "the worker keeps the lease");
  EXPECT_EQ(ran.body.samples_s_size(), 0);
}

TEST_F(JobTest, ColdSamplesAreSingleCalls) {
  cache_ = Cache::cold;
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_EQ(ran.body.calls_per_sample(), 1u);
}

TEST_F(JobTest, AFirstLookIsMarkedAsSuch) {
  rules_.measure.quick = true;
  EXPECT_THAT(run("twice").grades(), ElementsAre("measured with --quick"));
}

TEST_F(JobTest, FewerSamplesThanAskedForLowerTheGrade) {
  rules_.measure.samples = {1000, 2000, 0s, 2ms};  // each takes ten thousand readings of the clock
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_LT(ran.body.samples_s_size(), 1000);
  EXPECT_EQ(ran.body.stopped_by(), "max_time");
  EXPECT_THAT(ran.grades(), ElementsAre(testing::HasSubstr("fewer samples than asked for")));
}

// Samples of a microsecond: the clock takes more than a ten-thousandth of it on any machine.
TEST_F(JobTest, SamplesThatAreTooShortForTheClockAreGraded) {
  rules_.measure.warmup.min_runs = 9;
  rules_.measure.samples = {1, 1, 0s, 1us};
  // On a slow machine a single call may fill the sample of 1 us.
  EXPECT_THAT(run("twice").grades(),
              ElementsAre(testing::AnyOf(testing::HasSubstr("reading the clock takes"),
                                         testing::HasSubstr("reading it takes"))));
}

TEST_F(JobTest, WithoutVerificationThereIsNoReferenceAndNoHash) {
  rules_.measure.verify.enabled = false;
  const int before = reference_runs();
  const Ran ran = run_faulty("wrong");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_FALSE(ran.body.verified());
  EXPECT_EQ(ran.body.output_hash(), "");
  EXPECT_EQ(reference_runs(), before);
}

TEST_F(JobTest, AllZerosAreGraded) {
  ks_family family = doubling();
  family.tolerance = [](const ks_params*, ks_tolerance* out) {
    out->relative = 2;
    return KS_OK;
  };
  use(family);
  const Ran ran = run_faulty("zeros");
  EXPECT_EQ(ran.outcome, Outcome::ok) << "within this tolerance";
  EXPECT_THAT(ran.doubts(), ElementsAre("the output is all zeros"));
}

// The last run that was verified is the second. After 3 samples calls 7 and 8 are checked, after 4 calls 8
// and 9: the last one has its bits, or others.
TEST_F(JobTest, OutputsThatDifferFromRunToRunAreGradedButNotDoubted) {
  for (const std::uint64_t samples : {3u, 4u}) {
    rules_.measure.samples = {samples, samples, 0s, 60s};
    const Ran ran = run_faulty("flaky");
    EXPECT_EQ(ran.outcome, Outcome::ok) << "1e-6 is within 1e-5";
    EXPECT_FALSE(ran.body.repeatable());
    EXPECT_THAT(ran.grades(), testing::Contains("repeated runs gave different bits"));
    EXPECT_THAT(ran.doubts(), IsEmpty()) << samples;
  }
}

// 1e-3 is beyond 1e-5.
TEST_F(JobTest, AnOutputThatDiffersAnywayIsDoubtedOnceItIsWrong) {
  const Ran ran = run_faulty("unsteady");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_FALSE(ran.body.repeatable());
  EXPECT_THAT(ran.doubts(), ElementsAre("the output changed while it was measured"));
}

// Checks after sampling need no lease; a message is too expensive for a short job, which has the lease with
// its run.
TEST_F(JobTest, ALeaseThatWasRequestedIsReturnedBeforeTheChecks) {
  rules_.measure.samples = {1, 1000000, 20ms, 100ms};
  EXPECT_EQ(run("twice").outcome, Outcome::ok);
  EXPECT_EQ(worker_.leases_returned, 0);
  leased_ = false;
  EXPECT_EQ(run("twice").outcome, Outcome::ok);
  EXPECT_EQ(worker_.leases_returned, 1);
  rules_.measure.samples = {3, 3, 0s, 60s};
  const Ran brief = run("twice");
  EXPECT_EQ(brief.outcome, Outcome::ok);
  EXPECT_EQ(worker_.leases_returned, brief.body.run_s() < 10e-3 ? 1 : 2) << "a busy host stretches it";
}

// The calls before and after the timed ones are right.
TEST_F(JobTest, AnOutputThatOnlyTheTimedCallsLeftWrongIsDoubted) {
  const Ran ran = run_faulty("timed");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_THAT(ran.doubts(), ElementsAre("the output changed while it was measured"));
}

// Two runs are compared bit by bit; from the third on the output is another one.
TEST_F(JobTest, AnOutputThatChangesWhileItIsMeasuredIsGraded) {
  const Ran ran = run_faulty("drift");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_FALSE(ran.body.repeatable());
  EXPECT_THAT(ran.doubts(), ElementsAre("the output changed while it was measured"));
}

// The first number of statm: what this process has mapped, in pages.
std::int64_t mapped_pages() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t pages = 0;
  statm >> pages;
  return pages;
}

// 1 MiB of output and its guard page each: 12 jobs would keep 12 MiB.
TEST_F(JobTest, MemoryOfAJobIsFreedWithIt) {
  rules_.measure.verify.enabled = false;
  const auto once = [&] { return run("faulty", {{"n", 1 << 18}, {"inputs", 0}}).outcome; };
  EXPECT_EQ(once(), Outcome::ok);
  const std::int64_t before = mapped_pages();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(once(), Outcome::ok);
  EXPECT_LT(mapped_pages() - before, (3 << 20) / getpagesize());
}

// 1 s against a median of 1 ms. A note is no reason for a grade.
TEST_F(JobTest, ASlowFirstCallIsToldInANote) {
  const Ran slow = run_faulty("compiles");
  EXPECT_EQ(slow.outcome, Outcome::ok);
  EXPECT_EQ(slow.body.first_call_s(), 1);
  ASSERT_EQ(slow.body.notes_size(), 1);
  EXPECT_THAT(slow.body.notes(0), IsGolden());
  const Ran plain = run_faulty("none");
  EXPECT_EQ(plain.body.first_call_s(), 0.001);
  EXPECT_EQ(plain.body.notes_size(), 0);
  EXPECT_EQ(slow.grades(), plain.grades());
  EXPECT_EQ(slow.doubts(), plain.doubts());
  rules_.measure.verify.enabled = false;
  const Ran unverified = run_faulty("compiles");
  EXPECT_EQ(unverified.body.first_call_s(), 1) << "then it is that of the warm-up";
}

// With a new state, whose data was not used yet, it is slow again.
TEST_F(JobTest, AFirstCallThatUsesUpItsDataIsDoubtful) {
  const Ran ran = run_faulty("uses_up");
  EXPECT_EQ(ran.body.first_call_s(), 1);
  ASSERT_EQ(ran.body.doubts_size(), 1);
  EXPECT_THAT(ran.body.doubts(0), IsGolden());
  EXPECT_EQ(ran.body.notes_size(), 0);
}

TEST_F(JobTest, WorkThatIsQueuedIsDoubtful) {
  ASSERT_EQ(run_faulty("none").doubts().size(), 0U);
  // On cores that others use, the tail of a single call may hold work of the calls before it.
  Ran ran = run_faulty("queues");
  for (int i = 0; i < 20 && ran.body.doubts_size() == 0; ++i) ran = run_faulty("queues");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  ASSERT_EQ(ran.body.doubts_size(), 1);
  EXPECT_TRUE(ran.body.doubts(0).starts_with("other threads of the process used "));
}

}  // namespace
}  // namespace kernsweep::testing_slot
