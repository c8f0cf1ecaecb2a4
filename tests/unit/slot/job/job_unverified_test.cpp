// Families without a reference: nothing to verify, but runs can be compared with each other; and what a
// variant can report to its host during a run.
#include <gmock/gmock.h>

#include <array>

#include "shared/base/output_sample.hpp"
#include "tests/unit/slot/job/job_fixture.hpp"

namespace kernsweep::testing_slot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// One variant, `told`, without a reference. Its output is `length` bytes: the first one is `first`, or with
// `drifts` differs from the first two runs, and the others are zeros.
struct Told {
  ks_context context;
  std::array<unsigned char, 4> bytes;
};
struct Wish {
  std::int64_t length = 4;
  bool drifts = false;
  int fails_at = 0;  // the run that fails, counted from 1
  bool output_fails = false;
  bool explains = true;
  bool reports = false;
  double flops = 1;         // that the family says, and a run that reports
  unsigned char first = 1;  // byte of the output
};
Wish wish;
int runs = 0;

ks_status prepare(const ks_params*, const ks_context* context, const ks_tensor*, std::size_t, void** state,
                  ks_why) {
  *state = new Told{*context, {}};
  return KS_OK;
}

ks_status fail(const Told& told, const char* reason) {
  if (wish.explains) told.context.explain(told.context.host, reason);
  return KS_FAILED;
}

ks_status run_told(void* state) {
  Told& told = *static_cast<Told*>(state);
  ++runs;
  told.bytes = {wish.drifts ? static_cast<unsigned char>(runs < 3 ? runs : 3 + runs % 200) : wish.first};
  const ks_work work = {wish.flops > 1 ? wish.flops : static_cast<double>(runs), 8};
  if (wish.reports) told.context.report_work(told.context.host, &work);
  return runs == wish.fails_at ? fail(told, "caf\xE9 is closed") : KS_OK;
}

ks_status output_told(void* state, ks_tensor* out) {
  const Told& told = *static_cast<Told*>(state);
  if (wish.output_fails) return fail(told, "nothing to show");
  *out = {};
  out->data = told.bytes.data();
  out->dtype = KS_U8;
  out->rank = 1;
  out->shape[0] = wish.length;
  out->strides[0] = 1;
  return KS_OK;
}

void release_told(void* state) {
  delete static_cast<Told*>(state);
}

ks_status work_of(const ks_params*, ks_work* work, ks_why) {
  *work = {wish.flops, 2};
  return KS_OK;
}

const ks_variant kTold = {
    .name = "told", .prepare = prepare, .run = run_told, .output = output_told, .release = release_told};
const std::array kToldVariants = {&kTold};
const ks_family kFamily = {.name = "told",
                           .any_params = 1,
                           .work = work_of,
                           .variants = kToldVariants.data(),
                           .variant_count = kToldVariants.size()};

class UnverifiedJob : public JobTest {
 protected:
  UnverifiedJob() {
    wish = {};
    runs = 0;
    rules_.measure.verify.repeat = 3;
    use(kFamily);
  }
};

// Warm-up and three samples of `calls` calls come first; two more runs make three of `repeat`.
TEST_F(UnverifiedJob, IsHashedAndRunAgainAfterItWasMeasured) {
  const Ran ran = run("told");
  ASSERT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_EQ(ran.body.output_hash().size(), 16u);
  EXPECT_TRUE(ran.body.repeatable());
  EXPECT_FALSE(ran.body.verified());
  EXPECT_THAT(ran.grades(), IsEmpty());
  EXPECT_EQ(static_cast<std::uint64_t>(runs), ran.body.warmup_runs() + 3 * ran.body.calls_per_sample() + 2);
}

TEST_F(UnverifiedJob, WithoutAnOutputIsNotRunAgain) {
  wish.length = 0;
  const Ran ran = run("told");
  ASSERT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_EQ(ran.body.output_hash(), "");
  EXPECT_EQ(static_cast<std::uint64_t>(runs), ran.body.warmup_runs() + 3 * ran.body.calls_per_sample());
}

TEST_F(UnverifiedJob, WhereNobodyAsksIsNotHashed) {
  rules_.measure.verify.enabled = false;
  EXPECT_EQ(run("told").body.output_hash(), "");
}

TEST_F(UnverifiedJob, OfNothingButZerosIsMistrustedWhoeverAsks) {
  const auto doubts = [&] {
    runs = 0;
    return run("told").doubts();
  };
  EXPECT_THAT(doubts(), IsEmpty());
  wish.first = 0;
  EXPECT_THAT(doubts(), ElementsAre("the output is all zeros"));
  rules_.measure.verify.enabled = false;
  EXPECT_THAT(doubts(), ElementsAre("the output is all zeros"));
  wish.first = 1;
  EXPECT_THAT(doubts(), IsEmpty());
}

TEST_F(UnverifiedJob, ThatCannotShowItsOutputIsNoFailureWhereNobodyAsks) {
  rules_.measure.verify.enabled = false;
  wish.output_fails = true;
  EXPECT_EQ(run("told").outcome, Outcome::ok);
  wish.output_fails = false;
  wish.length = -1;
  EXPECT_EQ(run("told").outcome, Outcome::ok);
}

TEST_F(UnverifiedJob, ThatDiffersFromRunToRunIsGradedOnce) {
  wish.drifts = true;
  const Ran ran = run("told");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_FALSE(ran.body.repeatable());
  EXPECT_THAT(ran.grades(), ElementsAre("repeated runs gave different bits"));
}

TEST_F(UnverifiedJob, KeepsASampleOfWhatItsRunsHadForItsOutput) {
  const auto kept = [&] { return output_sample_of(run("told").body.output_sample()); };
  const auto sample = kept();
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->runs, 3U) << "of verify.repeat";
  EXPECT_EQ(sample->type, "s64");
  EXPECT_EQ(sample->shape, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(sample->largest, 1);
  EXPECT_EQ(sample->hash.size(), 32U);
  wish.first = 2;
  EXPECT_FALSE(agree(*sample, kept().value_or(OutputSample{})));
  wish.drifts = true;
  EXPECT_EQ(kept().value_or(OutputSample{9}).runs, 0U) << "its runs differ";
  wish = {.length = 0};
  EXPECT_EQ(kept().value_or(OutputSample{}).type, "none") << "of a program or a function";
}

TEST_F(UnverifiedJob, KeepsNoSampleWhereNothingIsToBeCompared) {
  rules_.measure.verify = {.enabled = false};
  EXPECT_EQ(run("told").body.output_sample(), "");
  rules_.measure.verify = {};
  wish.fails_at = runs + 1;
  EXPECT_EQ(run("told").body.output_sample(), "");
  use(doubling());
  const Ran verified = run("twice");
  EXPECT_TRUE(verified.body.verified());
  EXPECT_EQ(verified.body.output_sample(), "");
}

TEST_F(UnverifiedJob, ThatFailsSaysWhyInItsOwnWords) {
  wish.fails_at = 1;
  const Ran ran = run("told");
  EXPECT_EQ(ran.outcome, Outcome::failed_run);
  EXPECT_EQ(ran.body.reason(), "caf\xEF\xBF\xBD is closed");
}

TEST_F(UnverifiedJob, ThatFailsWithoutAWordStillHasAReason) {
  wish.fails_at = 1;
  wish.explains = false;
  const Ran ran = run("told");
  EXPECT_EQ(ran.outcome, Outcome::failed_run);
  EXPECT_NE(ran.body.reason(), "");
}

TEST_F(UnverifiedJob, ThatCannotShowItsOutputHasNoSamples) {
  wish.output_fails = true;
  const Ran ran = run("told");
  EXPECT_EQ(ran.outcome, Outcome::failed_run);
  EXPECT_EQ(ran.body.reason(), "nothing to show");
  EXPECT_EQ(ran.body.samples_s_size(), 0);
}

TEST_F(UnverifiedJob, ANonsenseOutputHasNoSamplesEither) {
  wish.length = -1;
  const Ran ran = run("told");
  EXPECT_EQ(ran.outcome, Outcome::failed_run);
  EXPECT_EQ(ran.body.samples_s_size(), 0);
}

TEST_F(UnverifiedJob, WorkThatARunReportsReplacesTheFamilys) {
  EXPECT_EQ(run("told").body.flops(), 1);
  wish.reports = true;
  runs = 0;
  const Ran ran = run("told");
  EXPECT_EQ(ran.body.bytes(), 8);
  EXPECT_GT(ran.body.flops(), 1) << "that of the last measured run";
}

TEST_F(UnverifiedJob, ThatIsFasterThanAProcessorCanBeIsNoResult) {
  wish.flops = 1e30;
  const Ran ran = run("told");
  EXPECT_EQ(ran.outcome, Outcome::wrong_result);
  EXPECT_EQ(ran.body.samples_s_size(), 0);
  EXPECT_TRUE(ran.body.reason().starts_with("not physically possible: ")) << ran.body.reason();
  // A run may report the operations of another algorithm.
  wish.reports = true;
  const Ran reported = run("told");
  EXPECT_EQ(reported.outcome, Outcome::ok);
  EXPECT_EQ(reported.body.doubts_size(), 1);
  EXPECT_EQ(reported.body.doubt_cause(), static_cast<std::uint32_t>(DoubtCause::unknown));
}

}  // namespace
}  // namespace kernsweep::testing_slot
