// How sure `best` is.
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
using testing::HasSubstr;

// 20 problems with five processes of two variants each. Those of one differ by 1 %, so the gap is that;
// twice as fast lies far beyond it. In the last problem both take the same times.
TEST_F(QueryTest, BestSaysHowSureItIs) {
  begin("s", {"m", "variant"});
  for (int process = 0; process < 5; ++process)
    for (int m = 0; m < 20; ++m)
      for (const char* variant : {"naive", "blas"}) {
        const bool same = m == 19;
        const double noise = 1 + 0.0025 * ((process * 3 + m) % 5);
        Job made = job({m, variant}, (std::string(variant) == "naive" && !same ? 2.0 : 1.0) * noise);
        made.record.point = static_cast<std::uint64_t>(2 * m + (std::string(variant) == "blas" ? 1 : 0));
        put(made);
      }
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  ASSERT_EQ(answer.rows.size(), 20U);
  for (std::size_t m = 0; m < 19; ++m) {
    EXPECT_EQ(cell(answer, "variant", m), Value("blas"));
    EXPECT_EQ(cell(answer, "verdict", m), Value("wins"));
    EXPECT_NEAR(*cell(answer, "times_better", m).number(), 2, 1e-9);
    EXPECT_GT(*cell(answer, "times_better_low", m).number(), 1.95);
    EXPECT_LT(*cell(answer, "times_better_high", m).number(), 2.05);
    EXPECT_LE(*cell(answer, "low_s", m).number(), 1.005);
    EXPECT_GE(*cell(answer, "high_s", m).number(), 1.005);
    EXPECT_EQ(answer.rows[m].set.size, 1U);
  }
  EXPECT_EQ(cell(answer, "verdict", 19), Value("tied"));
  ASSERT_EQ(answer.rows[19].set.members.size(), 2U);
  EXPECT_EQ(answer.rows[19].set.members[1].difference, "blas");
}

// On each of two hosts of unlike kind: `a` takes 5 ms, `b` 5 ms in three processes and 10 ms in two, `c`
// was measured under disturbance. Nothing is decided between them; each row says which host it is about,
// each member of its set what it is.
TEST_F(QueryTest, BestTellsOfEachThatMayBeTheBestWhatItIs) {
  begin("s", {"variant", "threads"});
  for (const char* host : {"fast", "slow"}) {
    const HostId id = good(store.add_host({.fingerprint = digest_of(host), .name = host}));
    for (int process = 0; process < 5; ++process) {
      const double noise = 1 + 0.001 * process;
      const std::pair<const char*, double> times[] = {
          {"a", 5e-3}, {"b", process < 3 ? 5e-3 : 10e-3}, {"c", 6e-3}};
      for (const auto& [variant, seconds] : times) {
        Job made = job({variant, 2}, seconds * noise);
        made.record.point = static_cast<std::uint64_t>(*variant - 'a');
        made.record.host = id;
        if (*variant == 'c') made.record.grade = 'C', made.record.doubt_cause = DoubtCause::others;
        put(made);
      }
    }
  }
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  ASSERT_EQ(answer.rows.size(), 2U);
  ASSERT_EQ(answer.rows[0].set.members.size(), 3U);
  const BestSetMember& rival = answer.rows[0].set.members[1];
  EXPECT_EQ(rival.settings, (std::vector<std::pair<std::string, Value>>{{"variant", "b"}, {"threads", 2}}));
  EXPECT_EQ(rival.split.fast, 3U);
  EXPECT_EQ(rival.split.slow, 2U);
  EXPECT_TRUE(answer.rows[0].set.members[2].disturbed);
  EXPECT_THAT(text_of(answer, "r.db", 10), IsGolden());
  EXPECT_THAT(to_json(answer), HasSubstr("\"fast\": 3,"));
}

// Five points of an earlier sweep, taken over by four more: 25 processes were measured, not 125. With these
// the risk of unseen groups is 0.5 / (5 * 0.864 + 1) * 2 * 0.136 = 2.6 %; five times as many points would
// make it 0.6 %, and the two equal points of the last sweep `tied`.
TEST_F(QueryTest, BestCountsAResultThatSeveralSweepsShareOnce) {
  begin("measured", {"m"});
  std::vector<std::pair<std::uint64_t, std::int64_t>> measured;  // result and m
  for (std::int64_t m = 0; m < 5; ++m)
    for (int process = 0; process < 5; ++process) {
      Job made = job({m}, 1e-3 * (1 + 0.001 * process) + 1e-6 * static_cast<double>(m));
      made.record.point = static_cast<std::uint64_t>(m);
      put(made);
      measured.emplace_back(measured.size() + 1, m);
    }
  for (int again = 0; again < 4; ++again) {
    begin("again" + std::to_string(again), {"m"});
    for (const auto& [result, m] : measured) {
      const std::vector<Value> values = {m};
      ReuseRecord record;
      record.job = {sweep, next, 0};
      record.values = values;
      record.key = digest_of(std::to_string(again) + ":" + std::to_string(next++));
      record.from = ResultId{result};
      good(store.reuse(record));
    }
  }
  begin("last", {"variant"});
  for (const char* variant : {"a", "b"})
    for (int process = 0; process < 5; ++process) {
      Job made = job({variant}, 2e-3 * (1 + 0.0001 * process));
      made.record.point = static_cast<std::uint64_t>(*variant - 'a');
      put(made);
    }
  Reader r = reader();
  EXPECT_EQ(cell(good(best(r, {})), "verdict"), Value("leads"));
}

// Results of earlier sweeps of the host count, too: processes of one point of theirs differ by 2.5.
TEST_F(QueryTest, BestKnowsWhatProcessesOfThisHostDo) {
  const auto put_sweep = [&](double least, double spread) {
    begin("s" + std::to_string(spread), {"m", "variant"});
    for (int process = 0; process < 3; ++process)
      for (int m = 0; m < 10; ++m)
        for (const double times : {least, 2 * least}) {
          Job made = job({m, times > least ? "naive" : "blas"}, times * (process == 1 ? spread : 1));
          made.record.point = static_cast<std::uint64_t>(2 * m + (times > least ? 0 : 1));
          put(made);
        }
  };
  put_sweep(1.0, 1.001);
  {
    Reader r = reader();
    EXPECT_EQ(cell(good(best(r, {})), "verdict"), Value("wins"));
  }
  put_sweep(1.0, 2.5);
  put_sweep(1.0, 1.002);
  Reader r = reader();
  EXPECT_EQ(cell(good(best(r, {})), "verdict"), Value("leads"));
}

// m=1 has a point graded C and one graded B, m=2 has only C: all count, and a single process proves
// nothing. m=3 has a C whose cause is not the machine: no row.
TEST_F(QueryTest, BestUsesAAndBUnlessToldOtherwiseAndSaysWhatThatCosts) {
  begin("s", {"variant", "m"});
  const auto graded = [&](std::vector<Value> values, double median, char grade, bool cause = true) {
    Job made = job(std::move(values), median);
    made.record.grade = grade;
    if (grade == 'C' && cause) made.record.doubt_cause = DoubtCause::others;
    put(made);
  };
  graded({"blas", 1}, 2.0, 'B');
  graded({"naive", 1}, 1.0, 'C');
  graded({"blas", 2}, 1.0, 'C');
  graded({"naive", 2}, 1.5, 'C');
  graded({"naive", 3}, 1.0, 'C', false);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(cell(answer, "median_s"), Value(1.0));
  EXPECT_EQ(cell(answer, "verdict"), Value("leads"));
  ASSERT_EQ(answer.rows[0].set.members.size(), 2U);
  EXPECT_TRUE(answer.rows[0].set.members[0].disturbed);
  EXPECT_EQ(answer.rows[0].set.members[1].difference, "blas");
  EXPECT_FALSE(answer.rows[0].set.members[1].disturbed);
  EXPECT_EQ(cell(answer, "median_s", 1), Value(1.0));
  EXPECT_EQ(cell(answer, "verdict", 1), Value("leads"));
  EXPECT_EQ(answer.rows[1].set.size, 2U);
  EXPECT_EQ(answer.left_out_grade, 1U);
  EXPECT_EQ(answer.disturbed_points, 3U);
  EXPECT_EQ(answer.lost_groups, 1U);
  EXPECT_THAT(to_json(answer), HasSubstr("\"problems_lost\": 1"));
  EXPECT_THAT(to_json(answer), HasSubstr("\"points\": 3"));
  EXPECT_THAT(to_json(answer), HasSubstr("\"worst_grade\": \"B\""));
  const BestAnswer all = good(best(r, {.worst_grade = 'C'}));
  EXPECT_EQ(all.rows.size(), 3U);
  EXPECT_EQ(all.lost_groups, 0U);
}

// Errors that three programs count in five processes each. With m = 1 `a` counts none, which has no
// logarithm; with m = 2 in its first process alone, and 7 in the others, so that its median is behind that
// of `b`. Of the others `b` counts 5 (and up to 0.2 more) and `c` 50: b wins among these.
TEST_F(QueryTest, BestSaysWhichPointsANumberOfNothingKeepsOutOfTheContest) {
  begin("s", {"m", "variant"});
  for (int process = 0; process < 5; ++process)
    for (int m = 1; m <= 2; ++m)
      for (const char* variant : {"a", "b", "c"}) {
        const double errors = *variant == 'a'   ? (m == 2 && process > 0 ? 7 : 0)
                              : *variant == 'b' ? 5 + 0.05 * process
                                                : 50 + 0.5 * process;
        const MetricRecord metrics[] = {{"errors", errors, Better::smaller, ""}};
        Job made = job({m, variant}, 1);
        made.record.point = static_cast<std::uint64_t>(10 * m + (*variant - 'a'));
        made.record.metrics = metrics;
        put(made);
      }
  Reader r = reader();
  BestQuestion question;
  ASSERT_TRUE(choose_metric(r, "errors", question));
  const BestAnswer answer = good(best(r, question));
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(cell(answer, "variant", 0), Value("a"));
  EXPECT_EQ(cell(answer, "verdict", 0), Value());
  EXPECT_EQ(answer.rows[0].set.size, 0U);
  EXPECT_EQ(answer.rows[0].set.not_judged_size, 1U);
  EXPECT_TRUE(answer.rows[0].set.not_judged.empty()) << "it stands in the table";
  EXPECT_EQ(answer.rows[0].set.others_verdict, "wins");
  ASSERT_EQ(answer.rows[0].set.others.size(), 1U);
  EXPECT_EQ(answer.rows[0].set.others[0].difference, "b");
  EXPECT_EQ(cell(answer, "variant", 1), Value("b"));
  EXPECT_EQ(cell(answer, "verdict", 1), Value("wins"));
  ASSERT_EQ(answer.rows[1].set.not_judged.size(), 1U);
  EXPECT_EQ(answer.rows[1].set.not_judged[0].difference, "a");
  EXPECT_THAT(text_of(answer, "s.db", 9), IsGolden());
  EXPECT_THAT(to_json(answer), IsGolden());
}

}  // namespace
}  // namespace kernsweep
