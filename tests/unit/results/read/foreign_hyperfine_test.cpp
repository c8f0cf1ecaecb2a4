// Parameter scans of hyperfine: the command that was typed is found behind those that ran, or left alone.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "results/read/foreign_results.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

using testing::ElementsAre;
using Parameters = std::vector<std::pair<std::string, std::string>>;

std::string result(const std::string& command, const Parameters& parameters) {
  std::string all;
  for (const auto& [name, value] : parameters)
    all += fmt::format(R"({}"{}": "{}")", all.empty() ? "" : ", ", name, value);
  return fmt::format(R"({{"command": "{}", "times": [1.5], "parameters": {{{}}}}})", command, all);
}

ForeignSweep scan(const std::vector<std::pair<std::string, Parameters>>& results) {
  std::string all;
  for (const auto& [command, parameters] : results)
    all += (all.empty() ? "" : ",") + result(command, parameters);
  return read_foreign_results(R"({"results": [)" + all + "]}").value();
}

std::vector<std::string> variants(const ForeignSweep& sweep) {
  std::vector<std::string> all;
  for (const std::vector<Value>& point : sweep.points) all.push_back(point.front().to_text());
  return all;
}

TEST(HyperfineScan, OfOneCommandIsOneVariantWithAxes) {
  const ForeignSweep sweep = scan({{"make -j1 CC=gcc", {{"t", "1"}, {"cc", "gcc"}}},
                                   {"make -j8 CC=gcc", {{"t", "8"}, {"cc", "gcc"}}},
                                   {"make -j1 CC=clang", {{"t", "1"}, {"cc", "clang"}}},
                                   {"make -j8 CC=clang", {{"t", "8"}, {"cc", "clang"}}}});
  EXPECT_THAT(sweep.columns, ElementsAre("variant", "t", "cc"));
  EXPECT_THAT(sweep.points[3], ElementsAre(Value("make -j{t} CC={cc}"), Value(8), Value("clang")));
  EXPECT_THAT(variants(sweep), testing::Each("make -j{t} CC={cc}"));
}

// The 1 occurs four times in the first command; only one of them becomes 2 in the second.
TEST(HyperfineScan, FindsThePlaceThatChangesAmongEqualDigits) {
  EXPECT_THAT(variants(scan({{"./b1 -n 11 -t 1", {{"t", "1"}}}, {"./b1 -n 11 -t 2", {{"t", "2"}}}})),
              testing::Each("./b1 -n 11 -t {t}"));
  EXPECT_THAT(variants(scan({{"1111111111111 1", {{"t", "1"}}}, {"1111111111111 17", {{"t", "17"}}}})),
              testing::Each("1111111111111 {t}"));
  EXPECT_THAT(variants(scan({{"a 1 1", {{"t", "1"}}}, {"a 2 2", {{"t", "2"}}}})),
              testing::Each("a {t} {t}"));
  // A value may be empty.
  EXPECT_THAT(variants(scan({{"a  b", {{"t", ""}}}, {"a x b", {{"t", "x"}}}})), testing::Each("a {t} b"));
}

TEST(HyperfineScan, OfTwoCommandsHasTwoVariants) {
  EXPECT_THAT(variants(scan({{"a 1", {{"t", "1"}}},
                             {"b --x=1", {{"t", "1"}}},
                             {"a 2", {{"t", "2"}}},
                             {"b --x=2", {{"t", "2"}}}})),
              ElementsAre("a {t}", "b --x={t}", "a {t}", "b --x={t}"));
  // Two commands that are the same text for one value.
  EXPECT_THAT(variants(scan({{"x 1 1", {{"t", "1"}}},
                             {"x 1 1", {{"t", "1"}}},
                             {"x 1 2", {{"t", "2"}}},
                             {"x 2 1", {{"t", "2"}}}})),
              testing::UnorderedElementsAre("x {t} 1", "x 1 {t}", "x 1 {t}", "x {t} 1"));
}

// The second command does not use the parameter, though it happens to have its value once.
TEST(HyperfineScan, LeavesACommandThatDoesNotUseTheParameter) {
  EXPECT_THAT(variants(scan({{"a 4", {{"t", "4"}}},
                             {"b -n 4", {{"t", "4"}}},
                             {"a 8", {{"t", "8"}}},
                             {"b -n 4", {{"t", "8"}}}})),
              ElementsAre("a {t}", "b -n 4", "a {t}", "b -n 4"));
}

TEST(HyperfineScan, LeavesCommandsOfWhichItCannotBeSure) {
  // One value only; named by --command-name; a parameter that some results lack; more places than are
  // tried.
  EXPECT_THAT(variants(scan({{"a 4", {{"t", "4"}}}})), ElementsAre("a 4"));
  EXPECT_THAT(variants(scan({{"quick", {{"t", "1"}}}, {"quick", {{"t", "2"}}}})), testing::Each("quick"));
  EXPECT_THAT(variants(scan({{"a 1", {{"t", "1"}}}, {"a 2", {{"t", "2"}}}, {"c", {}}})),
              ElementsAre("a 1", "a 2", "c"));
  const std::string crowded = "1111111111111 2222222222222 ";
  EXPECT_THAT(variants(scan({{crowded + "1", {{"t", "1"}}}, {crowded + "2", {{"t", "2"}}}})),
              ElementsAre(crowded + "1", crowded + "2"));
}

TEST(HyperfineScan, TakesNumbersOnlyWhereAllValuesAreNumbers) {
  const ForeignSweep sweep =
      scan({{"a 1 1 true 0.5", {{"n", "1"}, {"m", "1"}, {"b", "true"}, {"d", "0.5"}}},
            {"a 2 x false 1", {{"n", "2"}, {"m", "x"}, {"b", "false"}, {"d", "1"}}}});
  EXPECT_THAT(sweep.points[0],
              ElementsAre(Value("a {n} {m} {b} {d}"), Value(1), Value("1"), Value(true), Value(0.5)));
  EXPECT_THAT(sweep.points[1],
              ElementsAre(Value("a {n} {m} {b} {d}"), Value(2), Value("x"), Value(false), Value(1)));
}

// `hyperfine -n same -n same 'sleep 0.01' 'sleep 0.02'` of version 1 writes no command.
TEST(Hyperfine, SaysWhichResultsOfOneNameBecameOnePoint) {
  const ForeignSweep sweep = scan({{"same", {}}, {"same", {}}, {"other", {}}, {"same", {}}});
  EXPECT_EQ(sweep.points.size(), 2U);
  EXPECT_THAT(sweep.lacks, IsGolden());
  EXPECT_EQ(scan({{"a", {}}, {"b", {}}}).lacks,
            scan({{"same", {{"t", "1"}}}, {"same", {{"t", "2"}}}}).lacks);
}

// hyperfine 2.0.0, shortened. Unlike commands of one name are two variants.
TEST(Hyperfine2, HasTheTimesAndStatusesOfItsMeasurements) {
  const ForeignSweep sweep = read_foreign_results(R"({"schema_version": 2,
    "metadata": {"hyperfine_version": "2.0.0"}, "primary_metric": "memory_peak_resident", "results": [
    {"command": "sort -t1", "parameters": {"t": {"value": "1"}}, "measurements": [
      {"time_wall_clock": {"value": 1.5, "unit": "second"}, "exit_code": 0},
      {"time_wall_clock": {"value": 250, "unit": "millisecond"}, "time_cpu": {"value": 9, "unit": "second"}},
      {"time_wall_clock": {"value": 3, "unit": "second"}, "exit_code": 2}]},
    {"command": "sort -t2", "parameters": {"t": {"value": "2"}}, "measurements": [
      {"time_wall_clock": {"value": 3, "unit": "hour"}, "exit_code": 0}, {"exit_code": 0}, 7,
      {"time_wall_clock": {"value": null, "unit": "second"}, "exit_code": null}]},
    {"command": "sort -t3"}]})")
                                 .value();
  EXPECT_EQ(sweep.tool, "hyperfine");
  EXPECT_THAT(sweep.columns, ElementsAre("variant", "t"));
  ASSERT_EQ(sweep.jobs.size(), 8U);
  EXPECT_THAT(sweep.jobs[0].seconds, ElementsAre(1.5));
  EXPECT_THAT(sweep.jobs[1].seconds, ElementsAre(0.25));
  std::string failures;
  for (const ForeignJob& job : sweep.jobs) failures += job.failure + (job.failure.empty() ? "" : "\n");
  EXPECT_THAT(failures, IsGolden());
}

TEST(Hyperfine2, OfUnlikeCommandsUnderOneNameHasTwoVariants) {
  const auto read = [](const std::vector<std::array<std::string, 3>>& results) {
    const std::string runs = R"("measurements": [{"time_wall_clock": {"value": 1, "unit": "second"}}])";
    std::string all;
    for (const auto& [name, command, t] : results)
      all += fmt::format(R"({}{{"command": "{}", {}{}{}}})", all.empty() ? "" : ",", command,
                         name.empty() ? "" : fmt::format(R"("name": "{}",)", name),
                         t.empty() ? "" : fmt::format(R"("parameters": {{"t": {{"value": "{}"}}}},)", t),
                         runs);
    return variants(read_foreign_results(R"({"results": [)" + all + "]}").value());
  };
  EXPECT_THAT(read({{"one", "a", ""}, {"two", "b", ""}, {"", "c", ""}}), ElementsAre("one", "two", "c"));
  EXPECT_THAT(read({{"one", "a", ""}, {"one", "b", ""}, {"one", "a", ""}}),
              ElementsAre("one: a", "one: b"));
  EXPECT_THAT(read({{"one", "a 1", "1"}, {"one", "a 2", "2"}}), ElementsAre("one", "one"));
  EXPECT_THAT(read({{"one", "a 1", "1"}, {"one", "b 1", "1"}, {"one", "a 2", "2"}, {"one", "b 2", "2"}}),
              ElementsAre("one: a {t}", "one: b {t}", "one: a {t}", "one: b {t}"));
}

}  // namespace
}  // namespace kernsweep
