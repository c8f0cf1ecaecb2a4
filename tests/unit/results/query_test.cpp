#include "results/best.hpp"
#include "results/export.hpp"
#include "results/findings.hpp"
#include "results/json.hpp"
#include "results/show.hpp"
#include "tests/unit/results/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::QueryTest;
using test::why;
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
  ASSERT_EQ(answer.rows.rows.size(), 2U);
  EXPECT_EQ(cell(answer.rows, "variant"), Value("blas"));
  EXPECT_EQ(cell(answer.rows, "threads"), Value(2));
  EXPECT_EQ(cell(answer.rows, "median_s"), Value(0.002));
  EXPECT_EQ(cell(answer.rows, "runner_up"), Value("onednn"));
  EXPECT_EQ(cell(answer.rows, "times_better"), Value(2.5));
  EXPECT_EQ(cell(answer.rows, "times_better", 1), Value());
  EXPECT_EQ(cell(answer.rows, "runner_up", 1), Value());
}

TEST_F(QueryTest, BestNamesTheSettingWhenThereIsOneVariant) {
  begin("s", {"m", "env.X", "threads"});
  put({64, Value(), 1}, 0.3);
  put({64, "skx", 1}, 0.1);
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  EXPECT_EQ(cell(answer.rows, "env.X"), Value("skx"));
  EXPECT_EQ(cell(answer.rows, "runner_up"), Value("env.X=unset"));
  EXPECT_NEAR(*cell(answer.rows, "times_better").number(), 3.0, 1e-12);
}

TEST_F(QueryTest, BestNamesWhatElseTheRunnerUpDoesDifferently) {
  begin("s", {"variant", "m", "threads", "blas.library", "env.X"});
  put({"onednn", 64, 1, Value(), Value()}, 0.1);
  put({"blas", 64, 2, "libblis.so.4", "skx"}, 0.2);
  put({"blas", 64, 1, "libother.so", Value()}, 0.3);
  Reader r = reader();
  EXPECT_EQ(cell(good(best(r, {})).rows, "runner_up"), Value("blas threads=2 libblis.so.4 env.X=skx"));
  // The other way round: what the runner-up lacks is not told.
  begin("t", {"variant", "m", "threads", "blas.library"});
  put({"blas", 64, 1, "libblis.so.4"}, 0.1);
  put({"onednn", 64, 1, Value()}, 0.2);
  Reader again = reader();
  EXPECT_EQ(cell(good(best(again, {})).rows, "runner_up"), Value("onednn"));
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
  EXPECT_EQ(cell(answer.rows, "variant"), Value("onednn"));
  EXPECT_EQ(cell(answer.rows, "median_s"), Value(2.0));
  EXPECT_EQ(cell(answer.rows, "times_better"), Value(1.5));
  EXPECT_EQ(cell(answer.rows, "processes"), Value(3));
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
  EXPECT_EQ(cell(answer.rows, "variant"), Value("slow"));
  EXPECT_EQ(cell(answer.rows, "runner_up"), Value("ungraded"));
  EXPECT_EQ(answer.jobs, 4U);
  EXPECT_EQ(answer.left_out_failed, 1U);
  EXPECT_EQ(answer.left_out_grade, 1U);
  EXPECT_EQ(good(best(r, {.worst_grade = 'X'})).rows.rows.size(), 1U);
  EXPECT_EQ(cell(good(best(r, {.worst_grade = 'X'})).rows, "variant"), Value("fast but X"));
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
  ASSERT_EQ(answer.rows.rows.size(), 3U);
  EXPECT_EQ(cell(answer.rows, "host", 1), Value("b"));
  EXPECT_EQ(cell(answer.rows, "cache", 2), Value("cold"));
  EXPECT_EQ(cell(answer.rows, "processes", 0), Value(1));
}

TEST_F(QueryTest, BestGroupsNullLikeAnyValue) {
  begin("s", {"variant", "m", "blas.library", "block_m", "label"});
  put({"blas", 1, "a.so", Value(), Value()}, 1.0);
  put({"blas", 1, "b.so", Value(), Value()}, 2.0);
  put({"blas", 1, "b.so", Value(), "x"}, 3.0);
  Reader r = reader();
  // Asked by label: NULL is a group of its own.
  const BestAnswer answer = good(best(r, {.by = {{"label"}}}));
  ASSERT_EQ(answer.rows.rows.size(), 2U);
  EXPECT_EQ(cell(answer.rows, "label", 0), Value());
  EXPECT_EQ(cell(answer.rows, "median_s", 0), Value(1.0));
  // Not asked: `label` lacks values, so it counts as a setting, and m alone is the problem.
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
  const BestAnswer answer = good(best(r, {.metric = Metric::gflops}));
  EXPECT_EQ(cell(answer.rows, "variant"), Value("b"));
  EXPECT_EQ(cell(answer.rows, "times_better"), Value(4.0));
}

TEST_F(QueryTest, AnUnknownSweepOrColumnIsToldWithTheNearestName) {
  begin("gemm-first-look", {"threads"});
  Reader r = reader();
  EXPECT_THAT(why(best(r, {.sweep = "gemm-first-lock"})), HasSubstr("did you mean 'gemm-first-look'"));
  EXPECT_THAT(why(best(r, {.by = {{"thread"}}})), HasSubstr("did you mean 'threads'"));
  EXPECT_TRUE(good(best(r, {})).rows.rows.empty());  // begun, nothing measured
}

TEST_F(QueryTest, ASweepIsFoundByNameNumberOrBoth) {
  begin("s", {"a"});
  begin("s", {"b"});
  begin("t", {"c"});
  Reader r = reader();
  EXPECT_EQ(good(r.find_sweep("")).record.name, "t");
  EXPECT_EQ(good(r.find_sweep("s")).id.value, 2U);
  EXPECT_EQ(good(r.find_sweep("s@1")).id.value, 1U);
  EXPECT_EQ(good(r.find_sweep("3")).record.name, "t");
  EXPECT_FALSE(r.find_sweep("t@1"));
  EXPECT_FALSE(r.find_sweep("9"));
  EXPECT_EQ(good(r.sweeps()).size(), 3U);
}

TEST_F(QueryTest, SqlOnlyReads) {
  begin("s", {"a"});
  put({1}, 1.0);
  Reader r = reader();
  const std::string outside = folder.file("stolen.db");
  for (const std::string& sql :
       {std::string("delete from outcome"), std::string("drop view s"),
        std::string("insert into text values (9, 'x')"),
        std::string("with x as (select 1) delete from outcome"), std::string("pragma user_version = 9"),
        "attach '" + outside + "' as o", "vacuum into '" + outside + "'", std::string("begin"),
        std::string("/* select */ -- select\n update outcome set job = 1"),
        std::string("explain; delete from outcome")})
    EXPECT_FALSE(r.query(sql)) << sql;
  EXPECT_FALSE(std::filesystem::exists(outside));
  EXPECT_EQ(good(r.query("select count(*) from s")).rows[0][0], Value(1));
}

TEST_F(QueryTest, SqlErrorsSayWhatIsWrong) {
  begin("s", {"a"});
  Reader r = reader();
  EXPECT_THAT(why(r.query("select speed from s")), HasSubstr("no such column: speed"));
  EXPECT_THAT(why(r.query("")), HasSubstr("no statement"));
  EXPECT_THAT(why(r.query("  -- only a comment")), HasSubstr("no statement"));
  EXPECT_THAT(why(r.query("select 1; select 2")), HasSubstr("more than one statement"));
  EXPECT_EQ(good(r.query("select 1; -- done")).rows.size(), 1U);
  EXPECT_EQ(good(r.query("select a from s")).columns,
            std::vector<std::string>{"a"});  // no rows, but columns
}

TEST_F(QueryTest, ShowTellsEverythingAboutAResult) {
  begin("s", {"variant", "env.X", "m"});
  Job made = job({"blas", Value(), 64}, 0.25);
  made.samples = {0.5, 0.25, 0.125};
  made.record.summary = summarise(made.samples);
  made.record.runtime = "OpenBLAS core=SkylakeX";
  made.record.environment = "A=1\nB=2";
  made.record.host = good(store.add_host({.fingerprint = digest_of("h"), .name = "node7", .cores = 2}));
  put(made);
  Reader r = reader();
  const Shown shown = good(show(r, "1"));
  EXPECT_EQ(shown.samples, made.samples);
  std::map<std::string, Value> all;
  for (const auto& section : shown.sections)
    for (const auto& [name, value] : section.entries) all[section.title + "." + name] = value;
  EXPECT_EQ(all["result.sweep"], Value("s"));
  EXPECT_EQ(all["point.m"], Value(64));
  EXPECT_FALSE(all.contains("point.env.X"));  // not set
  EXPECT_EQ(all["measured.median_s"], Value(0.25));
  EXPECT_EQ(all["measured.samples"], Value(3));
  EXPECT_EQ(all["process.environment"], Value("A=1\nB=2"));
  EXPECT_EQ(all["host.name"], Value("node7"));
  EXPECT_EQ(all["outcome.grade"], Value("A"));
  for (const char* same : {"s/0", "s@1/0", "1/0", "/0"})
    EXPECT_EQ(good(show(r, same)).samples, made.samples) << same;
  EXPECT_THAT(to_json(shown), HasSubstr("\"samples_s\""));
}

TEST_F(QueryTest, ShowOfAFailureGivesReasonAndStderr) {
  begin("s", {"a"});
  Job made = job({1}, 1.0);
  made.failed(Outcome::signal, "SIGSEGV").record.stderr_tail = "line 1\nline 2";
  put(made);
  Reader r = reader();
  const std::string json = to_json(good(show(r, "1")));
  EXPECT_THAT(json, HasSubstr("SIGSEGV"));
  EXPECT_THAT(json, HasSubstr("line 1\\nline 2"));
  EXPECT_THAT(json, testing::Not(HasSubstr("median_s")));
}

TEST_F(QueryTest, ShowOfNothingSaysSo) {
  begin("s", {"a"});
  Reader r = reader();
  EXPECT_THAT(why(show(r, "4")), HasSubstr("there is no result 4"));
  EXPECT_THAT(why(show(r, "s/4")), HasSubstr("job 4 of sweep 's' has no outcome"));
  for (const char* odd : {"", "x", "-1", "1.5", "s/", "s/x", "99999999999999999999", "1; drop"})
    EXPECT_FALSE(show(r, odd)) << odd;
}

TEST_F(QueryTest, CsvQuotesWhatNeedsIt) {
  std::string text;
  for (const Value& value : {Value("plain"), Value("a,b"), Value("say \"x\""), Value("two\nlines"),
                             Value(""), Value(), Value(12), Value(0.1), Value(1e-7)}) {
    append_csv(value, text);
    text += ";";
  }
  EXPECT_EQ(text, "plain;\"a,b\";\"say \"\"x\"\"\";\"two\nlines\";\"\";;12;0.1;1e-07;");
}

TEST_F(QueryTest, ExportsStreamTheSweepsRows) {
  begin("s", {"variant", "note"});
  put({"blas", "a,\"b\""}, 0.5);
  put({Value(), Value()}, 0.25);
  Reader r = reader();
  std::string csv, jsonl, all;
  const auto into = [](std::string& text) {
    return [&text](std::string_view piece) -> Status {
      text += piece;
      return Done{};
    };
  };
  good(export_query(r, "select variant, note, median_s from s order by job", ExportFormat::csv, into(csv)));
  EXPECT_EQ(csv, "variant,note,median_s\r\nblas,\"a,\"\"b\"\"\",0.5\r\n,,0.25\r\n");
  good(export_rows(r, {.format = ExportFormat::jsonl}, into(jsonl)));
  EXPECT_THAT(jsonl, HasSubstr("\"median_s\":0.5"));
  EXPECT_THAT(jsonl, HasSubstr("\"note\":\"a,\\\"b\\\"\"}\n"));
  EXPECT_THAT(jsonl, HasSubstr("\"note\":null}\n"));
  EXPECT_EQ(std::ranges::count(jsonl, '\n'), 2);
  good(export_rows(r, {.all_sweeps = true, .format = ExportFormat::jsonl}, into(all)));
  EXPECT_THAT(all, HasSubstr("\"params\":{\"variant\":\"blas\",\"note\":\"a,\\\"b\\\"\"}"));
}

TEST_F(QueryTest, AnExportEndsWhenNobodyTakesIt) {
  begin("s", {"a"});
  for (int i = 0; i < 2000; ++i) put({i}, 1.0);
  Reader r = reader();
  int pieces = 0;
  const auto closed = [&](std::string_view) -> Status {
    ++pieces;
    return failure("the pipe is closed");
  };
  EXPECT_THAT(why(export_rows(r, {}, closed)), HasSubstr("the pipe is closed"));
  EXPECT_EQ(pieces, 1);
}

TEST_F(QueryTest, JsonOfWhatIsNotFiniteIsNullAndBrokenTextIsRepaired) {
  std::string text;
  append_json(Value(std::numeric_limits<double>::infinity()), text);
  append_json(Value("\xFF"), text);
  append_json(Value(true), text);
  EXPECT_EQ(text, "null\"\xEF\xBF\xBD\"true");
}

TEST_F(QueryTest, FindingsTellTheEffectOfASettingOtherThingsEqual) {
  begin("s", {"variant", "m", "env.CORE"});
  // Not set against skx: 4x on m=1, 9x on m=2, geometric mean 6x. onednn has no env.CORE: it matches
  // nothing there.
  put({"blas", 1, Value()}, 4.0);
  put({"blas", 1, "skx"}, 1.0);
  put({"blas", 2, Value()}, 18.0);
  put({"blas", 2, "skx"}, 2.0);
  put({"onednn", 1, Value()}, 8.0);  // against blas, not set: half as fast
  Reader r = reader();
  const Findings found = good(findings(r, "s"));
  ASSERT_EQ(found.effects.size(), 2U);
  EXPECT_EQ(found.effects[0].column, "env.CORE");
  EXPECT_EQ(found.effects[0].baseline, Value());
  EXPECT_EQ(found.effects[0].value, Value("skx"));
  EXPECT_NEAR(found.effects[0].speedup, 6.0, 1e-12);
  EXPECT_EQ(found.effects[0].matched, 2U);
  EXPECT_EQ(sentence(found.effects[0]),
            "env.CORE: skx is 6.00x as fast as not set (4.00x to 9.00x in 2 matched sets)");
  EXPECT_EQ(sentence(found.effects[1]), "variant: blas is 2.00x as fast as onednn (in one pair)");
  EXPECT_FALSE(found.shortened);
  EXPECT_EQ(cell(found.best.rows, "env.CORE"), Value("skx"));
  EXPECT_THAT(to_json(found), HasSubstr("\"speedup\": 6.0"));
}

TEST_F(QueryTest, FindingsLeaveOutSizesAndFailures) {
  begin("s", {"m", "dtype"});
  put({1, "f32"}, 4.0);
  put({2, "f32"}, 9.0);
  put({1, "bf16"}, 1.0);
  put(job({2, "bf16"}, 1.0).failed(Outcome::unsupported, "no"));
  Reader r = reader();
  const Findings found = good(findings(r, ""));
  ASSERT_EQ(found.effects.size(), 1U);
  EXPECT_EQ(found.effects[0].column, "dtype");
  EXPECT_NEAR(found.effects[0].speedup, 4.0, 1e-12);
}

TEST(Effects, NoPairNoEffect) {
  EXPECT_TRUE(effects({}).empty());
  // Two values, but never with all else equal.
  const Observations apart{.columns = {"x", "y"},
                           .is_setting = {1, 1},
                           .values = {{1, 2}, {1, 2}},
                           .codes = {0, 0, 1, 1},
                           .seconds = {1.0, 2.0}};
  EXPECT_TRUE(effects(apart).empty());
}

}  // namespace
}  // namespace kernsweep
