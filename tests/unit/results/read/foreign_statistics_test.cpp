// Statistics in files of Google Benchmark, which versions before 1.5 do not call so, are no benchmarks.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "results/read/foreign_results.hpp"

namespace kernsweep {
namespace {

using testing::ElementsAre;

struct GoogleRow {
  std::string name;
  double time;
  int iterations = 1000;
  std::string more = "";
};

// "BM_a/8: 10 11" for each point.
std::vector<std::string> points_of(const std::vector<GoogleRow>& rows) {
  std::string text;
  for (const GoogleRow& row : rows)
    text += fmt::format(R"({}{{"name": "{}", "iterations": {}, "real_time": {}, "time_unit": "s"{}}})",
                        text.empty() ? "" : ",", row.name, row.iterations, row.time, row.more);
  const auto sweep = read_foreign_results(R"({"benchmarks": [)" + text + "]}");
  if (!sweep) return {sweep.error().message};
  std::vector<std::string> points;
  for (const ForeignJob& job : sweep->jobs) {
    const auto& values = sweep->points[job.point];
    points.push_back(values[0].to_text() + (values[1].is_null() ? "" : "/" + values[1].to_text()) + ":");
    for (const double seconds : job.seconds) points.back() += fmt::format(" {}", seconds);
    if (job.seconds.empty()) points.back() += " " + job.failure;
  }
  return points;
}

TEST(GoogleStatistics, OfOldFilesAreNoBenchmarks) {
  EXPECT_THAT(points_of({{"BM_a/8/threads:2", 10},
                         {"BM_a/8/threads:2", 12},
                         {"BM_a/8/threads:2_mean", 11},
                         {"BM_a/8/threads:2_median", 11},
                         {"BM_a/8/threads:2_stddev", 1},
                         {"BM_a/8/threads:2_p99", 12},  // a statistic of one's own
                         {"BM_b", 3, 50},
                         {"BM_b", 4, 50},
                         {"BM_b_mean", 3.5, 50},
                         {"BM_b_stddev", 0.5, 50}}),
              ElementsAre("BM_a/8/threads:2: 10 12", "BM_b: 3 4"));
}

TEST(GoogleStatistics, AreNoBenchmarksInAnyOrder) {
  EXPECT_THAT(points_of({{"BM_a", 10},
                         {"BM_a", 12},
                         {"BM_a_min", 10},
                         {"BM_a_cv", 0.1},
                         {"BM_a_mean", 11},
                         {"BM_max", 7},
                         {"BM_a_max", 12}}),
              ElementsAre("BM_a: 10 12", "BM_max: 7"));
}

TEST(GoogleStatistics, AloneAreTheMedianOrElseTheMean) {
  EXPECT_THAT(points_of({{"BM_a_mean", 11},
                         {"BM_a_median", 10},
                         {"BM_a_stddev", 1},
                         {"BM_b_mean", 7, 9},
                         {"BM_b_stddev", 2, 9}}),
              ElementsAre("BM_a: 10", "BM_b: 7"));
  const std::string run_name = R"(, "run_type": "aggregate", "run_name": "BM_c", "aggregate_name": )";
  EXPECT_THAT(
      points_of({{"BM_c_mean", 5, 3, run_name + "\"mean\""},
                 {"BM_c_cv", 0.1, 3, run_name + "\"cv\""},
                 {"BM_d_median", 6, 3, R"(, "run_type": "aggregate", "aggregate_name": "median")"}}),
      ElementsAre("BM_c: 5", "BM_d: 6"));
}

TEST(GoogleStatistics, AreNotBenchmarksThatAreOnlyNamedSo) {
  EXPECT_THAT(points_of({{"BM_mean", 1, 70}, {"BM_median", 2, 40}, {"BM_stddev", 3, 30}}),
              ElementsAre("BM_mean: 1", "BM_median: 2", "BM_stddev: 3"));
  EXPECT_THAT(points_of({{"BM_x", 1, 70}, {"BM_x_mean", 2, 40}, {"BM_x_median", 3, 30}}),
              ElementsAre("BM_x: 1", "BM_x_mean: 2", "BM_x_median: 3"));
  EXPECT_THAT(points_of({{"BM_y", 1, 70},
                         {"BM_y", 2, 70},
                         {"BM_y_mean", 1.5, 70},
                         {"BM_y_stddev", 0.5, 70},
                         {"BM_y_fast", 1, 90}}),
              ElementsAre("BM_y: 1 2", "BM_y_fast: 1"));
  EXPECT_THAT(points_of({{"BM_z_mean", 1, 10, R"(, "run_type": "iteration", "run_name": "BM_z_mean")"}}),
              ElementsAre("BM_z_mean: 1"));
}

TEST(GoogleStatistics, OfSeveralBenchmarksAreNoPoints) {
  for (const bool old : {false, true}) {
    const auto type = [&](const char* name) {
      return old ? ""
                 : fmt::format(R"(, "run_name": "BM_x", "run_type": "aggregate", "aggregate_name": "{}")",
                               name);
    };
    const std::string text = fmt::format(
        R"({{"benchmarks": [{{"name": "BM_x/1", "real_time": 10}},
        {{"name": "BM_x_BigO", "cpu_coefficient": 1, "real_coefficient": 1, "big_o": "N"{}}},
        {{"name": "BM_x_RMS", "rms": 0.1{}}}]}})",
        type("BigO"), type("RMS"));
    const auto sweep = read_foreign_results(text);
    ASSERT_TRUE(sweep) << sweep.error().message;
    EXPECT_EQ(sweep->points.size(), 1U);
    EXPECT_EQ(sweep->jobs.size(), 1U);
    EXPECT_EQ(sweep->left_out.size(), 0U);
  }
}

}  // namespace
}  // namespace kernsweep
