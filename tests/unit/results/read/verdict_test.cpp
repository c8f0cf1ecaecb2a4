// The view `verdict`: what is known of a point.
#include <cmath>
#include <random>

#include "shared/stats/contest.hpp"
#include "shared/stats/distributions.hpp"
#include "shared/stats/statistics.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;

class VerdictTest : public test::QueryTest {
 protected:
  // One process of a point.
  Job job_of(std::uint64_t point, double seconds, char grade = 'A') {
    Job made = job({static_cast<std::int64_t>(point)}, seconds);
    made.record.point = point;
    made.record.grade = grade;
    return made;
  }
  void put_point(std::uint64_t point, const std::vector<double>& times) {
    for (const double seconds : times) put(job_of(point, seconds));
  }
  RowSet verdicts(const std::string& rest = "") {
    Reader r = reader();
    return good(r.query("select * from verdict " + rest + " order by sweep_id, point, cache, host"));
  }
  static double number(const RowSet& rows, const std::string& column, std::size_t row = 0) {
    return cell(rows, column, row).number().value_or(-1);
  }
};

// The logarithms of 1, 1.1 and 1.21 ms lie 0.09531 apart, which is their standard deviation. Student's t of
// two degrees of freedom is 9.9248 at 99 %: the bounds are 1.1 ms times exp(-+ 9.9248 * 0.09531 / sqrt(3)).
TEST_F(VerdictTest, ThreeProcessesHaveTheIntervalOfTheirOwnSpread) {
  begin("s", {"a"});
  put_point(0, {1.21e-3, 1e-3, 1.1e-3});
  const RowSet rows = verdicts();
  ASSERT_EQ(rows.rows.size(), 1U);
  EXPECT_EQ(cell(rows, "sweep"), Value("s"));
  EXPECT_EQ(cell(rows, "verdict"), Value("measured"));
  EXPECT_EQ(cell(rows, "processes"), Value(3));
  EXPECT_NEAR(number(rows, "median_s"), 1.1e-3, 1e-12);
  EXPECT_NEAR(number(rows, "spread"), 0.09531, 1e-5);
  EXPECT_NEAR(number(rows, "low_s"), 1.1e-3 * std::exp(-0.54614), 1e-8);
  EXPECT_NEAR(number(rows, "high_s"), 1.1e-3 * std::exp(0.54614), 1e-8);
  EXPECT_EQ(cell(rows, "grade"), Value("A"));
  EXPECT_EQ(cell(rows, "reason"), Value());
  EXPECT_EQ(cell(rows, "params"), Value(R"({"a":0})"));
}

TEST_F(VerdictTest, OneProcessHasNoInterval) {
  begin("s", {"a"});
  put_point(0, {2e-3});
  const RowSet rows = verdicts();
  EXPECT_EQ(cell(rows, "median_s"), Value(2e-3));
  EXPECT_EQ(cell(rows, "low_s"), Value());
  EXPECT_EQ(cell(rows, "high_s"), Value());
  EXPECT_EQ(cell(rows, "spread"), Value());
}

TEST_F(VerdictTest, ProcessesThatFallApartAreToldAsTwoGroups) {
  begin("s", {"a"});
  put_point(0, {5.4e-3, 10.6e-3, 5.6e-3, 10.8e-3});
  put_point(1, {4e-7, 4e-7, 9.996e-7, 9.996e-7, 9.996e-7});
  const RowSet rows = verdicts();
  EXPECT_EQ(cell(rows, "verdict"), Value("split"));
  EXPECT_EQ(cell(rows, "reason"), Value("5.5 ms in 2, 10.7 ms in 2 of 4 processes"));
  EXPECT_EQ(cell(rows, "reason", 1), Value("400 ns in 2, 1 µs in 3 of 5 processes"));
}

TEST_F(VerdictTest, DisturbedProcessesCountAndOtherDoubtsOnlyWhereNothingElseIsThere) {
  begin("s", {"a"});
  put(job_of(0, 1e-3));
  Job zeros = job_of(0, 9e-3, 'C');
  zeros.record.grade_reasons = "the output is all zeros";
  put(std::move(zeros));
  Job disturbed = job_of(0, 1.05e-3, 'C');
  disturbed.record.grade_reasons = "the hypervisor took 12 %\nsecond line";
  disturbed.record.doubt_cause = DoubtCause::steal;
  put(std::move(disturbed));
  Job only = job_of(1, 2e-3, 'C');
  only.record.grade_reasons = "2 cores of others";
  put(std::move(only));
  put(job_of(2, 1e-3).failed(Outcome::signal, "SIGSEGV"));
  Job wrong = job_of(3, 1e-9, 'X');
  put(std::move(wrong));
  const RowSet rows = verdicts();
  ASSERT_EQ(rows.rows.size(), 4U);
  EXPECT_EQ(cell(rows, "verdict"), Value("measured"));
  EXPECT_EQ(cell(rows, "jobs"), Value(3));
  EXPECT_EQ(cell(rows, "processes"), Value(2));
  EXPECT_NEAR(*cell(rows, "median_s").number(), 1.025e-3, 1e-12);
  EXPECT_EQ(cell(rows, "grade"), Value("C"));
  EXPECT_EQ(cell(rows, "reason"), Value("the hypervisor took 12 %"));
  EXPECT_EQ(cell(rows, "verdict", 1), Value("doubtful"));
  EXPECT_EQ(cell(rows, "grade", 1), Value("C"));
  EXPECT_EQ(cell(rows, "median_s", 1), Value(2e-3));
  EXPECT_EQ(cell(rows, "verdict", 2), Value("failed"));
  EXPECT_EQ(cell(rows, "reason", 2), Value("SIGSEGV"));
  EXPECT_EQ(cell(rows, "median_s", 2), Value());
  EXPECT_EQ(cell(rows, "verdict", 3), Value("failed")) << "a wrong output has no time";
}

TEST_F(VerdictTest, DisturbedProcessesThatFallApartAreToldAsBoth) {
  begin("s", {"a"});
  for (const double seconds : {5e-3, 5.01e-3, 10e-3, 10.01e-3}) {
    Job made = job_of(0, seconds, 'C');
    made.record.grade_reasons = "2 cores of others";
    put(std::move(made));
  }
  const RowSet rows = verdicts();
  EXPECT_EQ(cell(rows, "verdict"), Value("doubtful"));
  EXPECT_EQ(cell(rows, "reason"), Value("5 ms in 2, 10 ms in 2 of 4 processes; 2 cores of others"));
}

TEST_F(VerdictTest, StatesOfTheCachesAndKindsOfHostHaveRowsOfTheirOwn) {
  const auto host = [&](const std::string& name, const std::string& kind) {
    return good(store.add_host({.fingerprint = digest_of(kind), .name = name}));
  };
  const HostId one = host("one", "x"), two = host("two", "x"), other = host("other", "y");
  begin("s", {"a"});
  for (const HostId at : {one, two, other}) {
    Job made = job_of(0, 1e-3);
    made.record.host = at;
    put(std::move(made));
  }
  Job cold = job_of(0, 4e-3);
  cold.record.host = one;
  cold.record.cache = Cache::cold;
  put(std::move(cold));
  const RowSet rows = verdicts();
  ASSERT_EQ(rows.rows.size(), 3U);
  EXPECT_EQ(cell(rows, "cache", 0), Value("cold"));
  EXPECT_EQ(cell(rows, "processes", 1), Value(2)) << "of equal hosts together";
  EXPECT_EQ(cell(rows, "host", 2), Value("other"));
}

// The rules are written twice, here and in shared/stats/contest.cpp.
TEST_F(VerdictTest, AgreesWithTheRulesOfContests) {
  std::mt19937_64 random(7);
  begin("s", {"a"});
  std::vector<std::vector<double>> points;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const std::size_t processes = 2 + random() % (i % 10 == 0 ? 60 : 9);
    std::vector<double> times;
    for (std::size_t n = 0; n < processes; ++n) {
      const double noise = std::normal_distribution<double>(0, 0.02)(random);
      times.push_back(1e-3 * std::exp(noise) * (random() % 3 == 0 ? 1.0 + 0.02 * double(i % 20) : 1));
    }
    put_point(i, times);
    points.push_back(std::move(times));
  }
  const RowSet rows = verdicts();
  ASSERT_EQ(rows.rows.size(), points.size());
  int splits = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> logs;
    for (const double seconds : points[i]) logs.push_back(std::log(seconds));
    const Split split = split_of(logs);
    const bool is_split = static_cast<bool>(split);
    EXPECT_EQ(cell(rows, "verdict", i), Value(is_split ? "split" : "measured")) << i;
    splits += is_split;
    // The times are exactly those of the processes, or the mean of two.
    std::vector<double> sorted = points[i];
    std::ranges::sort(sorted);
    EXPECT_EQ(number(rows, "median_s", i), quantile_of_sorted(sorted, 0.5)) << i;
    EXPECT_NEAR(number(rows, "spread", i), std::max(1e-4, summarise(logs).stdev), 1e-7) << i;
    const double n = static_cast<double>(logs.size());
    const double half = students_t_bound(0.01, n - 1) * number(rows, "spread", i) / std::sqrt(n);
    double centre = 0;
    for (const double log : logs) centre += log / n;
    const double median = std::log(number(rows, "median_s", i));  // the bounds hold it
    EXPECT_NEAR(std::log(number(rows, "low_s", i)), std::min(median, centre - half), 1e-3 * half) << i;
    EXPECT_NEAR(std::log(number(rows, "high_s", i)), std::max(median, centre + half), 1e-3 * half) << i;
  }
  EXPECT_GT(splits, 20);
  EXPECT_LT(splits, 380);
}

// With `hosts: any` a point that was restarted on another kind of host has jobs of job_host -1.
TEST_F(VerdictTest, TheParametersAreThoseOfAJobOfThePoint) {
  begin("s", {"a"});
  for (const std::int64_t host : {-1, 0, 7}) {
    Job made = job_of(static_cast<std::uint64_t>(host + 1), 1e-3);
    made.record.attempt.job.host = static_cast<decltype(made.record.attempt.job.host)>(host);
    put(std::move(made));
  }
  const RowSet rows = verdicts();
  ASSERT_EQ(rows.rows.size(), 3U);
  EXPECT_EQ(cell(rows, "params", 0), Value(R"({"a":0})"));
  EXPECT_EQ(cell(rows, "params", 1), Value(R"({"a":1})"));
  EXPECT_EQ(cell(rows, "params", 2), Value(R"({"a":8})"));
}

TEST_F(VerdictTest, AQueryOfOneSweepReadsNoOther) {
  begin("s", {"a"});
  put_point(0, {1e-3, 1e-3});
  Reader r = reader();
  const RowSet plan = good(r.query("explain query plan select * from verdict where sweep_id = 1"));
  bool searched = false;
  for (const auto& row : plan.rows) {
    const std::string step = row.back().to_text();
    EXPECT_EQ(step.find("SCAN o"), std::string::npos) << step;
    searched = searched || step.find("SEARCH o USING PRIMARY KEY (sweep_id=?)") != std::string::npos;
  }
  EXPECT_TRUE(searched);
}

}  // namespace
}  // namespace kernsweep
