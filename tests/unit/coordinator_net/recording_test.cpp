// From the bytes that a slot has sent to the rows that people ask.
#include "coordinator/net/recording.hpp"

#include <limits>

#include "tests/unit/results/made.hpp"

namespace kernsweep::coordination {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class RecordingTest : public ::testing::Test {
 protected:
  RecordingTest()
      : expansion_(
            test::good(Expansion::parse("sweep: 1\nname: s\nkernel: gemm\naxes: {m: [1, 2]}\n", "", {}))),
        path_(folder_.file("r.db")),
        store_(test::good(Store::open_for_writing(path_))) {
    SweepRecord sweep = test::sweep_named("s", {"m"});
    sweep_ = test::good(store_.begin_sweep(sweep)).id;
    body_.set_calls_per_sample(1);
    for (int i = 0; i <= 10; ++i) body_.add_samples_s(i);  // 0, 1, ..., 10
    body_.mutable_conditions()->set_measured(true);
  }
  // Records the body and answers the query.
  std::string stored(const std::string& query) {
    Recording recording(store_, expansion_, "test");
    Finding finding;
    finding.attempt = {{sweep_, next_job_++, 0}, 1};
    finding.body = body_.SerializeAsString();
    EXPECT_TRUE(recording.record(finding));
    EXPECT_TRUE(store_.commit());
    return test::asked(path_, query);
  }

  test::Folder folder_;
  Expansion expansion_;
  std::string path_;
  Store store_;
  SweepId sweep_;
  std::uint64_t next_job_ = 0;
  wire::OutcomeBody body_;
};

// Type 7 over 0 ... 10: the quantile q is at 10 q.
TEST_F(RecordingTest, TheTailOfSingleCallsIsComputedFromTheSamples) {
  EXPECT_EQ(stored("select p90_s, p99_s, p999_s from conditions"), "9.0|9.9|9.99");
}

TEST_F(RecordingTest, SamplesOfSeveralCallsHaveNoTail) {
  body_.set_calls_per_sample(2);
  EXPECT_EQ(stored("select coalesce(p90_s, p99_s, p999_s) is null from conditions"), "1");
}

// The median is 5; alone it was 4.
TEST_F(RecordingTest, InterferenceIsTheMedianBesideNeighboursOverThatAlone) {
  body_.mutable_conditions()->set_alone_median_s(4);
  body_.set_neighbours(3);
  EXPECT_EQ(stored("select interference, neighbours from conditions"), "1.25|3");
}

TEST_F(RecordingTest, WithoutAMeasurementAloneThereIsNoInterference) {
  EXPECT_EQ(stored("select interference is null from conditions"), "1");
}

TEST_F(RecordingTest, WhatIsNoNumberIsNotKnown) {
  body_.mutable_conditions()->set_foreign_cores(kNan);
  body_.mutable_conditions()->set_steal_s(std::numeric_limits<double>::infinity());
  body_.mutable_conditions()->set_clock_ghz(kNan);
  body_.mutable_conditions()->set_alone_median_s(kNan);
  EXPECT_EQ(
      stored("select coalesce(foreign_cores, steal_s, clock_ghz, interference) is null from conditions"),
      "1");
}

TEST_F(RecordingTest, AJobThatWasNotWatchedHasNoConditions) {
  body_.clear_conditions();
  EXPECT_EQ(stored("select count(*) from conditions"), "0");
}

TEST_F(RecordingTest, AWarningMakesAB) {
  EXPECT_EQ(stored("select grade from outcome"), "A");
  body_.add_grades("others kept 0.97 cores of this host busy");
  EXPECT_EQ(stored("select grade from outcome where job = 1"), "B");
}

TEST_F(RecordingTest, ADoubtMakesACAndIsToldFirst) {
  body_.add_grades("others kept 0.97 cores of this host busy");
  body_.add_doubts("31 % of the samples were disturbed: clock 12, switched 40");
  EXPECT_EQ(stored("select grade from outcome"), "C");
  EXPECT_EQ(stored("select grade_reasons like '31 _ of%others kept%' from result where job = 1"), "1");
}

}  // namespace
}  // namespace kernsweep::coordination
