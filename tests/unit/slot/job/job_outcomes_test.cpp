// Every way in which a job can fail, and the outcome and reason that are stored for it.
#include <gmock/gmock.h>

#include <array>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/slot/job/job_fixture.hpp"

namespace kernsweep::testing_slot {
namespace {

TEST_F(JobTest, EveryFaultHasItsOutcomeAndItsReason) {
  struct Case {
    const char* fault;
    Outcome outcome;
  };
  for (const Case& each : std::vector<Case>{{"cannot", Outcome::unsupported},
                                            {"cannot_bad", Outcome::failed_setup},
                                            {"prepare", Outcome::failed_setup},
                                            {"prepare_oom", Outcome::out_of_memory},
                                            {"prepare_unsup", Outcome::unsupported},
                                            {"latin1", Outcome::failed_setup},
                                            {"run", Outcome::failed_run},
                                            {"run_oom", Outcome::out_of_memory},
                                            {"run_late", Outcome::failed_run},
                                            {"clock", Outcome::failed_run},
                                            {"clock_stands", Outcome::failed_run},
                                            {"output", Outcome::failed_run},
                                            {"bad_rank", Outcome::failed_run},
                                            {"short", Outcome::wrong_result},
                                            {"wrong", Outcome::wrong_result},
                                            {"nan", Outcome::wrong_result},
                                            {"zeros", Outcome::wrong_result}}) {
    const Ran ran = run_faulty(each.fault);
    EXPECT_EQ(ran.outcome, each.outcome) << each.fault << ": " << ran.body.reason();
    EXPECT_THAT(std::string(each.fault) + ": " + ran.body.reason(), IsGolden());
    EXPECT_EQ(ran.body.samples_s_size(), 0) << each.fault << ": only a good result has samples";
    EXPECT_EQ(ran.body.flops(), 0) << each.fault;
  }
  EXPECT_EQ(run_faulty("none").outcome, Outcome::ok) << "and the slot works on";
}

TEST_F(JobTest, ALostDeviceIsTheEndOfTheProcess) {
  EXPECT_EQ(run_faulty("run").outcome, Outcome::failed_run);
  EXPECT_FALSE(runner_->is_done());
  const Ran lost = run_faulty("run_lost");
  EXPECT_EQ(lost.outcome, Outcome::failed_run);
  EXPECT_THAT(lost.body.reason(), IsGolden());
  EXPECT_TRUE(runner_->is_done());
  EXPECT_TRUE(lost.device_lost);
}

TEST_F(JobTest, AProgramThatFailsOnAGpuMayHaveLostItWithoutAWord) {
  ks_family programs = doubling();
  programs.any_params = 1;
  use(programs);
  EXPECT_EQ(run_faulty("run").outcome, Outcome::failed_run);
  EXPECT_FALSE(runner_->is_done()) << "it has no GPU";
  SlotPlace place{1, "0-1", 1 << 20};
  place.gpus = "GPU-0 a card";
  for (const char* fault : {"run", "prepare"}) {
    runner_.emplace(pack_, programs, place, worker_);
    for (const char* harmless : {"none", "cannot", "run_oom", "wrong"}) run_faulty(harmless);
    EXPECT_FALSE(runner_->is_done());
    EXPECT_FALSE(run_faulty(fault).device_lost);
    EXPECT_TRUE(runner_->is_done()) << fault;
  }
  runner_.emplace(pack_, doubling(), place, worker_);
  EXPECT_EQ(run_faulty("run").outcome, Outcome::unsupported) << "and a kernel says it itself";
}

TEST_F(JobTest, AWrongResultTellsItsErrorAndHash) {
  const Ran ran = run_faulty("wrong");
  EXPECT_FALSE(ran.body.verified());
  EXPECT_GT(ran.body.error(), 1);
  EXPECT_EQ(ran.body.output_hash().size(), 16u);
}

TEST_F(JobTest, AToleranceOfTheSweepReplacesTheFamilys) {
  rules_.measure.verify.tolerance = {{"f32", 1e-9}};
  const auto with_dtype = [&](const char* dtype) {
    return run("faulty", {{"n", 4}, {"fault", "flaky"}, {"dtype", dtype}}).outcome;
  };
  EXPECT_EQ(with_dtype("f32"), Outcome::wrong_result) << "1e-6 is beyond 1e-9";
  EXPECT_EQ(with_dtype("bf16"), Outcome::ok) << "for which the family's own holds";
}

TEST_F(JobTest, WithoutAColumnAToleranceGoesByTheTypeOfTheOutput) {
  rules_.measure.verify.tolerance = {{"f32", 1e-9}, {"bf16", 1}};
  EXPECT_EQ(run_faulty("flaky").outcome, Outcome::wrong_result);
  EXPECT_EQ(run_faulty("flaky").body.tolerance(), 1e-9);
  rules_.measure.verify.tolerance = {{"bf16", 1e-9}};
  EXPECT_EQ(run_faulty("flaky").body.tolerance(), 1e-5) << "the family's own";
}

TEST_F(JobTest, AToleranceGoesByTheDefaultOfTheParameterBeforeTheTypeOfTheOutput) {
  const std::array<ks_param_doc, 3> params = {{{"n", KS_INTEGER, nullptr, nullptr, ""},
                                               {"inputs", KS_INTEGER, "1", nullptr, ""},
                                               {"dtype", KS_TEXT, "bf16", nullptr, ""}}};
  ks_family family = doubling();
  family.params = params.data();
  family.param_count = params.size();
  use(family);
  rules_.measure.verify.tolerance = {{"bf16", 1e-3}, {"f32", 1e-9}};
  EXPECT_EQ(run_faulty("flaky").body.tolerance(), 1e-3);
  EXPECT_EQ(run("twice", {{"n", 4}, {"dtype", "f32"}}).body.tolerance(), 1e-9);
  EXPECT_EQ(run("twice", {{"n", 4}, {"dtype", "q4"}}).body.tolerance(), 1e-9)
      << "a word of the pack's own is not a data type of ours";
  rules_.measure.verify.tolerance = {{"tf32", 1e-3}, {"f32", 1e-9}};
  EXPECT_EQ(run("twice", {{"n", 4}, {"dtype", "tf32"}}).body.tolerance(), 1e-3)
      << "not an element type, but with errors of its own";
  runner_.reset();  // the parameters end with this test
}

TEST_F(JobTest, AnUnknownVariantIsNamedWithItsNeighbour) {
  const Ran ran = run("twise");
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_THAT(ran.body.reason(), IsGolden());
}

TEST_F(JobTest, AnUnknownReferenceIsNamed) {
  rules_.measure.verify.reference = "referenze";
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_THAT(ran.body.reason(), IsGolden());
  EXPECT_THAT(ran.body.reason(), IsGolden());
}

TEST_F(JobTest, AMissingParameterIsNamed) {
  const Ran ran = run("twice", {});
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_THAT(ran.body.reason(), IsGolden());
}

TEST_F(JobTest, WhatTheFamilyRefusesIsToldInItsWords) {
  const Ran ran = run("twice", {{"n", -1}});
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_EQ(ran.body.reason(), "n must not be negative");
}

TEST_F(JobTest, AWrongInputIsNamed) {
  const Ran ran = run("twice", {{"n", 4}, {"input.x", "nonsense"}});
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_THAT(ran.body.reason(), IsGolden());
}

TEST_F(JobTest, AnInputOfTheSweepIsUsed) {
  const Ran ran = run("twice", {{"n", 4}, {"input.x", "integers(3, 3)"}});
  ASSERT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_EQ(worker_.offered, (std::vector<double>{6, 6, 6, 6}));
}

TEST_F(JobTest, OperandsThatCannotBeMadeAreASetUpThatFailed) {
  worker_.tensor_error = "operand 'x': no such file";
  Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_EQ(ran.body.reason(), "operand 'x': no such file");
  worker_.out_of_memory = true;
  ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::out_of_memory);
}

TEST_F(JobTest, AWorkerThatIsGoneIsASetUpThatFailed) {
  worker_.gone = true;
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_EQ(ran.body.reason(), "the worker is gone");
}

}  // namespace
}  // namespace kernsweep::testing_slot
