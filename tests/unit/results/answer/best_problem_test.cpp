// Which columns `best` treats as the problem, and how it compares groups of several problems.
#include "results/answer/best/best.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/json.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::QueryTest;
using test::sweep_named;
using test::why;
using Names = std::vector<std::string>;

class BestProblem : public QueryTest {
 protected:
  // `problem` of each column, as the sweep has stored it.
  void put_with(std::vector<Value> values, double median, double flops, double bytes) {
    Job made = job(std::move(values), median);
    made.record.flops = flops;
    made.record.bytes = bytes;
    made.record.gflops = flops > 0 ? 1e-9 * flops / median : kUnknown;
    made.record.gbps = bytes > 0 ? 1e-9 * bytes / median : kUnknown;
    put(made);
  }
  BestAnswer by(Names names, BestMetric metric = BestMetric::median_s) {
    Reader r = reader();
    return good(best(r, {.sweep = "s", .by = std::move(names), .metric = metric}));
  }
  std::string refusal(Names names, BestMetric metric = BestMetric::median_s) {
    Reader r = reader();
    return why(best(r, {.sweep = "s", .by = std::move(names), .metric = metric}));
  }
};

// gzip at three levels: one problem, and the fastest of them wins it.
TEST_F(BestProblem, IsOneIfEverythingIsASetting) {
  begin_with({"level", "command"}, {false, false});
  put({1, "gzip -1"}, 0.1);
  put({6, "gzip -6"}, 0.3);
  put({9, "gzip -9"}, 0.8);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(answer.by, Names{});
  ASSERT_EQ(answer.rows.size(), 1U);
  EXPECT_EQ(cell(answer, "level"), Value(1));
  EXPECT_NEAR(*cell(answer, "times_better").number(), 3, 1e-12);  // 0.3 / 0.1
}

// `block_m` is called as a setting and `tile` as the problem: what is stored decides, not the name.
TEST_F(BestProblem, IsWhatTheSweepHasStored) {
  begin_with({"block_m", "tile", "m"}, {true, std::nullopt, false});
  put({8, 1, 100}, 0.1);
  put({8, 2, 200}, 0.2);
  put({16, 1, 100}, 0.3);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(answer.by, Names{"block_m"}) << "of `tile` it is not known: guessed, as in earlier files";
  EXPECT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(cell(answer, "m"), Value(100));
}

TEST_F(BestProblem, OfAnEarlierFileIsGuessed) {
  begin("s", {"variant", "m", "label", "threads", "env.X", "blas.library", "block_m", "algorithm"});
  put({"blas", 1, "a", 2, "y", "lib", 8, "direct"}, 0.1);
  Reader r = reader();
  EXPECT_EQ(good(best(r, {})).by, (Names{"m", "label"}));
}

TEST_F(BestProblem, IsLearntWhenTheSweepIsBegunAgain) {
  begin("s", {"m", "n"});
  put({1, 1}, 0.1);
  SweepRecord record = sweep_named("s", {"m", "n"});
  record.problem = {false, std::nullopt};
  EXPECT_EQ(good(store.begin_sweep(record)).id, sweep);
  Reader r = reader();
  EXPECT_EQ(good(best(r, {})).by, Names{"n"}) << "what is not known stays as it was";
  record.problem = {};
  good(store.begin_sweep(record));
  Reader again = reader();
  EXPECT_EQ(good(best(again, {})).by, Names{"n"});
  good(store.set_problem(sweep, {true, false}));
  Reader last = reader();
  EXPECT_EQ(good(best(last, {})).by, Names{"m"});
}

TEST_F(BestProblem, MayBeADerivedValue) {
  SweepRecord record = sweep_named("s", {"m", "n", "size"});
  record.parameter_count = 2;
  record.problem = {false, false, true};
  begin(record);
  put({1, 6, 6}, 0.3);
  put({2, 3, 6}, 0.2);
  put({1, 4, 4}, 0.1);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(answer.by, Names{"size"});
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(cell(answer, "m"), Value(2));  // 0.2 before 0.3
}

// 100 and 800 operations: in 1 s and 4 s they are 100 and 200 a second. blas has 50 and 160.
TEST_F(BestProblem, GroupsOfDifferentWorkAreComparedByRates) {
  begin_with({"variant", "m"}, {false, true});
  put_with({"onednn", 1}, 1.0, 100, 10);
  put_with({"onednn", 2}, 4.0, 800, 40);
  put_with({"blas", 1}, 2.0, 100, 10);
  put_with({"blas", 2}, 5.0, 800, 40);
  const BestAnswer answer = by({"variant"});
  EXPECT_EQ(answer.metric, "gflops");
  EXPECT_EQ(answer.rates_for, Names{"m"});
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(cell(answer, "m"), Value(2)) << "not the one that takes less time";
  EXPECT_NEAR(*cell(answer, "gflops").number(), 200e-9, 1e-18);
  EXPECT_NEAR(*cell(answer, "times_better").number(), 2, 1e-12);  // 200 / 100
  EXPECT_THAT(text_of(answer, "r.db", 10), IsGolden());
  EXPECT_THAT(to_json(answer), testing::HasSubstr("\"rates_because_of\""));
  EXPECT_EQ(by({"m"}).metric, "median_s") << "one problem each";
  EXPECT_EQ(by({"variant", "m"}).metric, "median_s");
  EXPECT_EQ(by({"variant"}, BestMetric::gbps).metric, "gbps") << "as asked";
  EXPECT_TRUE(by({"variant"}, BestMetric::gbps).rates_for.empty());
}

// Copies compute nothing: 80 bytes in 1 s, 800 in 4 s.
TEST_F(BestProblem, WithoutOperationsBytesCount) {
  begin_with({"mode", "n"}, {false, true});
  put_with({"async", 1}, 1.0, 0, 80);
  put_with({"async", 2}, 4.0, 0, 800);
  const BestAnswer answer = by({"mode"});
  EXPECT_EQ(answer.metric, "gbps");
  EXPECT_EQ(cell(answer, "n"), Value(2));
  EXPECT_NEAR(*cell(answer, "gbps").number(), 200e-9, 1e-18);
}

// One of them computes and one does not: bytes are what both have.
TEST_F(BestProblem, TheRateIsOneThatAllPointsHave) {
  begin_with({"mode", "op"}, {false, true});
  put_with({"async", "copy"}, 1.0, 0, 80);
  put_with({"async", "add"}, 1.0, 10, 120);
  EXPECT_EQ(by({"mode"}).metric, "gbps");
}

// f32 and bf16 are other problems with as many operations: the shorter time is the higher rate.
TEST_F(BestProblem, OfEqualWorkTimesAreCompared) {
  begin_with({"dtype", "label", "m"}, {true, true, true});
  put_with({"f32", "a", 1}, 1.0, 100, 40);
  put_with({"bf16", "a", 1}, 0.5, 100, 20);
  put_with({"f32", "b", 2}, 9.0, 800, 80);
  const BestAnswer answer = by({"m"});
  EXPECT_EQ(answer.metric, "median_s");
  EXPECT_TRUE(answer.rates_for.empty());
  EXPECT_EQ(cell(answer, "dtype"), Value("bf16"));
}

TEST_F(BestProblem, WithoutACommonMeasureTheQuestionIsRefused) {
  begin_with({"tool", "file", "size"}, {false, true, true});
  put_with({"gzip", "a", 1}, 1.0, 0, 0);
  put_with({"gzip", "b", 2}, 4.0, 0, 0);
  EXPECT_THAT(refusal({"tool"}), IsGolden());
  EXPECT_EQ(refusal({"tool", "file"}), "no error");
  begin_with({"variant", "m"}, {false, true});
  put_with({"blas", 1}, 1.0, 100, 10);
  put_with({"blas", 2}, 4.0, 800, 40);
  EXPECT_THAT(refusal({"variant"}, BestMetric::min_s), IsGolden()) << "it has rates, but this is none";
  EXPECT_EQ(refusal({"m"}, BestMetric::min_s), "no error");
}

}  // namespace
}  // namespace kernsweep
