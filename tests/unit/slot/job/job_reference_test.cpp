// A reference output is computed once, shared with the host, and taken from it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/slot/job/job_fixture.hpp"
#include "tests/unit/tensors/made_files.hpp"

namespace kernsweep::testing_slot {
namespace {

using testing::SizeIs;

TEST_F(JobTest, AReferenceIsComputedOnceForAllVariantsOfAPoint) {
  const int before = reference_runs();
  EXPECT_EQ(run("twice").outcome, Outcome::ok);
  EXPECT_EQ(run_faulty("none").outcome, Outcome::ok);
  EXPECT_EQ(run("twice").outcome, Outcome::ok);
  EXPECT_EQ(reference_runs(), before + 1);
  EXPECT_THAT(worker_.offers, SizeIs(1));
}

TEST_F(JobTest, AReferenceHasTheThreadsOfItsJob) {
  worker_.keep_offers = false;
  for (const std::uint32_t threads : {1U, 3U}) {
    use(doubling(), threads);
    EXPECT_EQ(run("twice").outcome, Outcome::ok);
    EXPECT_EQ(reference_threads(), static_cast<int>(threads));
  }
}

TEST_F(JobTest, TheReferenceThatIsOfferedIsTheOneThatWasAskedFor) {
  (void)run("twice", {{"n", 3}, {"inputs", 0}});
  ASSERT_THAT(worker_.offers, SizeIs(1));
  ASSERT_THAT(worker_.wanted_references, SizeIs(1)) << "even without operands, the host may have it";
  EXPECT_EQ(worker_.offers[0], worker_.wanted_references[0]);
  EXPECT_EQ(worker_.offered, (std::vector<double>{2, 4, 6})) << "twice 1, 2, 3, in f64";
}

TEST_F(JobTest, AnotherPointHasAnotherReference) {
  const int before = reference_runs();
  EXPECT_EQ(run("twice", {{"n", 4}}).outcome, Outcome::ok);
  EXPECT_EQ(run("twice", {{"n", 5}}).outcome, Outcome::ok);
  plan_.set_seed(43);
  EXPECT_EQ(run("twice", {{"n", 5}}).outcome, Outcome::ok);
  EXPECT_EQ(reference_runs(), before + 3);
  EXPECT_THAT(worker_.offers, SizeIs(3));
}

// A setting of the family changes how the output is computed, and not what it is.
TEST_F(JobTest, PointsThatDifferInASettingShareTheReference) {
  const auto runs = [&](const char* settings) {
    ks_family family = doubling();
    family.settings = settings;
    use(family);
    const int before = reference_runs();
    for (const std::int64_t block : {1, 2})
      EXPECT_EQ(run("twice", {{"n", 4}, {"block", block}}).outcome, Outcome::ok);
    return reference_runs() - before;
  };
  EXPECT_EQ(runs("block"), 1);
  EXPECT_EQ(runs(nullptr), 2) << "what is no setting is the problem";
}

TEST_F(JobTest, AReferenceOfTheHostIsAdoptedAndNotComputed) {
  (void)run("twice", {{"n", 4}});
  (void)run("twice", {{"n", 5}});  // the slot itself keeps only the last
  const int before = reference_runs();
  EXPECT_EQ(run("twice", {{"n", 4}}).outcome, Outcome::ok);
  EXPECT_EQ(reference_runs(), before);
  EXPECT_THAT(worker_.offers, SizeIs(2));
}

TEST_F(JobTest, AReferenceThatTheHostDidNotKeepIsComputedAgain) {
  worker_.keep_offers = false;
  (void)run("twice", {{"n", 4}});
  (void)run("twice", {{"n", 5}});
  const int before = reference_runs();
  EXPECT_EQ(run("twice", {{"n", 4}}).outcome, Outcome::ok);
  EXPECT_EQ(reference_runs(), before + 1);
}

// Outputs are really compared with an adopted reference, and it may be anything.
TEST_F(JobTest, AnAdoptedReferenceJudges) {
  worker_.know_reference({2, 4, 6.5});
  Ran ran = run("twice", {{"n", 3}, {"inputs", 0}});
  EXPECT_EQ(ran.outcome, Outcome::wrong_result);
  EXPECT_THAT(ran.body.reason(), IsGolden());
}

TEST_F(JobTest, AnAdoptedReferenceOfAnotherSizeIsNoCrash) {
  worker_.know_reference({2, 4});
  const Ran ran = run("twice", {{"n", 3}, {"inputs", 0}});
  EXPECT_EQ(ran.outcome, Outcome::wrong_result);
  EXPECT_THAT(ran.body.reason(), IsGolden());
}

TEST_F(JobTest, AReferenceThatFailsIsASetUpThatFailed) {
  use(doubling_without_reference_result());
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_THAT(ran.body.reason(), IsGolden());
  EXPECT_THAT(worker_.offers, SizeIs(0));
}

TEST_F(JobTest, AnotherVariantMayBeTheReference) {
  rules_.measure.verify.reference = "twice";
  const int before = reference_runs();
  EXPECT_EQ(run_faulty("none").outcome, Outcome::ok);
  EXPECT_EQ(reference_runs(), before);
  EXPECT_EQ(run_faulty("wrong").outcome, Outcome::wrong_result);
}

TEST_F(JobTest, NothingToComputeIsRightWithoutElements) {
  const Ran ran = run("twice", {{"n", 0}, {"inputs", 0}});
  EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_TRUE(ran.body.verified());
}

// A point with operands, and then one of the same family without: it must not see those of the one before.
TEST_F(JobTest, OperandsOfThePointBeforeAreNotHandedOn) {
  EXPECT_EQ(run("twice", {{"n", 3}, {"inputs", 1}}).outcome, Outcome::ok);
  EXPECT_EQ(run("twice", {{"n", 3}, {"inputs", 0}}).outcome, Outcome::ok);
  EXPECT_EQ(worker_.offered, (std::vector<double>{2, 4, 6}));
}

// Passed on, and evicted before this process opened it: its number is another buffer's, of the same size.
TEST_F(JobTest, AReferenceThatIsAnotherBufferByNowIsComputed) {
  worker_.know_reference({2, 4, 6});
  worker_.reference_now = sealed({7, 8, 9});
  const int before = reference_runs();
  const Ran ran = run("twice", {{"n", 3}, {"inputs", 0}});
  EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_EQ(reference_runs(), before + 1);
}

TEST_F(JobTest, AReferenceThatCannotBeOpenedAnyMoreIsComputed) {
  worker_.know_reference({2, 4, 6});
  worker_.reference_now = sealed({7});
  const Ran ran = run("twice", {{"n", 3}, {"inputs", 0}});
  EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
}

// The files that a reference command reads are not seen: the files that the sweep declares count. The job
// fails after it has asked, so that nothing is started.
TEST_F(JobTest, AReferenceOfAnotherProcessGoesByTheFilesThatTheSweepDependsOn) {
  const std::string path = testing::TempDir() + "read_by_reference_" + std::to_string(getpid());
  rules_.measure.verify.reference.kind = ReferenceKind::command;
  rules_.measure.verify.reference.text = "true";
  plan_.add_depends(path);
  for (const char* content : {"1", "22", "1"}) {
    std::ofstream(path) << content;
    EXPECT_EQ(run_faulty("prepare").outcome, Outcome::failed_setup);
  }
  std::filesystem::remove(path);
  ASSERT_THAT(worker_.wanted_references, SizeIs(3));
  EXPECT_NE(worker_.wanted_references[0], worker_.wanted_references[1]);
  EXPECT_EQ(worker_.wanted_references[0], worker_.wanted_references[2]);
}

// The file keeps its name, its size and its shape, and the process and its host live on.
TEST_F(JobTest, AReferenceGoesByWhatAFileHoldsAndNotByItsName) {
  const std::string path = testing::TempDir() + "reference_of_" + std::to_string(getpid()) + ".npy";
  const auto run_with = [&](const std::string& four_floats) {
    std::ofstream(path, std::ios::binary)
        << testing_tensors::npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", four_floats);
    return run("twice", {{"n", 4}, {"input.x", path}});
  };
  const std::string ones = std::string("\0\0\x80\x3f", 4), twos = std::string("\0\0\0\x40", 4);
  const int before = reference_runs();
  const Ran first = run_with(ones + ones + ones + ones);
  EXPECT_EQ(first.outcome, Outcome::ok) << first.body.reason();
  const Ran second = run_with(ones + ones + ones + twos);
  EXPECT_EQ(second.outcome, Outcome::ok) << second.body.reason();
  EXPECT_NE(first.body.output_hash(), second.body.output_hash());
  EXPECT_NE(first.body.inputs(0).content_hash(), second.body.inputs(0).content_hash());
  EXPECT_EQ(reference_runs(), before + 2);
  const Ran third = run_with(ones + ones + ones + ones);
  EXPECT_EQ(third.outcome, Outcome::ok) << third.body.reason();
  EXPECT_EQ(reference_runs(), before + 2) << "the host still has it";
  std::filesystem::remove(path);
}

TEST_F(JobTest, AnotherBuildOfThePackHasAnotherReference) {
  SlotPlace place{1, "0-1", 1 << 20};
  const int before = reference_runs();
  for (const char* build : {"one", "other", "one"}) {
    place.pack_content = digest_of(build);
    runner_.emplace(pack_, doubling(), place, worker_);
    EXPECT_EQ(run("twice").outcome, Outcome::ok);
  }
  EXPECT_EQ(reference_runs(), before + 2);
}

}  // namespace
}  // namespace kernsweep::testing_slot
