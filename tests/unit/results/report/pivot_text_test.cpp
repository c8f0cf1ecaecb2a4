// Tables over axes: the content of a cell, the marks, and the output for a terminal.
#include "results/report/pivot_text.hpp"

#include <optional>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::count_of;
using test::good;
using test::Job;
using test::why;
using Names = std::vector<std::string>;

class Pivot : public test::QueryTest {
 protected:
  // Five processes whose times differ by 0.4 %.
  void put_five(const std::vector<Value>& values, double median, double flops = 1e9) {
    for (int process = 0; process < 5; ++process) {
      Job made = job(values, median * (1 + 0.001 * process));
      made.record.point = points_;
      made.record.flops = flops;
      made.record.gflops = 1e-9 * flops / (median * (1 + 0.001 * process));
      put(made);
    }
    ++points_;
  }
  PivotAnswer asked(PivotQuestion question) {
    Reader r = reader();
    return good(pivot(r, question));
  }
  std::string text(PivotQuestion question, const Screen& screen = {}) {
    return text_of(asked(std::move(question)), screen, "r.db");
  }
  std::string refusal(PivotQuestion question) {
    Reader r = reader();
    return why(pivot(r, question));
  }

 private:
  std::uint64_t points_ = 0;
};

// In the first row blas wins; in the second the two that may be the best are both blas, so it is marked,
// too, although its layouts do not differ; in the third blas and onednn are as good; c was not measured.
TEST_F(Pivot, MarksTheBestOfARowOnlyWhereItIsShown) {
  begin_with({"variant", "threads", "layout", "m"}, {false, false, false, true});
  for (int m : {8, 64}) {
    for (const auto& [threads, blas, other, onednn] :
         {std::tuple{1, 1e-3, 2e-3, 4e-3}, {2, 1e-3, 1e-3, 4e-3}, {4, 1e-3, 2e-3, 1e-3}}) {
      put_five({"blas", threads, "row", m}, blas * m);
      put_five({"blas", threads, "column", m}, other * m);
      put_five({"onednn", threads, "row", m}, onednn * m);
    }
    put_five({"naive", 1, "row", m}, 1e-2 * m);
  }
  EXPECT_THAT(text({.rows = {"threads"}}), IsGolden());
  EXPECT_EQ(asked({.rows = {"variant"}}).column, "threads");  // what is a row is no column
  PivotQuestion rate{
      .rows = {"threads"}, .columns = "variant", .where = "m = 8 and variant <> 'naive' -- note"};
  rate.of.metric = BestMetric::gflops;
  EXPECT_THAT(text(rate), IsGolden());
  EXPECT_THAT(rounded(to_json(asked(rate))), IsGolden());
  EXPECT_THAT(text({.rows = {"layout", "variant"}, .columns = "threads", .where = "m = 8"}), IsGolden());
}

// With one process nothing is decided, and without a second column nothing is the best of its row.
TEST_F(Pivot, MarksNothingThatHasNoRivalAndNothingAsDecidedWithoutProcesses) {
  begin_with({"variant", "m"}, {false, true});
  put({"a", 1}, 1e-3);
  put({"b", 1}, 2e-3);
  put({"a", 2}, 1e-3);
  put(job({"b", 2}, 1).failed(Outcome::signal, "SIGSEGV"));
  const PivotAnswer answer = asked({});
  ASSERT_EQ(answer.table.size(), 2U);
  EXPECT_EQ(answer.table[0].cells[0].mark, PivotMark::may_be);
  EXPECT_EQ(answer.table[1].cells[0].mark, PivotMark::none);
  EXPECT_EQ(answer.about.left_out_failed, 1U);
  EXPECT_THAT(text({}), IsGolden());
}

// Two problems of unlike work next to each other: the larger one is not the slower one.
TEST_F(Pivot, ComparesNoCellsThatComputeSomethingElse) {
  begin_with({"variant", "m"}, {false, true});
  for (const char* variant : {"a", "b"})
    for (int m : {1, 2}) put_five({variant, m}, 1e-3 * m * (*variant == 'a' ? 1 : 3), 1e9 * m * m);
  EXPECT_THAT(text({.rows = {"variant"}, .columns = "m"}, {.colours = true}), IsGolden());
  PivotQuestion rate{.rows = {"variant"}, .columns = "m"};
  rate.of.metric = BestMetric::gflops;
  EXPECT_EQ(asked(rate).table[0].cells[1].mark, PivotMark::best);
}

TEST_F(Pivot, ShowsALabelInPlaceOfWhatFollowsFromItAndSaysTheRestOnce) {
  begin_with({"variant", "label", "n", "k", "batch"}, {false, true, true, true, true});
  for (const char* variant : {"a", "b"}) {
    put_five({variant, "wide", 4096, 64, 1}, 1e-3);
    put_five({variant, "deep", 64, 4096, 1}, 2e-3);
  }
  EXPECT_THAT(text({}), IsGolden());
  EXPECT_THAT(text({.rows = {"k"}}), IsGolden());
}

TEST_F(Pivot, ContinuesBelowWhatTheScreenHasNoRoomFor) {
  begin_with({"variant", "threads"}, {false, false});
  for (int threads = 1; threads <= 6; ++threads)
    for (const char* variant : {"blocked", "onednn"})
      put_five({variant, threads}, (*variant == 'b' ? 1e-3 : 1.3e-3) / threads);
  EXPECT_THAT(text({.rows = {"variant"}, .columns = "threads"}, {.columns = 40}), IsGolden());
  EXPECT_THAT(text({.rows = {"threads"}}, {.columns = 40, .colours = true}), IsGolden());
}

// Control characters, escape sequences, what turns the direction of text, and 10,000 characters.
TEST_F(Pivot, LetsNoNameCommandTheTerminal) {
  begin_with({"variant", "how\x1b[31m"}, {false, true});
  put_five({"\x1b[2J\x1b]0;title\x07x", "\u202Ereversed"}, 1e-3);
  put_five({"<script>\"&", "\u202Ereversed"}, 2e-3);
  put_five({"\u05D0\u05D1", std::string(10000, 'y')}, 1e-3);
  EXPECT_THAT(text({}, {.columns = 80}), IsGolden());
  const std::string json = to_json(asked({}));
  EXPECT_EQ(json.find('\x1b'), std::string::npos);
  EXPECT_GT(json.size(), 10000U);
}

TEST_F(Pivot, SaysWhatIsWrongWithAQuestion) {
  begin_with({"variant", "threads"}, {false, false});
  EXPECT_THAT(text({}), IsGolden());  // nothing was measured yet
  put(job({"a", 1}, 1).failed(Outcome::signal, "SIGSEGV"));
  EXPECT_THAT(text({}), IsGolden());
  PivotQuestion rate;
  rate.of.metric = BestMetric::p99_s;
  put_five({"a", 2}, 1e-3);
  EXPECT_THAT(text(rate), IsGolden());
  EXPECT_THAT(refusal({.rows = {"treads"}}), IsGolden());
  EXPECT_THAT(refusal({.rows = {"threads"}, .columns = "threads"}), IsGolden());
  EXPECT_THAT(refusal({.where = "threads = 9"}), IsGolden());
  EXPECT_THAT(refusal({.where = "treads = 9"}), IsGolden());
  EXPECT_THAT(refusal({.where = "1); delete from sweep; --"}), IsGolden());
}

// A result measured only under disturbance never wins, and has a sign.
TEST_F(Pivot, TellsWhatWasMeasuredOnlyUnderDisturbance) {
  begin_with({"variant"}, {false});
  for (const char* variant : {"calm", "disturbed"})
    for (int process = 0; process < 5; ++process) {
      Job made = job({variant}, *variant == 'c' ? 1e-3 : 0.9e-3);
      made.record.point = *variant == 'c' ? 0 : 1;
      made.record.grade = *variant == 'c' ? 'A' : 'C';
      made.record.grade_reasons = *variant == 'c' ? "" : "others kept 0.97 cores of this host busy";
      if (*variant != 'c') made.record.doubt_cause = DoubtCause::others;
      put(made);
    }
  EXPECT_THAT(text({}), IsGolden());
}

// A number that is not above zero has no logarithm, so its row has no contest.
TEST_F(Pivot, MarksNothingInARowWithANumberThatIsNotAboveZero) {
  begin_with({"variant"}, {false});
  const auto put_counted = [&](const char* variant, double value) {
    Job made = job({variant}, 1e-3);
    const MetricRecord counted[] = {{"misses", value, Better::smaller, "misses"}};
    made.record.metrics = counted;
    put(made);
  };
  put_counted("a", 0);
  put_counted("b", 7);
  put_counted("c", 9);
  PivotQuestion question;
  question.of.metric = BestMetric::counted;
  question.of.counted = "misses";
  EXPECT_THAT(text(question), IsGolden());
  EXPECT_EQ(count_of(text(question, {.colours = true}), "\x1b[38;5;40m"), 2U)
      << "of the best, and of its legend";
  EXPECT_EQ(count_of(text(question, {.colours = true}), "\x1b[38;5;196m"), 1U) << "of the legend";
}

// A bound of one process is not known, in JSON as in text.
TEST_F(Pivot, HasNoBoundsOfOneProcess) {
  begin_with({"variant"}, {false});
  put({"a"}, 1e-3);
  EXPECT_NE(to_json(asked({})).find(R"("low": null, "high": null)"), std::string::npos);
}

}  // namespace
}  // namespace kernsweep
