// From the bytes that a slot has sent to the rows that people ask.
#include "coordinator/net/recording.hpp"

#include <limits>

#include "tests/unit/results/made.hpp"

namespace kernsweep::coordinator {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class RecordingTest : public ::testing::Test {
 protected:
  RecordingTest()
      : expansion_(test::good(
            Expansion::parse("sweep: 1\nname: s\nkernel: gemm\naxes: {m: {range: [1, 200]}}\n", "", {}))),
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
    Recording recording(store_, "test");
    recording.add(sweep_, std::make_shared<const Expansion>(expansion_));
    PendingResult result;
    result.attempt = {{sweep_, next_job_++, 0}, 1};
    result.body = body_.SerializeAsString();
    EXPECT_TRUE(recording.record(result));
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
  const testing::Matcher<std::string> may_be_ = testing::Not(testing::ContainsRegex("inf|Inf|nan|-"));
};

// By its field, not by words of a reason; it is the first reason's cause, or none.
TEST_F(RecordingTest, TheCauseOfADoubtIsTheOneThatWasTold) {
  const char* const kAsked =
      "select ifnull(doubt_cause, '-') from attempt_row order by result desc limit 1";
  body_.set_doubt_cause(static_cast<std::uint32_t>(DoubtCause::steal));
  EXPECT_EQ(stored(kAsked), "-") << "without a doubt";
  body_.add_doubts("31 % of the samples were disturbed: clock 40");
  EXPECT_EQ(stored(kAsked), "steal");
  body_.set_doubt_cause(99);
  EXPECT_EQ(stored(kAsked), "-") << "unknown here";
  body_.set_doubt_cause(static_cast<std::uint32_t>(DoubtCause::steal));
  body_.add_samples_s(-1);
  EXPECT_EQ(stored(kAsked), "-") << "the first reason is the coordinator's own";
}

// Type 7 over 0 ... 1000: the quantile q is at 1000 q.
TEST_F(RecordingTest, TheTailOfSingleCallsIsComputedFromTheSamples) {
  for (int i = 11; i <= 1000; ++i) body_.add_samples_s(i);
  EXPECT_EQ(stored("select p90_s, p99_s, p999_s from conditions"), "900.0|990.0|999.0");
}

// p90 from 10 samples on, p99 from 100, p99.9 from 1,000.
TEST_F(RecordingTest, AQuantileOfTooFewSamplesIsNotKnown) {
  const auto known_with = [&](int samples) {
    body_.clear_samples_s();
    for (int i = 0; i < samples; ++i) body_.add_samples_s(1);
    return stored(
        "select p90_s is not null, p99_s is not null, p999_s is not null from conditions "
        "order by result desc limit 1");
  };
  EXPECT_EQ(known_with(9), "0|0|0");
  EXPECT_EQ(known_with(10), "1|0|0");
}
TEST_F(RecordingTest, AQuantileOfEnoughSamplesIsKnown) {
  for (int i = 11; i < 100; ++i) body_.add_samples_s(1);
  EXPECT_EQ(body_.samples_s_size(), 100);
  EXPECT_EQ(stored("select p99_s is not null, p999_s is not null from conditions"), "1|0");
  body_.mutable_samples_s()->RemoveLast();
  EXPECT_EQ(stored("select p99_s is not null from conditions where result = 2"), "0");
}

TEST_F(RecordingTest, TheMetricOfTheRulesIsKept) {
  EXPECT_EQ(stored("select metric is null from conditions"), "1") << "of a worker that does not tell it";
  body_.mutable_conditions()->set_metric(static_cast<std::uint32_t>(Metric::latency));
  EXPECT_EQ(stored("select metric from conditions where result = 2"), "latency");
}

TEST_F(RecordingTest, TheLargestErrorOfAnElementIsKeptWhereThereIsOne) {
  EXPECT_EQ(stored("select error_element is null from conditions"), "1");
  body_.mutable_conditions()->set_error_element(0.25);
  EXPECT_EQ(stored("select error_element from conditions where result = 2"), "0.25");
}

TEST_F(RecordingTest, WarmUpAndNoiseAreKept) {
  body_.set_warmup_s(0.25);
  body_.set_noise(0.5);
  EXPECT_EQ(stored("select warmup_s, noise from result"), "0.25|0.5");
}

TEST_F(RecordingTest, WarmUpAndNoiseThatAreNoNumbersAreNotKnown) {
  body_.set_warmup_s(kNan);
  body_.set_noise(kNan);
  EXPECT_EQ(stored("select coalesce(warmup_s, noise) is null from result"), "1");
}

TEST_F(RecordingTest, WhetherRunsGaveTheSameBitsIsKnownWhereOneWasHashed) {
  body_.set_repeatable(true);
  EXPECT_EQ(stored("select repeatable is null from result"), "1") << "no output";
  body_.set_output_hash(std::string(16, 'h'));
  EXPECT_EQ(stored("select repeatable from result where job = 1"), "1");
}
TEST_F(RecordingTest, RunsThatGaveOtherBitsAreNotRepeatable) {
  body_.set_output_hash(std::string(16, 'h'));
  EXPECT_EQ(stored("select repeatable from result"), "0");
}

// An output that was not compared has no error; 0 would mean a perfect one.
TEST_F(RecordingTest, AnErrorIsKnownOnlyWhereTheOutputWasCompared) {
  body_.set_output_hash(std::string(16, 'h'));
  EXPECT_EQ(stored("select coalesce(error, tolerance) is null from result"), "1");
  body_.set_verified(true);
  body_.set_tolerance(1e-6);
  EXPECT_EQ(stored("select error, tolerance from result where job = 1"), "0.0|1e-06");
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

// Each number that a worker reports, one at a time: none of these may reach a column.
TEST_F(RecordingTest, NoNumberThatCannotBeReachesAColumn) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  body_.set_output_hash(std::string(16, 'h'));
  body_.set_verified(true);
  body_.set_flops(1e9);
  const std::string clean = body_.SerializeAsString();
  const std::string columns =
      "select queue_s, setup_s, lease_wait_s, run_s, warmup_s, noise, o.gflops, o.gbps, a.error, "
      "tolerance, "
      "clock_ghz, clock_low, foreign_cores, steal_s, cpu_s, energy_j, load_1min, temperature_c, "
      "error_norm, "
      "error_element, zero_share, interference, finished_unix_s from outcome o join attempt_row a using "
      "(result) left join conditions using (result) order by result desc limit 1";
  using Body = wire::OutcomeBody;
  using Conditions = wire::Conditions;
  for (const double wrong : {kInf, -kInf, kNan, -1.0}) {
    for (const auto set : {&Body::set_queue_s, &Body::set_setup_s, &Body::set_lease_wait_s,
                           &Body::set_run_s, &Body::set_warmup_s, &Body::set_noise, &Body::set_flops,
                           &Body::set_bytes, &Body::set_error, &Body::set_tolerance}) {
      ASSERT_TRUE(body_.ParseFromString(clean));
      (body_.*set)(wrong);
      EXPECT_THAT(stored(columns), may_be_) << wrong;
    }
    for (const auto set :
         {&Conditions::set_clock_ghz, &Conditions::set_clock_low, &Conditions::set_foreign_cores,
          &Conditions::set_steal_s, &Conditions::set_cpu_s, &Conditions::set_energy_j,
          &Conditions::set_load_1min, &Conditions::set_error_norm, &Conditions::set_error_element,
          &Conditions::set_zero_share, &Conditions::set_alone_median_s}) {
      ASSERT_TRUE(body_.ParseFromString(clean));
      (body_.mutable_conditions()->*set)(wrong);
      EXPECT_THAT(stored(columns), may_be_) << wrong;
    }
  }
  ASSERT_TRUE(body_.ParseFromString(clean));
  body_.mutable_conditions()->set_zero_share(1.5);
  body_.mutable_conditions()->set_temperature_c(-5);
  EXPECT_EQ(stored("select zero_share is null, temperature_c from conditions order by result desc limit 1"),
            "1|-5.0");
}

// The largest double over a median of less than a second is more than a double holds.
TEST_F(RecordingTest, ARateBeyondAllNumbersIsNotKnown) {
  body_.set_flops(std::numeric_limits<double>::max());
  body_.mutable_samples_s()->Clear();
  body_.add_samples_s(1e-300);
  EXPECT_EQ(stored("select o.gflops is null, flops > 1e308 from outcome o join result using (result)"),
            "1|1");
}

TEST_F(RecordingTest, SamplesThatAreNoTimesAreNotStoredAndDoubted) {
  for (const double wrong : {-1e-9, kNan, std::numeric_limits<double>::infinity()}) {
    body_.mutable_samples_s()->Set(0, wrong);
    EXPECT_EQ(stored("select grade, median_s is null from outcome order by job desc limit 1"), "C|1");
  }
  EXPECT_EQ(stored("select count(*) from result where grade_reasons not like '%are no times%'"), "0");
}

TEST_F(RecordingTest, MetricsAreRowsAndGpusAText) {
  body_.set_gpus("GPU-1 NVIDIA X");
  const auto add = [&](const std::string& name, double value) {
    wire::Metric& metric = *body_.add_metrics();
    metric.set_name(name);
    metric.set_value(value);
  };
  add("device_peak_bytes", 123);
  add("gpu_clock_mhz", 1980);
  add("gpu_clock_mhz", 1);  // reported twice: the first counts
  add("no number_s", 1);
  add("", 1);
  add("endless_s", std::numeric_limits<double>::infinity());
  EXPECT_EQ(stored("select name, value from metric order by name"),
            "device_peak_bytes|123.0\ngpu_clock_mhz|1980.0");
  EXPECT_EQ(test::asked(path_, "select gpus from result"), "GPU-1 NVIDIA X");
  for (int i = 0; i < 1000; ++i) add("n" + std::to_string(i), i);
  EXPECT_EQ(stored("select count(*) from metric where result = 2"), "64");
}

TEST_F(RecordingTest, ARateFollowsFromTheItemsOfACallAndItsMedian) {
  const auto rate_with = [&](const std::vector<std::pair<std::string, double>>& metrics) {
    body_.clear_metrics();
    for (const auto& [name, value] : metrics) {
      wire::Metric& metric = *body_.add_metrics();
      metric.set_name(name);
      metric.set_value(value);
    }
    return stored(
        "select value, coalesce(better, '-'), coalesce(unit, '-') from metric "
        "where name = 'items_per_s' and result = (select max(result) from result)");
  };
  EXPECT_EQ(rate_with({{"items", 20}}), "4.0|larger|items/s") << "the median of 0 to 10 is 5";
  EXPECT_EQ(rate_with({{"items_per_s", 7}, {"items", 20}}), "7.0|-|-") << "counted by the kernel itself";
  EXPECT_EQ(rate_with({{"items", 0}}), "");
  EXPECT_EQ(rate_with({{"items", -3}}), "");
  EXPECT_EQ(rate_with({{"items", kNan}}), "");
  body_.clear_samples_s();
  EXPECT_EQ(rate_with({{"items", 20}}), "") << "nothing was timed";
  body_.add_samples_s(0);
  EXPECT_EQ(rate_with({{"items", 20}}), "") << "a rate without end";
}

TEST_F(RecordingTest, TheDirectionAndTheUnitOfAMetricAreKeptAsTheyWereDeclared) {
  const auto add = [&](const std::string& name, std::uint32_t better, const std::string& unit) {
    wire::Metric& metric = *body_.add_metrics();
    metric.set_name(name);
    metric.set_value(1);
    metric.set_better(better);
    metric.set_unit(unit);
  };
  add("a", 0, "");
  add("b", 1, "points");
  add("c", 2, "a unit that has more than fifteen bytes");
  add("d", 77, "two words");
  EXPECT_EQ(stored("select name, coalesce(better, '-'), coalesce(unit, '-') from metric order by name"),
            "a|-|-\nb|larger|points\nc|smaller|-\nd|-|-");
}

TEST_F(RecordingTest, AJobThatWasNotWatchedHasNoConditions) {
  body_.clear_conditions();
  EXPECT_EQ(stored("select count(*) from conditions"), "0");
}

// Whatever a slot had to say, it did not look.
TEST_F(RecordingTest, AJobThatWasNotWatchedIsABAtBest) {
  body_.mutable_conditions()->set_measured(false);  // its output was compared, no more
  EXPECT_EQ(stored("select grade, grade_reasons from results join result using (result)"),
            "B|too short to be watched: measure asks for less than 20 ms");
  body_.add_doubts("the output is all zeros");
  EXPECT_EQ(stored("select grade from outcome where job = 1"), "C");
}

TEST_F(RecordingTest, AWarningMakesAB) {
  EXPECT_EQ(stored("select grade from outcome"), "A");
  body_.add_grades("others kept 0.97 cores of this host busy");
  EXPECT_EQ(stored("select grade from outcome where job = 1"), "B");
}

TEST_F(RecordingTest, ANoteIsStoredAndChangesNoGrade) {
  EXPECT_EQ(stored("select notes is null, first_call_s is null from result"), "1|1");
  body_.add_notes("the first call took 1 s");
  body_.add_notes("it computes in place");
  body_.set_first_call_s(1);
  EXPECT_EQ(stored("select grade from outcome where job = 1"), "A");
  EXPECT_EQ(stored("select notes = 'the first call took 1 s' || char(10) || 'it computes in place', "
                   "first_call_s from result where job = 1"),
            "1|1.0");
  body_.set_first_call_s(-1);
  EXPECT_EQ(stored("select first_call_s is null from result where job = 3"), "1");
}

TEST_F(RecordingTest, ADoubtMakesACAndIsToldFirst) {
  body_.add_grades("others kept 0.97 cores of this host busy");
  body_.add_doubts("31 % of the samples were disturbed: clock 12, switched 40");
  EXPECT_EQ(stored("select grade from outcome"), "C");
  EXPECT_EQ(stored("select grade_reasons like '31 _ of%others kept%' from result where job = 1"), "1");
}

}  // namespace
}  // namespace kernsweep::coordinator
