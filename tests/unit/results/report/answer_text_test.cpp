#include "results/report/answer_text.hpp"

#include <nlohmann/json.hpp>

#include "results/report/best_table.hpp"
#include "results/report/json.hpp"
#include "results/report/show_text.hpp"
#include "shared/lists/standing_reason.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using testing::HasSubstr;

struct AnswerText : test::QueryTest {};

// mpirun's number of processes is an axis, too.
TEST_F(AnswerText, AsJsonHasAxesThatAreCalledAsColumnsOfAnswers) {
  begin_with({"variant", "processes", "verdict", "set"}, {false, false, true, true});
  put({"a", 8, "x", 3}, 1.0);
  put({"a", 16, "x", 3}, 2.0);
  Reader r = reader();
  const auto row = nlohmann::json::parse(to_json(good(best(r, {}))))["rows"][0];
  EXPECT_EQ(row["axis.processes"], 8);
  EXPECT_EQ(row["processes"], 1);
  EXPECT_EQ(row["axis.verdict"], "x");
  EXPECT_EQ(row["axis.set"], 3);
  EXPECT_EQ(row["set"].size(), 2U);
  EXPECT_EQ(row["set"][1]["settings"]["processes"], 16);
}

TEST_F(AnswerText, OfBestTellsOnceWhatIsTheSameEverywhere) {
  begin("s", {"variant", "m", "n"});
  put({"blas", 1, 1024}, 1.0);
  put({"blas", 2, 1024}, 2.0);
  Reader r = reader();
  const std::string text = text_of(good(best(r, {})), "r.db", 10);
  EXPECT_THAT(text, testing::StartsWith("everywhere: n=1024\nm  variant  median"));
  // The variant is the answer, not the question: it keeps its column.
  EXPECT_THAT(text, HasSubstr("1  blas"));
  EXPECT_THAT(to_json(good(best(r, {}))), HasSubstr("\"n\": 1024"));
  // With one row nothing can be the same everywhere.
  begin("t", {"variant", "m"});
  put({"blas", 1}, 1.0);
  Reader one = reader();
  EXPECT_THAT(text_of(good(best(one, {})), "r.db", 10), testing::StartsWith("m  variant"));
}

TEST_F(AnswerText, OfBestSaysWhyNoJobHasItsPeakOfMemory) {
  begin("s", {"variant"});
  put({"a"}, 1e-3);
  Reader r = reader();
  EXPECT_EQ(text_of(good(best(r, {.metric = BestMetric::peak_memory_bytes})), "r.db", 10),
            "no result to compare: 1 of 1 job has no peak_memory_bytes: memory is read where "
            "measure.warmup.min_time and samples.min_time are 20 ms together or more\n");
}

TEST_F(AnswerText, OfBestWithoutARowSaysWhy) {
  begin("s", {"variant"});
  Reader none = reader();
  EXPECT_EQ(text_of(good(best(none, {})), "r.db", 10),
            "no result to compare: no job of 's' has its outcome yet\n");
  put(job({"a"}, 1.0).failed(Outcome::signal, "SIGSEGV"));
  put(job({"b"}, 1.0).failed(Outcome::signal, "SIGSEGV"));
  Reader r = reader();
  EXPECT_EQ(
      text_of(good(best(r, {})), "r.db", 10),
      "no result to compare: 2 of 2 jobs have none; see kernsweep sql r.db \"select status, reason from "
      "results\"\n");
  Job wrong = job({"c"}, 1.0);
  wrong.record.grade = 'X';
  put(wrong);
  Reader graded = reader();
  EXPECT_THAT(text_of(good(best(graded, {.worst_grade = 'B'})), "r.db", 10),
              HasSubstr("1 of 3 jobs is graded below B; see kernsweep best r.db --grade C"));
}

// Two share a cause, though their numbers differ; a warning behind a doubt is not what the grade is for.
TEST_F(AnswerText, OfBestNamesTheCauseThatMostGradesShareAndWhatHelps) {
  begin("s", {"variant"});
  const auto doubtful = [&](const char* variant, const std::string& reasons,
                            DoubtCause cause = DoubtCause::others) {
    Job made = job({variant}, 1.0);
    made.record.grade = 'C';
    made.record.grade_reasons = reasons;
    made.record.doubt_cause = cause;
    put(made);
  };
  doubtful("a", "the output is all zeros\nothers kept 0.97 cores of this host busy", DoubtCause::unknown);
  doubtful("b",
           "1 thread and 1.02 cores of others on a host of 2 cores\nothers kept 0.97 cores of it busy");
  doubtful("c", "2 threads and 0.87 cores of others on a host of 2 cores");
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(answer.grade_cause.jobs, 2U);
  EXPECT_EQ(answer.grade_cause.of, 3U);
  EXPECT_THAT(answer.grade_cause.reason, IsGolden());
  EXPECT_EQ(answer.grade_cause.about, DoubtCause::others);
  EXPECT_THAT(text_of(answer, "r.db", 10),
              testing::AllOf(HasSubstr("leads"), HasSubstr("could also be best: c (disturbed)")));
  EXPECT_THAT(text_of_left_out(answer, ""), HasSubstr("main cause (2 of 3): "));
  EXPECT_EQ(good(best(r, {.worst_grade = 'C'})).grade_cause.of, 0U);
}

// clang: two jobs; cc1: one. Of the fourth the machine was not the cause.
TEST_F(AnswerText, NamesWhoDisturbedMostOfWhatWasNotTriedAgain) {
  begin("s", {"variant"});
  const auto doubtful = [&](const char* variant, const std::string& who, DoubtCause cause) {
    Job made = job({variant}, 1.0);
    made.record.grade = 'C';
    const std::string reasons = "75 % of the samples were disturbed: switched 11\n" + standing_reason(who);
    made.record.grade_reasons = reasons;
    made.record.doubt_cause = cause;
    put(made);
  };
  doubtful("a", "clang uses 1.9 cores, cc1 0.3", DoubtCause::switched);
  doubtful("b", "cc1 uses 1.2 cores", DoubtCause::switched);
  doubtful("c", "clang uses 1.8 cores", DoubtCause::switched);
  doubtful("d", "cc1 uses 1.2 cores", DoubtCause::unknown);
  Reader r = reader();
  const GradeCause cause = good(best(r, {})).grade_cause;
  EXPECT_EQ(cause.disturber, "clang");
  EXPECT_EQ(cause.disturbed, 2U);
  EXPECT_THAT(cause.disturber_cores, testing::AnyOf("1.9 cores", "1.8 cores"));
  EXPECT_THAT(text_of(cause),
              HasSubstr("\nmost disturbed by: clang (" + cause.disturber_cores + "), 2 of these 4 jobs\n"));
}

TEST(StandingReason, HasWhoItWasMadeOf) {
  EXPECT_EQ(who_stands(standing_reason("clang uses 1.9 cores")), "clang uses 1.9 cores");
  EXPECT_EQ(who_stands(standing_reason("")), "");
  EXPECT_EQ(who_stands("not tried again, the disturbance stays: cc1 uses 0.3 cores"), "cc1 uses 0.3 cores")
      << "a database of an earlier version";
  EXPECT_EQ(who_stands("75 % of the samples were disturbed: clock 3"), std::nullopt);
}

TEST(GradeCauses, EachHasItsNameAndWhatHelpsAgainstIt) {
  EXPECT_THAT(std::string(what_helps_against(DoubtCause::steal)), HasSubstr("hypervisor"));
  EXPECT_THAT(std::string(what_helps_against(DoubtCause::clock)), HasSubstr("clock"));
  EXPECT_EQ(what_helps_against(DoubtCause::unknown), "");
  for (std::uint32_t number = 1; number < kDoubtCauses.size(); ++number) {
    const DoubtCause cause = doubt_cause_numbered(number);
    EXPECT_EQ(doubt_cause_named(name_of(cause)), cause);
    EXPECT_NE(what_helps_against(cause), "") << name_of(cause);
  }
  EXPECT_EQ(doubt_cause_numbered(kDoubtCauses.size()), DoubtCause::unknown);
  EXPECT_EQ(doubt_cause_named(""), DoubtCause::unknown);
}

// A kernel writes to its own reasons what it likes: words of a reason are no cause.
TEST_F(AnswerText, WordsOfAReasonThatWereNotToldAsItsCauseAreNone) {
  begin("s", {"variant"});
  Job doubtful = job({"a"}, 1.0);
  doubtful.record.grade = 'C';
  doubtful.record.grade_reasons = "'x of others on a host of ' changed; 31 % were disturbed: steal 40";
  put(doubtful);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(answer.grade_cause.about, DoubtCause::unknown);
  EXPECT_THAT(text_of(answer, "r.db", 10), testing::Not(HasSubstr("end what else runs")));
}

TEST_F(AnswerText, OfOneJobSpeaksInTheSingular) {
  begin("s", {"variant"});
  Job wrong = job({"c"}, 1.0);
  wrong.record.grade = 'X';
  put(wrong);
  Reader r = reader();
  EXPECT_THAT(text_of(good(best(r, {})), "r.db", 10), HasSubstr("1 of 1 job is graded below B"));
}

TEST_F(AnswerText, ALongValueWithLineFeedsIsCutToAPieceOfItsLine) {
  const Effect effect{"flags", Value("-O1\n" + std::string(500, 'y')), Value("-O3\n-g"), 2, 2, 2, 1};
  const std::string told = sentence(effect);
  EXPECT_EQ(told.find('\n'), std::string::npos);
  EXPECT_LT(told.size(), 160U);
  EXPECT_THAT(told, IsGolden());
}

TEST_F(AnswerText, OfBestSaysWhatWasLeftOutAndWhatShowsIt) {
  begin("s", {"variant", "m"});
  put({"a", 1}, 1.0);
  Job doubtful = job({"a", 2}, 1.0);
  doubtful.record.grade = 'C';
  put(doubtful);
  put(job({"b", 1}, 1.0).failed(Outcome::signal, "SIGSEGV"));
  Reader r = reader();
  EXPECT_EQ(text_of_left_out(good(best(r, {})), best_with_grade_c("r.db")),
            "2 of 3 jobs left out: 1 failed, 1 graded below B\n"
            "1 problem has no row, because all of its results are graded below B; see kernsweep best r.db "
            "--grade C\n");
  EXPECT_EQ(text_of_left_out(good(best(r, {.worst_grade = 'C'})), ""),
            "1 of 3 jobs left out: 1 failed, 0 graded below C\n");
  EXPECT_EQ(text_of_left_out(good(best(r, {.metric = BestMetric::p99_s})), ""),
            "3 of 3 jobs left out: 1 failed, 0 graded below B, 2 without p99_s\n");
  EXPECT_THAT(text_of(good(best(r, {.metric = BestMetric::p99_s})), "r.db", 10),
              HasSubstr("; 2 of 3 jobs have no p99_s\n"));
}

// By a cause of the machine: shown, and marked.
TEST_F(AnswerText, OfBestMarksWhatWasMeasuredUnderDisturbanceOnly) {
  begin("s", {"variant", "m"});
  for (const char* variant : {"a", "b"}) {
    Job disturbed = job({variant, 1}, 1.0);
    disturbed.record.grade = 'C';
    disturbed.record.doubt_cause = DoubtCause::others;
    put(disturbed);
  }
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_THAT(text_of(answer, "r.db", 10), IsGolden());
  EXPECT_THAT(text_of_left_out(answer, ""), IsGolden());
}

TEST_F(AnswerText, OfFailuresKeepsTheWholeReason) {
  begin("s", {"a"});
  std::string advice = "it needs memory;";
  for (int i = 0; i < 40; ++i) advice += " word" + std::to_string(i);
  put(job({1}, 1.0).failed(Outcome::unsupported, advice));
  put(job({2}, 1.0).failed(Outcome::signal, "SIGSEGV"));
  put(job({3}, 1.0).failed(Outcome::signal, "SIGSEGV"));
  put({4}, 1.0);
  Reader r = reader();
  const std::string text = good(text_of_failures(r, sweep));
  EXPECT_THAT(text, testing::StartsWith("  2 signal       a=2 (result 2), a=3 (result 3): SIGSEGV\n"
                                        "  1 unsupported  a=1 (result 1): it needs memory; word0"));
  EXPECT_THAT(text, HasSubstr("word39\n"));
  begin("t", {"a"});
  for (int i = 0; i < 10; ++i) put(job({i}, 1.0).failed(Outcome::signal, "reason " + std::to_string(i)));
  Reader many = reader();
  EXPECT_THAT(good(text_of_failures(many, sweep)), HasSubstr("... and 2 more reasons"));
  begin("u", {"a"});
  put({1}, 1.0);
  Reader fine = reader();
  EXPECT_EQ(good(text_of_failures(fine, sweep)), "");
}

TEST_F(AnswerText, SaysWhichJobsNeedMoreCoresAndWhichCleanupsFailed) {
  begin("s", {"a"});
  for (int i = 0; i < 3; ++i) {
    Job made = job({i}, 1.0);
    made.record.notes = i > 0 ? "its first call took 1 s\n2 threads on 1 core; add threads: 2"
                              : "it was built\nthe cleanup failed: status 1";
    put(made);
  }
  Reader r = reader();
  EXPECT_EQ(good(text_of_end_notes(r, sweep)),
            "2 jobs: 2 threads on 1 core; add threads: 2\n1 job: the cleanup failed: status 1\n");
}

TEST_F(AnswerText, OfAResultLeavesOutWhatIsNotKnown) {
  begin("s", {"a", "env.X"});
  Job made = job({0, ""}, 0.25);
  made.record.finished_unix_s = 951782400;
  made.record.host = good(store.add_host({.fingerprint = digest_of("h"),
                                          .name = "node7",
                                          .cores = 2,
                                          .memory_bytes = 3ull << 30,
                                          .text = "long"}));
  put(made);
  Reader r = reader();
  const Shown shown = good(show(r, "1"));
  const std::string text = text_of(shown);
  EXPECT_THAT(text, HasSubstr("  memory            3.0 GiB\n"));
  EXPECT_THAT(text, HasSubstr("Z)\n"));                            // the moment it ended
  EXPECT_THAT(text, HasSubstr("point\n  a      0\n  env.X  \n"));  // values of the sweep are known
  EXPECT_THAT(text, HasSubstr("  fingerprint_text  long\n"));
  for (const char* absent : {"governor", "threads"})
    EXPECT_THAT(text, testing::Not(HasSubstr(absent))) << absent;
  EXPECT_THAT(to_json(shown), HasSubstr("\"governor\""));
}

TEST_F(AnswerText, TheSummaryOfAResultHasTheLinesThatMatterAndNoOthers) {
  begin("s", {"a", "env.X"});
  Job made = job({0, "b c"}, 0.25);
  made.record.finished_unix_s = 951782400;
  made.record.host = good(store.add_host({.fingerprint = digest_of("h"), .name = "node7", .cores = 2}));
  put(made);
  Reader r = reader();
  const std::string text = summary_of(good(show(r, "1")), "");
  EXPECT_THAT(text,
              testing::StartsWith("result  1 of s@1, job 0, attempt 1, process 0, 2000-02-29T00:00:00Z\n"
                                  "point   a=0 env.X=b c\n"
                                  "status  ok, grade A"));
  EXPECT_THAT(text, HasSubstr("\ntime    250 ms, median of "));
  EXPECT_THAT(text, HasSubstr("\nwhere   node7"));
  EXPECT_THAT(text, testing::Not(HasSubstr("roof")));  // none was asked for
  EXPECT_LE(std::ranges::count(text, '\n'), 9);
  EXPECT_THAT(summary_of(good(show(r, "1")), "kernsweep"), testing::EndsWith("\nmore    kernsweep\n"));
}

TEST_F(AnswerText, TheSummaryOfAFailedResultTellsItsReason) {
  begin("s", {"a"});
  put(job({1}, 1.0).failed(Outcome::signal, "killed by SIGSEGV"));
  Reader r = reader();
  const std::string text = summary_of(good(show(r, "1")), "");
  EXPECT_THAT(text, HasSubstr("status  signal: killed by SIGSEGV\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("time ")));
}

TEST_F(AnswerText, TheSummaryOfAnAttemptThatWasTriedAgainSaysSo) {
  begin("s", {"a"});
  Job first = job({1}, 1.0);
  first.record.final = false;
  put(first);
  Reader r = reader();
  EXPECT_THAT(summary_of(good(show(r, "1")), ""), HasSubstr("\nstatus  ok, its job was tried again"));
}

std::string text_of_all(std::vector<Effect> effects, std::size_t most) {
  SweepEffects found;
  found.effects = std::move(effects);
  return text_of(found, most);
}

TEST(EffectsText, OnlyThoseThatTheMatchedSetsAgreeOnAreToldAsFacts) {
  const auto effect = [](const char* column, double speedup, double least, double most) {
    return Effect{column, Value("x"), Value("y"), speedup, least, most, 3, {speedup * 0.99, speedup * 1.01},
                  true};
  };
  EXPECT_TRUE(is_clear(effect("a", 2, 1, 3)));
  EXPECT_TRUE(is_clear(effect("a", 0.5, 0.3, 1)));
  EXPECT_FALSE(is_clear(effect("a", 2, 0.9, 3)));
  EXPECT_FALSE(is_clear(effect("a", 0.5, 0.3, 1.1)));
  EXPECT_FALSE(is_clear(effect("a", 1.04, 1.01, 1.06)));  // they agree, on next to nothing
  EXPECT_FALSE(is_clear(effect("a", 1, 1, 1)));
  EXPECT_EQ(text_of_all({effect("a", 2, 1, 3), effect("b", 2, 0.9, 3), effect("a", 1.1, 0.9, 3),
                         effect("c", 1, 1, 1), effect("b", 1.1, 0.9, 2)},
                        12),
            "What matters, other things being equal:\n"
            "  a: y is 2.00x as fast as x (at least 1.98x; 1.00x to 3.00x in 3 matched sets)\n"
            "No difference above 1.1 %: c\n"
            "No clear difference, or one that depends on the problem:\n"
            "  b: y is 2.00x as fast as x (0.90x to 3.00x in 3 matched sets)\n");
  EXPECT_EQ(text_of_all({effect("a", 3, 2, 4), effect("a", 2, 1, 3)}, 1),
            "What matters, other things being equal:\n"
            "  a: y is 3.00x as fast as x (at least 2.97x; 2.00x to 4.00x in 3 matched sets)\n"
            "  ... and 1 more\n");
  EXPECT_EQ(text_of_all({}, 12), "");
  Effect open = effect("a", 2, 1, 3);
  open.shown = false;
  EXPECT_FALSE(is_clear(open));
  Effect slower = effect("a", 0.5, 0.3, 1);
  slower.bounds = {0.4, 0.8};
  EXPECT_EQ(sentence(slower),
            "a: x is 2.00x as fast as y (at least 1.25x; 1.00x to 3.33x in 3 matched sets)");
}

// One process a point: the intervals are not known.
TEST(EffectsText, WithoutASecondProcessNothingIsToldAsAFact) {
  const Effect effect{"a", Value("x"), Value("y"), 2, 2, 2, 3};
  EXPECT_FALSE(is_clear(effect));
  EXPECT_THAT(text_of_all({effect}, 12), IsGolden());
}

// The interval of a result that was disturbed all the time ends at e^700.
TEST(BestTable, HasNoBoundThatSaysNothing) {
  BestAnswer answer;
  answer.metric = "images";
  BestRow row;
  row.number = 100;
  row.bounds = {90, 1e304};
  answer.rows = {row};
  const RowSet table = table_of(answer.rows, columns_of(answer));
  for (const auto& [name, value] : {std::pair("images_low", Value(90.0)), {"images_high", Value()}}) {
    const auto at = std::ranges::find(table.columns, name) - table.columns.begin();
    ASSERT_LT(at, std::ssize(table.columns)) << name;
    EXPECT_EQ(table.rows[0][static_cast<std::size_t>(at)], value) << name;
  }
}

}  // namespace
}  // namespace kernsweep
