// Cache files of Kernel Tuner and T4 results: what is taken from them, and what is refused with its place.
#include <fmt/format.h>

#include "results/read/foreign_results.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

// A cache file with that problem size and those entries.
std::string cache(const std::string& entries, const std::string& size = "[48, 64]") {
  return R"({"device_name": "RTX", "kernel_name": "add", "problem_size": )" + size +
         R"(, "tune_params_keys": ["block", "how"], "tune_params": {"block": [1, 2], "how": ["a"]},
 "objective": "time", "cache": {)" +
         entries;
}
constexpr const char* kMeasured =
    R"("1,a": {"block": 1, "how": "a", "time": 3.0, "times": [4.0, 2.0], "compile_time": 440.5,
  "energy": 7.5, "GFLOPS/W": 1.5, "timestamp": "2022-12-23 12:11:26.411558+00:00"})";

ForeignSweep sweep_in(const std::string& text) {
  auto sweep = read_foreign_results(text);
  EXPECT_TRUE(sweep) << (sweep ? "" : sweep.error().message);
  return sweep.value_or(ForeignSweep{});
}

std::string refused(const std::string& text) {
  const auto sweep = read_foreign_results(text);
  return sweep ? "not refused: " + text : sweep.error().message;
}

TEST(KernelTunerCache, IsAPointForEachConfiguration) {
  const ForeignSweep sweep = sweep_in(
      cache(std::string(kMeasured) + R"(, "2,a": {"block": 2, "how": "InvalidConfig", "time": 0.5}}})"));
  EXPECT_EQ(sweep.tool + "|" + sweep.host + "|" + sweep.variant, "kernel tuner|RTX|add");
  EXPECT_THAT(sweep.columns, ElementsAre("problem_size", "block", "how"));
  EXPECT_THAT(sweep.problem, ElementsAre(true, false, false));
  EXPECT_THAT(sweep.points[0], ElementsAre(Value("48x64"), Value(1), Value("a")));
  ASSERT_EQ(sweep.jobs.size(), 2U);
  EXPECT_THAT(sweep.jobs[0].seconds, ElementsAre(DoubleEq(4e-3), DoubleEq(2e-3)));
  ASSERT_EQ(sweep.jobs[0].metrics.size(), 1U);
  EXPECT_EQ(sweep.jobs[0].metrics[0].name, "energy");
  EXPECT_EQ(sweep.jobs[0].metrics[0].value, 7.5);
  // A parameter may have any value; without `times` the mean is all there is.
  EXPECT_THAT(sweep.jobs[1].seconds, ElementsAre(DoubleEq(5e-4)));
  EXPECT_EQ(sweep.processes, 1U);
  EXPECT_THAT(sweep.lacks, IsGolden());
}

TEST(KernelTunerCache, SaysWhyAConfigurationFailedInEveryVersion) {
  const ForeignSweep sweep =
      sweep_in(cache(R"("1": {"block": 1, "how": 1, "time": "CompilationFailedConfig"},
 "2": {"block": 2, "how": 1, "score": "RuntimeFailedConfig"},
 "3": {"block": 3, "how": 1, "__error__": "InvalidConfig", "time": 1.0},
 "4": {"block": 4, "how": 1, "time": 1e20},
 "5": {"block": 5, "how": 1, "__error__": "no space"}}})"));
  std::string all;
  for (const ForeignJob& job : sweep.jobs)
    all += fmt::format("{} {}: {}\n", job.seconds.size(), name_of(job.outcome), job.failure);
  EXPECT_EQ(all,
            "0 failed_setup: CompilationFailedConfig\n0 failed_run: RuntimeFailedConfig\n"
            "0 unsupported: InvalidConfig\n0 failed_run: its time is 1e20\n0 failed_run: no space\n");
}

TEST(KernelTunerCache, HasNoEndWhileItIsWritten) {
  for (const char* end : {"", ",", ",\n \n"}) {
    const ForeignSweep sweep = sweep_in(cache(std::string(kMeasured) + end));
    EXPECT_EQ(sweep.jobs.size(), 1U);
    EXPECT_THAT(sweep.lacks, IsGolden());
  }
  EXPECT_THAT(refused(cache("")), IsGolden());
  const ForeignSweep torn = sweep_in(cache(std::string(kMeasured) + ",\n\"2,a\": {\"block\": 2, \"ti"));
  EXPECT_EQ(torn.jobs.size(), 1U);
  EXPECT_THAT(torn.lacks, IsGolden());
  EXPECT_THAT(refused(cache("\"2,a\": {\"block\" 2},\n" + std::string(kMeasured) + ",")), IsGolden());
}

TEST(KernelTunerCache, CountsAConfigurationThatStandsThereTwiceOnce) {
  const ForeignSweep sweep = sweep_in(cache(std::string(kMeasured) + "," + kMeasured +
                                            R"(, "again": {"block": 1, "how": "a", "times": [9.0]},
 "1,b": {"block": 1, "how": "b", "times": [1], "time": 1}}})"));
  ASSERT_EQ(sweep.jobs.size(), 2U);
  EXPECT_THAT(sweep.jobs[0].seconds, ElementsAre(DoubleEq(4e-3), DoubleEq(2e-3), DoubleEq(9e-3)));
  EXPECT_THAT(sweep.lacks, IsGolden());
}

TEST(KernelTunerCache, HasAProblemSizeOfSeveralForms) {
  const auto first = [](const std::string& size) {
    const ForeignSweep sweep = sweep_in(cache(std::string(kMeasured) + "}}", size));
    return sweep.columns.front() + "=" + sweep.points[0].front().to_text();
  };
  EXPECT_EQ(first("80000000"), "problem_size=80000000");
  EXPECT_EQ(first("[100]"), "problem_size=100");
  EXPECT_EQ(first("[\"n\", 2, 1]"), "problem_size=nx2x1");
  EXPECT_EQ(first("\"callable\""), "block=1");
}

TEST(KernelTunerCache, ThatIsWrongIsRefusedWithItsPlace) {
  const auto entry = [](const std::string& members) {
    return cache(R"("1,\u001b\"": {"block": 1, "how": "a")" + members + "}}}");
  };
  for (const std::string& text :
       {std::string(R"({"cache": {}})"), std::string(R"({"cache": {}, "tune_params_keys": [1]})"),
        std::string(R"({"cache": {}, "tune_params_keys": ["a", "a"]})"), cache("}}"), cache(R"("1": 5}})"),
        cache(R"("1": {"block": 1}}})"), entry(""), entry(R"(, "time": -1)"), entry(R"(, "time": 0)"),
        entry(R"(, "time": null)"), entry(R"(, "times": 3)"), entry(R"(, "times": [1, "x"])"),
        entry(R"(, "time": 1e400)"), entry(",\n\"time\": NaN"), entry(R"(, "time": 4e-324)")})
    EXPECT_THAT(refused(text), IsGolden());
}

// Python writes NaN and Infinity: a row is odd where it needs the number, and only there.
TEST(KernelTunerCache, MayHaveNumbersThatAreNoneWhereNoneIsNeeded) {
  const ForeignSweep sweep = sweep_in(cache(
      R"("NaN\"NaN": {"block": "-Infinity, NaN", "how": NaN, "energy": -Infinity,
 "time": Infinity, "times": [1]},)"));
  EXPECT_THAT(sweep.points[0], ElementsAre(Value("48x64"), Value("-Infinity, NaN"), Value("NaN")));
  EXPECT_TRUE(sweep.jobs[0].metrics.empty());
  for (const char* number : {"NaN", "Infinity", "-Infinity", "Nan"})
    EXPECT_THAT(
        refused(cache(R"("1": {"block": 1, "how": 1, "times": [1, )" + std::string(number) + "]}}}")),
        IsGolden());
}

TEST(KernelTunerCache, IsRefusedWhereItCouldNotBeStored) {
  const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
  EXPECT_THAT(refused(cache(R"("1": {"block": 1, "how": )" + deep + R"(, "times": [1]}}})")), IsGolden());
  EXPECT_THAT(refused(R"({"cache": {"1": {"a\u0000": 1, "time": 1}}, "tune_params_keys": ["a\u0000"]})"),
              IsGolden());
}

// ---- T4

std::string t4(const std::string& results, const std::string& more = "") {
  return R"({"schema_version": "1.0.0", )" + more + R"("results": [)" + results + "]}";
}
std::string t4_result(const std::string& settings, const std::string& times, const std::string& invalidity,
                      const std::string& measurements = "") {
  return R"({"configuration": {)" + settings + R"(}, "times": {)" + times + R"(}, "invalidity": ")" +
         invalidity + R"(", "correctness": 1, "measurements": [)" + measurements +
         R"(], "objectives": []})";
}

TEST(T4Results, AreAPointForEachConfiguration) {
  const ForeignSweep sweep =
      sweep_in(t4(t4_result(R"("block": 1)", R"("runtimes": [2, 3], "compilation": 5)", "correct",
                            R"({"name": "time", "value": 2.5, "unit": "ms"},
                           {"name": "power", "value": 40, "unit": "W"}, {"name": "power", "value": 41})") +
                  "," +
                  t4_result(R"("how": "x", "block": true)", R"("runtimes": [])", "correct",
                            R"({"name": "time", "value": 250, "unit": "us"})")));
  EXPECT_THAT(sweep.columns, ElementsAre("block", "how"));
  EXPECT_THAT(sweep.points[0], ElementsAre(Value(1), Value()));
  EXPECT_THAT(sweep.points[1], ElementsAre(Value(true), Value("x")));
  EXPECT_THAT(sweep.jobs[0].seconds, ElementsAre(DoubleEq(2e-3), DoubleEq(3e-3)));
  EXPECT_THAT(sweep.jobs[1].seconds, ElementsAre(DoubleEq(2.5e-4)));
  ASSERT_EQ(sweep.jobs[0].metrics.size(), 1U);
  EXPECT_EQ(sweep.jobs[0].metrics[0].unit, "W");
  EXPECT_EQ(sweep.jobs[0].metrics[0].value, 40);
  EXPECT_THAT(sweep.lacks, IsGolden());
}

TEST(T4Results, HaveTheUnitThatTheirMetadataSays) {
  const ForeignSweep sweep = sweep_in(
      t4(t4_result("", R"("runtimes": [2])", "correct"), R"("metadata": {"timeunit": "microseconds"}, )"));
  EXPECT_THAT(sweep.jobs[0].seconds, ElementsAre(DoubleEq(2e-6)));
  EXPECT_TRUE(sweep.columns.empty());
}

TEST(T4Results, SayWhyAConfigurationFailed) {
  std::string results, all;
  for (const char* word : {"timeout", "compile", "runtime", "correctness", "constraints"})
    results += t4_result("\"how\": \"" + std::string(word) + "\"", R"("runtimes": [1])", word) + ",";
  results += t4_result("", "", "runtime", R"({"name": "reason", "value": "no space", "unit": ""},
                                             {"name": "time", "value": 3, "unit": "ms"})");
  for (const ForeignJob& job : sweep_in(t4(results)).jobs)
    all += fmt::format("{} {}: {}\n", job.seconds.size(), name_of(job.outcome), job.failure);
  EXPECT_EQ(all,
            "0 timeout_run: timeout\n0 failed_setup: compile\n0 failed_run: runtime\n"
            "0 wrong_result: correctness\n0 unsupported: constraints\n0 failed_run: no space\n");
}

TEST(T4Results, ThatAreWrongAreRefusedWithTheirPlace) {
  const std::string good = t4_result("", R"("runtimes": [1])", "correct");
  for (const std::string& text :
       {t4(""), t4("1"), t4("{}"), t4(R"({"configuration": 1})"), t4(R"({"configuration": {}})"),
        t4(t4_result("", "", "lost")), t4(t4_result("", "", "correct")),
        t4(t4_result("", R"("runtimes": 1)", "correct")),
        t4(t4_result("", R"("runtimes": [1, -1])", "correct")),
        t4(good, R"("metadata": {"timeunit": "ticks"}, )"),
        std::string(R"({"schema_version": "2.0.0", "results": []})")})
    EXPECT_THAT(refused(text), IsGolden());
}

}  // namespace
}  // namespace kernsweep
