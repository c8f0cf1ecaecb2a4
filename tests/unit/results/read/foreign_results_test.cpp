// Files of hyperfine and Google Benchmark: what is taken from them, and what is refused with its place.
#include "results/read/foreign_results.hpp"

#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

constexpr const char* kHyperfine = R"({"results": [
  {"command": "sleep 0.1", "mean": 0.1, "median": 0.1, "times": [0.101, 0.102, 0.103],
   "exit_codes": [0, 0, 1], "parameters": {"n": "1"}},
  {"command": "./bench -n 8 \u001b[2J", "times": [2.5], "exit_codes": [null],
   "parameters": {"n": "8", "how": "a"}}]})";

TEST(ForeignResults, OfHyperfineAreAProcessForEachTime) {
  const ForeignSweep sweep = read_foreign_results(kHyperfine).value();
  EXPECT_EQ(sweep.tool, "hyperfine");
  EXPECT_THAT(sweep.columns, testing::ElementsAre("variant", "n", "how"));
  ASSERT_EQ(sweep.points.size(), 2U);
  EXPECT_THAT(sweep.points[0], testing::ElementsAre(Value("sleep 0.1"), Value(1), Value()));
  EXPECT_EQ(sweep.points[1][2], Value("a"));
  ASSERT_EQ(sweep.jobs.size(), 4U);
  EXPECT_EQ(sweep.processes, 3U);
  EXPECT_THAT(sweep.jobs[1].seconds, testing::ElementsAre(0.102));
  EXPECT_EQ(sweep.jobs[1].process, 1U);
  EXPECT_TRUE(sweep.jobs[2].seconds.empty());
  EXPECT_EQ(sweep.jobs[2].failure, "exit status 1");
  EXPECT_EQ(sweep.jobs[3].failure, "ended by a signal");
}

// 3.1 and 3.10 are two versions, and no number; 0 s is no time; the same command twice is one point.
TEST(ForeignResults, OfHyperfineKeepWhatIsNoNumberAndJoinWhatIsTheSame) {
  const ForeignSweep sweep = read_foreign_results(R"({"results": [
    {"command": "python3.1", "times": [1], "parameters": {"py": "3.1", "n": "1.5"}},
    {"command": "python3.10", "times": [2, 0], "parameters": {"py": "3.10", "n": "2.0"}},
    {"command": "python3.10", "times": [3], "parameters": {"py": "3.10", "n": "2.0"}}]})")
                                 .value();
  ASSERT_EQ(sweep.points.size(), 2U);
  EXPECT_EQ(sweep.points[0][1], Value("3.1"));
  EXPECT_EQ(sweep.points[1][1], Value("3.10"));
  EXPECT_EQ(sweep.points[0][2], Value(1.5));
  ASSERT_EQ(sweep.jobs.size(), 4U);
  EXPECT_EQ(sweep.jobs[3].point, 1U);
  EXPECT_EQ(sweep.jobs[3].process, 2U);
  EXPECT_EQ(sweep.processes, 3U);
  EXPECT_TRUE(sweep.jobs[2].seconds.empty());
  EXPECT_THAT(sweep.jobs[2].failure, IsGolden());
}

constexpr const char* kGoogle =
    R"({"context": {"host_name": "vm", "num_cpus": 2, "caches": []}, "benchmarks": [
  {"name": "BM_copy/64/8", "run_name": "BM_copy/64/8", "run_type": "iteration", "repetitions": 2,
   "repetition_index": 0, "iterations": 1000, "real_time": 2.5, "cpu_time": 2.4, "time_unit": "us"},
  {"name": "BM_copy/64/8", "run_name": "BM_copy/64/8", "run_type": "iteration", "repetitions": 2,
   "repetition_index": 1, "iterations": 1000, "real_time": 2.6, "cpu_time": 2.4, "time_unit": "us"},
  {"name": "BM_copy/64/8_mean", "run_name": "BM_copy/64/8", "run_type": "aggregate",
   "aggregate_name": "mean",
   "real_time": 2.55, "cpu_time": 2.4, "time_unit": "us"},
  {"name": "BM_fill_median", "run_name": "BM_fill", "run_type": "aggregate", "aggregate_name": "median",
   "real_time": 7, "cpu_time": 7},
  {"name": "BM_bad", "error_occurred": true, "error_message": "no memory"}]})";

TEST(ForeignResults, OfGoogleBenchmarkAreSamplesOfOneProcess) {
  const ForeignSweep sweep = read_foreign_results(kGoogle).value();
  EXPECT_EQ(sweep.host, "vm");
  EXPECT_EQ(sweep.host_threads, 2U);
  EXPECT_EQ(sweep.processes, 1U);
  ASSERT_EQ(sweep.jobs.size(), 3U);
  EXPECT_THAT(sweep.points[0], testing::ElementsAre(Value("BM_copy"), Value("64/8")));
  EXPECT_THAT(sweep.jobs[0].seconds,
              testing::ElementsAre(testing::DoubleEq(2.5e-6), testing::DoubleEq(2.6e-6)));
  EXPECT_EQ(sweep.jobs[0].calls_per_sample, 1000U);
  EXPECT_THAT(sweep.points[1], testing::ElementsAre(Value("BM_fill"), Value()));
  EXPECT_THAT(sweep.jobs[1].seconds, testing::ElementsAre(testing::DoubleEq(7e-9)));
  EXPECT_EQ(sweep.jobs[2].failure, "no memory");
  EXPECT_THAT(sweep.lacks, IsGolden());
}

// As (family, name), the family empty: an old file does not say it.
std::vector<std::string> benchmarks(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string all, ends = R"("real_time": 1})";
  for (const auto& [family, name] : rows)
    all += (all.empty() ? "" : ",") + ((R"({"name": ")" + name + R"(", "run_name": ")" + name + R"(", )")) +
           (family.empty() ? "" : R"("family_index": )" + family + ", ") + ends;
  // The row of complexity has the family's name without arguments.
  all += R"(, {"name": "a/b_BigO", "run_name": "a/b", "run_type": "aggregate", "aggregate_name": "BigO",
              "family_index": 1, "cpu_coefficient": 2})";
  std::vector<std::string> found;
  const ForeignSweep sweep = read_foreign_results(R"({"benchmarks": [)" + all + "]}").value();
  for (const auto& point : sweep.points) found.push_back(point[0].to_text() + " | " + point[1].to_text());
  return found;
}

TEST(ForeignResults, OfGoogleBenchmarkHaveArgumentsBehindTheName) {
  using testing::ElementsAre;
  EXPECT_THAT(benchmarks({{"", "BM_t<float,1024/4>"}, {"", "BM_t<float,(8/4)>/64/8"}, {"", "BM(a/b)/8"}}),
              ElementsAre("BM_t<float,1024/4> | null", "BM_t<float,(8/4)> | 64/8", "BM(a/b) | 8"));
  EXPECT_THAT(benchmarks({{"", "less<operator<>/8"}, {"", "x->y/8/9"}}),
              ElementsAre("less<operator<> | 8", "x->y | 8/9"));
  EXPECT_THAT(benchmarks({{"1", "dir/f.cc:l/1"}, {"1", "dir/f.cc:l/2"}, {"2", "F/go/3"}, {"2", "F/go/31"}}),
              ElementsAre("dir/f.cc:l | 1", "dir/f.cc:l | 2", "F/go | 3", "F/go | 31"));
  // Parts that all benchmarks of a family have in common may be arguments, too.
  EXPECT_THAT(benchmarks({{"1", "a/64/8"}, {"1", "a/64/16"}, {"2", "b/n:4/m:8"}, {"2", "b/n:4/m:9"}}),
              ElementsAre("a | 64/8", "a | 64/16", "b | n:4/m:8", "b | n:4/m:9"));
  EXPECT_THAT(
      benchmarks({{"1", "a/b/real_time/threads:1"}, {"1", "a/b/real_time/threads:2"}, {"2", "c/8"}}),
      ElementsAre("a/b | real_time/threads:1", "a/b | real_time/threads:2", "c | 8"));
}

TEST(ForeignResults, OfAFamilyWithOneNameHaveTheWholeOfIt) {
  using testing::ElementsAre;
  EXPECT_THAT(benchmarks({{"1", "sort/std/vector"}, {"1", "sort/std/vector"}, {"2", "sort/radix"}}),
              ElementsAre("sort/std/vector | null", "sort/radix | null"));
  EXPECT_THAT(
      benchmarks(
          {{"1", "dir/f.cc/64/n:8"}, {"1", "dir/f.cc/64/n:8"}, {"2", "a/b/real_time"}, {"3", "c/8"}}),
      ElementsAre("dir/f.cc | 64/n:8", "a/b | real_time", "c | 8"));
}

TEST(ForeignResults, SayThatABenchmarkRanAgainAndNotAsARepetition) {
  const auto lacks = [](int second) {
    std::string rows;
    for (const int repetition : {0, second})
      rows += std::string(rows.empty() ? "" : ",") +
              R"({"name": "a/8", "run_name": "a/8", "run_type": "iteration", "family_index": 0,
                  "real_time": 2, "repetition_index": )" +
              std::to_string(repetition) + "}";
    return read_foreign_results(R"({"benchmarks": [)" + rows + "]}").value().lacks;
  };
  EXPECT_THAT(lacks(0), IsGolden());
  EXPECT_EQ(lacks(0).substr(0, lacks(1).size()), lacks(1));
  EXPECT_LT(lacks(1).size(), lacks(0).size());
}

TEST(ForeignResults, SayThatBenchmarksOfSeveralFamiliesHaveOneName) {
  EXPECT_THAT(read_foreign_results(R"({"benchmarks": [
    {"name": "a", "run_name": "a", "family_index": 0, "real_time": 2},
    {"name": "a", "run_name": "a", "family_index": 1, "real_time": 9}]})")
                  .value()
                  .lacks,
              IsGolden());
}

TEST(ForeignResults, SayWhichPointsFailedInSomeOfTheirRuns) {
  const ForeignSweep sweep = read_foreign_results(R"({"benchmarks": [
    {"name": "a", "real_time": 2}, {"name": "a", "error_occurred": true}, {"name": "b", "real_time": 2}]})")
                                 .value();
  EXPECT_TRUE(sweep.jobs[0].failure.empty());
  EXPECT_THAT(sweep.lacks, IsGolden());
}

TEST(ForeignResults, ThatAreWrongAreRefusedWithTheirPlace) {
  for (const char* text :
       {"", "{\"results\": [\n{\"command\": }]}", "[]", "{}", R"({"results": []})", R"({"results": [1]})",
        R"({"results": [{"command": "x"}]})", R"({"results": [{"command": "x", "times": ["1", "2"]}]})",
        R"({"results": [{"command": "x", "times": [-1]}]})",
        R"({"results": [{"command": "x", "times": [1], "parameters": {"variant": "1"}}]})",
        R"({"benchmarks": [{"run_type": "iteration"}]})", R"({"benchmarks": [{"name": "x"}]})",
        R"({"benchmarks": [{"name": "x", "real_time": -1}]})",
        R"({"benchmarks": [{"name": "x", "real_time": 1, "time_unit": "h"}]})"}) {
    const auto found = read_foreign_results(text);
    ASSERT_FALSE(found) << text;
    EXPECT_THAT(found.error().message, IsGolden());
  }
}

}  // namespace
}  // namespace kernsweep
