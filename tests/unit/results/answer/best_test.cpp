#include "results/answer/best/best.hpp"
#include "results/report/json.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::QueryTest;
using testing::HasSubstr;

TEST_F(QueryTest, BestComparesWithTheRunnerUpOfAnotherVariant) {
  begin("s", {"variant", "m", "threads"});
  put({"blas", 64, 1}, 0.004);
  put({"blas", 64, 2}, 0.002);  // best
  put({"onednn", 64, 1}, 0.006);
  put({"onednn", 64, 2}, 0.005);  // best of another variant: 0.005 / 0.002 = 2.5
  put({"naive", 128, 1}, 1.0);    // alone: no runner-up
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(answer.by, std::vector<std::string>{"m"});
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(cell(answer, "variant"), Value("blas"));
  EXPECT_EQ(cell(answer, "threads"), Value(2));
  EXPECT_EQ(cell(answer, "median_s"), Value(0.002));
  EXPECT_EQ(cell(answer, "runner_up"), Value("onednn"));
  EXPECT_EQ(cell(answer, "times_better"), Value(2.5));
  EXPECT_EQ(cell(answer, "times_better", 1), Value());
  EXPECT_EQ(cell(answer, "runner_up", 1), Value());
}

TEST_F(QueryTest, BestNamesTheSettingWhenThereIsOneVariant) {
  begin("s", {"m", "env.X", "threads"});
  put({64, Value(), 1}, 0.3);
  put({64, "skx", 1}, 0.1);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(cell(answer, "env.X"), Value("skx"));
  EXPECT_EQ(cell(answer, "runner_up"), Value("env.X=unset"));
  EXPECT_NEAR(*cell(answer, "times_better").number(), 3.0, 1e-12);
}

TEST_F(QueryTest, BestNamesWhatElseTheRunnerUpDoesDifferently) {
  begin("s", {"variant", "m", "threads", "blas.library", "env.X"});
  put({"onednn", 64, 1, Value(), Value()}, 0.1);
  put({"blas", 64, 2, "libblis.so.4", "skx"}, 0.2);
  put({"blas", 64, 1, "libother.so", Value()}, 0.3);
  Reader r = reader();
  EXPECT_EQ(cell(good(best(r, {})), "runner_up"), Value("blas threads=2 libblis.so.4 env.X=skx"));
  // The reverse: a column that the runner-up lacks is not shown.
  begin("t", {"variant", "m", "threads", "blas.library"});
  put({"blas", 64, 1, "libblis.so.4"}, 0.1);
  put({"onednn", 64, 1, Value()}, 0.2);
  Reader again = reader();
  EXPECT_EQ(cell(good(best(again, {})), "runner_up"), Value("onednn"));
}

TEST_F(QueryTest, BestTakesTheMedianOverProcessesFirst) {
  begin("s", {"variant"});
  // blas: one lucky process, median 3; onednn: median 2 wins, though its smallest is larger.
  for (const double median : {1.0, 3.0, 4.0}) {
    Job made = job({"blas"}, median);
    made.record.point = 0;
    put(made);
  }
  for (const double median : {2.0, 1.5, 5.0}) {
    Job made = job({"onednn"}, median);
    made.record.point = 1;
    put(made);
  }
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(cell(answer, "variant"), Value("onednn"));
  EXPECT_EQ(cell(answer, "median_s"), Value(2.0));
  EXPECT_EQ(cell(answer, "times_better"), Value(1.5));
  EXPECT_EQ(cell(answer, "processes"), Value(3));
}

TEST_F(QueryTest, BestLeavesOutFailuresAndBadGradesAndCountsThem) {
  begin("s", {"variant"});
  put({"slow"}, 1.0);
  Job wrong = job({"fast but wrong"}, 1e-9);
  wrong.record.outcome = Outcome::wrong_result;
  put(wrong);
  Job bad = job({"fast but X"}, 1e-9);
  bad.record.grade = 'X';
  put(bad);
  Job ungraded = job({"ungraded"}, 2.0);
  ungraded.record.grade = 0;
  put(ungraded);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(cell(answer, "variant"), Value("slow"));
  EXPECT_EQ(cell(answer, "runner_up"), Value("ungraded"));
  EXPECT_EQ(answer.jobs, 4U);
  EXPECT_EQ(answer.left_out_failed, 1U);
  EXPECT_EQ(answer.left_out_grade, 1U);
  EXPECT_EQ(good(best(r, {.worst_grade = 'X'})).rows.size(), 1U);
  EXPECT_EQ(cell(good(best(r, {.worst_grade = 'X'})), "variant"), Value("fast but X"));
}

TEST_F(QueryTest, BestNeverMixesCachesOrHosts) {
  begin("s", {"variant"});
  const HostId a = good(store.add_host({.fingerprint = digest_of("a"), .name = "a"}));
  const HostId b = good(store.add_host({.fingerprint = digest_of("b"), .name = "b"}));
  for (const auto& [host, cache, median] :
       {std::tuple{a, Cache::hot, 1.0}, std::tuple{b, Cache::hot, 2.0}, std::tuple{a, Cache::cold, 3.0}}) {
    Job made = job({"blas"}, median);
    made.record.host = host;
    made.record.cache = cache;
    made.record.point = 0;
    put(made);
  }
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  ASSERT_EQ(answer.rows.size(), 3U);
  EXPECT_EQ(cell(answer, "host", 1), Value("b"));
  EXPECT_EQ(cell(answer, "cache", 2), Value("cold"));
  EXPECT_EQ(cell(answer, "processes", 0), Value(1));
}

TEST_F(QueryTest, BestGroupsNullLikeAnyValue) {
  begin("s", {"variant", "m", "blas.library", "block_m", "label"});
  put({"blas", 1, "a.so", Value(), Value()}, 1.0);
  put({"blas", 1, "b.so", Value(), Value()}, 2.0);
  put({"blas", 1, "b.so", Value(), "x"}, 3.0);
  Reader r = reader();
  // Asked by label: NULL is a group of its own.
  const BestAnswer answer = good(best(r, {.by = {{"label"}}}));
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(cell(answer, "label", 0), Value());
  EXPECT_EQ(cell(answer, "median_s", 0), Value(1.0));
  // Without `by`: `label` lacks values, so it counts as a setting, and m alone is the problem.
  EXPECT_EQ(good(best(r, {})).by, std::vector<std::string>{"m"});
}

TEST_F(QueryTest, BestByRateWantsTheLargest) {
  begin("s", {"variant"});
  Job a = job({"a"}, 1.0), b = job({"b"}, 2.0);
  a.record.gflops = 10;
  b.record.gflops = 40;
  put(a);
  put(b);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {.metric = BestMetric::gflops}));
  EXPECT_EQ(cell(answer, "variant"), Value("b"));
  EXPECT_EQ(cell(answer, "times_better"), Value(4.0));
}

TEST_F(QueryTest, BestStopsAtTheRowsAskedForAndCountsTheOthers) {
  begin("s", {"variant", "m", "n"});
  for (int m = 1; m <= 5; ++m) put({"blas", m, 7}, 1.0 * m);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {.rows_max = 2}));
  EXPECT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(answer.groups, 5U);
  EXPECT_EQ(answer.by, (std::vector<std::string>{"m", "n"}));
  // Over all groups, also those without a row: m differs, n does not.
  EXPECT_EQ(answer.everywhere, (std::vector<char>{0, 1}));
  EXPECT_THAT(to_json(answer), HasSubstr("\"rows_more\": 3"));
  EXPECT_THAT(to_json(good(best(r, {}))), testing::Not(HasSubstr("rows_more")));
}

TEST_F(QueryTest, BestFindsAPointAgainInWhateverOrderItsJobsWereStored) {
  begin("s", {"variant"});
  // Points 4 0 2, then 2 4 0, then 0 2 4: the median of each is that of its own three numbers.
  for (const auto& [point, median] : std::vector<std::pair<std::uint64_t, double>>{
           {4, 41}, {0, 1}, {2, 21}, {2, 23}, {4, 42}, {0, 5}, {0, 2}, {2, 22}, {4, 49}}) {
    Job made = job({"v" + std::to_string(point)}, median);
    made.record.point = point;
    put(made);
  }
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(cell(answer, "variant"), Value("v0"));
  EXPECT_EQ(cell(answer, "median_s"), Value(2.0));
  EXPECT_EQ(cell(answer, "runner_up"), Value("v2"));
  EXPECT_EQ(cell(answer, "times_better"), Value(11.0));  // 22 / 2
  EXPECT_EQ(cell(answer, "processes"), Value(3));
}

TEST_F(QueryTest, BestOfEqualNumbersIsTheEarlierPoint) {
  begin("s", {"variant"});
  for (const std::uint64_t point : {2, 1, 3}) {
    Job made = job({"v" + std::to_string(point)}, 1.0);
    made.record.point = point;
    put(made);
  }
  Reader r = reader();
  EXPECT_EQ(cell(good(best(r, {})), "variant"), Value("v1"));
  EXPECT_EQ(cell(good(best(r, {})), "runner_up"), Value("v2"));
}

TEST_F(QueryTest, ASweepMayHaveMoreColumnsThanAFunctionHasArguments) {
  std::vector<std::string> names = {"variant"};
  std::vector<Value> values = {"blas"};
  for (int i = 0; i < 200; ++i) {
    names.push_back("c" + std::to_string(i));
    values.emplace_back(i);
  }
  begin("wide", names);
  put(values, 0.5);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  ASSERT_EQ(answer.rows.size(), 1U);
  EXPECT_EQ(cell(answer, "c199"), Value(199));
  EXPECT_EQ(cell(answer, "median_s"), Value(0.5));
}

// Two processes with p99 3 and 5: 4 in the middle. `fast` has the smaller median and the larger tail.
TEST_F(QueryTest, BestMayAskForTheTailOrTheExtremes) {
  begin("s", {"variant"});
  const auto put_tail = [&](const char* variant, std::uint64_t point, double median, double p99) {
    Job made = job({variant}, median);
    made.record.point = point;
    made.samples = {median / 2, median, 3 * median};
    made.record.summary = summarise(made.samples);
    made.record.conditions.emplace().p99_s = p99;
    put(made);
  };
  put_tail("fast", 0, 1.0, 9.0);
  put_tail("steady", 1, 2.0, 3.0);
  put_tail("steady", 1, 2.0, 5.0);
  put_tail("unknown", 2, 0.1, kUnknown);
  Reader r = reader();
  const BestAnswer tail = good(best(r, {.metric = BestMetric::p99_s}));
  EXPECT_EQ(cell(tail, "variant"), Value("steady"));
  EXPECT_EQ(cell(tail, "p99_s"), Value(4.0));
  EXPECT_EQ(cell(tail, "times_better"), Value(2.25));
  EXPECT_EQ(tail.left_out_without, 1U);
  EXPECT_EQ(tail.left_out_failed, 0U);
  const BestAnswer least = good(best(r, {.metric = BestMetric::min_s}));
  EXPECT_EQ(cell(least, "min_s"), Value(0.05));
  EXPECT_NEAR(*cell(good(best(r, {.metric = BestMetric::max_s})), "max_s").number(), 0.3, 1e-12);
  EXPECT_EQ(cell(good(best(r, {})), "p99_s"), Value("no such cell"));
  for (const char* name : {"median_s", "gflops", "min_s", "max_s", "p90_s", "p99_s", "p999_s"})
    EXPECT_EQ(name_of(*metric_named(name)), name);
  EXPECT_FALSE(metric_named("p95_s"));
}

TEST_F(QueryTest, WhatAVariantCountsIsAMetricToo) {
  begin("s", {"variant"});
  const std::vector<MetricRecord> small = {{"device_peak_bytes", 4096}},
                                  large = {{"device_peak_bytes", 8192}};
  Job slow = job({"slow"}, 2e-3), fast = job({"fast"}, 1e-3);
  slow.record.metrics = small;
  fast.record.metrics = large;
  put(slow);
  put(fast);
  put({"uncounted"}, 1e-3);
  Reader r = reader();
  BestQuestion question;
  ASSERT_TRUE(choose_metric(r, "device_peak_bytes", question));
  const BestAnswer answer = good(best(r, question));
  EXPECT_EQ(answer.metric, "device_peak_bytes");
  EXPECT_EQ(cell(answer, "variant"), Value("slow"));
  EXPECT_EQ(cell(answer, "device_peak_bytes"), Value(4096.0));
  EXPECT_EQ(cell(answer, "times_better"), Value(2.0));
  EXPECT_EQ(answer.left_out_without, 1U);
  EXPECT_EQ(
      choose_metric(r, "p95_s", question).error().message,
      "--metric is one of median_s, gflops, gbps, min_s, max_s, p90_s, p99_s, p999_s, energy_j, cpu_s, "
      "peak_memory_bytes, device_peak_bytes, not 'p95_s'");
}

class BestOfCounted : public QueryTest {
 protected:
  // Two variants: `ten` has ten times the number of `one`.
  void put_both(const std::string& name, Better better = Better::unknown) {
    for (const auto& [variant, value] : {std::pair("one", 1.0), {"ten", 10.0}}) {
      const MetricRecord metrics[] = {{name, value, better, ""}};
      Job made = job({variant}, 1e-3);
      made.record.metrics = metrics;
      put(made);
    }
  }
  Result<BestAnswer> asked(const std::string& name, Better better = Better::unknown) {
    Reader r = reader();
    BestQuestion question;
    EXPECT_TRUE(choose_metric(r, name, question));
    question.better = better;
    return best(r, question);
  }
  Value winner(const std::string& name, Better better = Better::unknown) {
    const auto answer = asked(name, better);
    return answer ? cell(*answer, "variant") : Value(answer.error().message);
  }
};

TEST_F(BestOfCounted, ARateIsBestWhereItIsLargest) {
  begin("s", {"variant"});
  put_both("elements_per_second");
  EXPECT_EQ(winner("elements_per_second"), Value("ten"));
  EXPECT_EQ(cell(good(asked("elements_per_second")), "times_better"), Value(10.0));
  EXPECT_EQ(good(asked("elements_per_second")).better, Better::larger);
}

TEST_F(BestOfCounted, AnAmountIsBestWhereItIsSmallest) {
  begin("s", {"variant"});
  put_both("scratch_bytes");
  EXPECT_EQ(winner("scratch_bytes"), Value("one"));
  EXPECT_EQ(cell(good(asked("scratch_bytes")), "times_better"), Value(10.0));
}

TEST_F(BestOfCounted, WhatNobodyHasDeclaredIsRefusedUntilItIsSaid) {
  begin("s", {"variant"});
  put_both("score");
  EXPECT_FALSE(asked("score"));
  EXPECT_EQ(winner("score", Better::larger), Value("ten"));
  EXPECT_EQ(winner("score", Better::smaller), Value("one"));
}

TEST_F(BestOfCounted, ADeclarationCountsMoreThanTheName) {
  begin("s", {"variant"});
  put_both("score", Better::larger);
  put_both("saved_bytes", Better::larger);
  EXPECT_EQ(winner("score"), Value("ten"));
  EXPECT_EQ(winner("saved_bytes"), Value("ten"));
}

TEST_F(BestOfCounted, DeclarationsThatDisagreeAreRefused) {
  begin("s", {"variant"});
  put_both("score", Better::larger);
  put_both("score", Better::smaller);
  EXPECT_FALSE(asked("score"));
}

TEST_F(BestOfCounted, EnergyTrafficAndProcessorTimeAreMetricsLikeOthers) {
  begin("s", {"variant"});
  // Per call: the section of "one" used more, for many more calls.
  for (const auto& [variant, value, calls] : {std::tuple("one", 1.0, 1000), {"ten", 10.0, 50}}) {
    Job made = job({variant}, 1e-3);
    ConditionsRecord& conditions = made.record.conditions.emplace();
    conditions.energy_j = conditions.cpu_s = value * calls;
    conditions.measured = true;
    conditions.samples_taken = static_cast<std::uint64_t>(calls / 10 - 1);
    made.record.calls_per_sample = 10;
    made.record.warmup_runs = 10;
    made.record.gbps = value;
    put(made);
  }
  EXPECT_EQ(winner("energy_j"), Value("one"));
  Reader r = reader();
  BestQuestion question;
  ASSERT_TRUE(choose_metric(r, "energy_j", question));
  EXPECT_EQ(good(best(r, question)).rows[0].number, 1.0);
  EXPECT_EQ(winner("cpu_s"), Value("one"));
  EXPECT_EQ(winner("gbps"), Value("ten"));
}

TEST(DirectionByName, FollowsFromTheUnitAtTheEnd) {
  for (const char* name : {"elements_per_second", "tokens_per_s", "gflops", "cpu_gflops", "gbps"})
    EXPECT_EQ(better_by_name(name), Better::larger) << name;
  for (const char* name :
       {"median_s", "first_token_ms", "gpu_energy_j", "device_peak_bytes", "bytes", "seconds"})
    EXPECT_EQ(better_by_name(name), Better::smaller) << name;
  for (const char* name : {"", "score", "gpu_clock_mhz", "gpu_power_w", "gpu_temperature_c",
                           "queues_begun_early", "kilobytes", "classes", "per_sample"})
    EXPECT_EQ(better_by_name(name), Better::unknown) << name;
}

}  // namespace
}  // namespace kernsweep
