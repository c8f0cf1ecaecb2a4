#include "results/answer/best/best.hpp"
#include "results/answer/best/sweep_effects.hpp"
#include "results/read/show.hpp"
#include "results/report/export.hpp"
#include "results/report/json.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::QueryTest;
using test::why;
using testing::HasSubstr;

TEST_F(QueryTest, FindingsTellWhetherEveryJobHasItsResult) {
  begin("s", {"a"});
  put({1}, 1.0);
  Reader r = reader();
  EXPECT_TRUE(good(sweep_effects(r, "")).all_ok);
  EXPECT_TRUE(good(r.all_accepted(sweep)));
  put(job({2}, 1.0).failed(Outcome::signal, "SIGSEGV"));
  Reader again = reader();
  EXPECT_FALSE(good(sweep_effects(again, "")).all_ok);
  EXPECT_FALSE(good(again.all_accepted(sweep)));
}

TEST_F(QueryTest, TheLastReaderLeavesNoFilesOfTheLog) {
  begin("s", {"a"});
  put({1}, 1.0);
  {
    Reader r = reader();
    { const Store closed = std::move(store); }
    EXPECT_EQ(good(r.query("select count(*) from s")).rows[0][0], Value(1));
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"r.db"});
  { good(Reader::open(path)); }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"r.db"});
  store = good(Store::open_for_writing(path));
}

TEST_F(QueryTest, AnUnknownSweepOrColumnIsToldWithTheNearestName) {
  begin("gemm-first-look", {"threads"});
  Reader r = reader();
  EXPECT_THAT(why(best(r, {.sweep = "gemm-first-lock"})), IsGolden());
  EXPECT_THAT(why(best(r, {.by = {{"thread"}}})), IsGolden());
  EXPECT_TRUE(good(best(r, {})).rows.empty());  // begun, nothing measured
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
  EXPECT_THAT(why(r.query("select speed from s")), IsGolden());
  EXPECT_THAT(why(r.query("")), IsGolden());
  EXPECT_THAT(why(r.query("  -- only a comment")), IsGolden());
  EXPECT_THAT(why(r.query("select 1; select 2")), IsGolden());
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
  const Shown shown = good(show(r, "1"));
  std::map<std::string, Value> all;
  for (const auto& section : shown.sections) all.insert(section.entries.begin(), section.entries.end());
  EXPECT_EQ(all["reason"], Value("SIGSEGV"));
  EXPECT_EQ(all["stderr"], Value("line 1\nline 2"));
  EXPECT_FALSE(all.contains("median_s"));
  EXPECT_THAT(to_json(shown), HasSubstr("line 1\\nline 2"));
}

TEST_F(QueryTest, ShowOfNothingSaysSo) {
  begin("s", {"a"});
  Reader r = reader();
  EXPECT_THAT(why(show(r, "4")), IsGolden());
  EXPECT_THAT(why(show(r, "s/4")), IsGolden());
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
  EXPECT_THAT(why(export_rows(r, {}, closed)), IsGolden());
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
  put_work({"blas", 1, Value()}, 4.0, 1);
  put_work({"blas", 1, "skx"}, 1.0, 1);
  put_work({"blas", 2, Value()}, 18.0, 2);
  put_work({"blas", 2, "skx"}, 2.0, 2);
  put_work({"onednn", 1, Value()}, 8.0, 1);  // against blas, not set: half as fast
  Reader r = reader();
  const SweepEffects found = good(sweep_effects(r, "s"));
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
  EXPECT_EQ(cell(found.best, "env.CORE"), Value("skx"));
  EXPECT_THAT(to_json(found), HasSubstr("\"speedup\": 6.0"));
}

// Twice the operations with m=2; of dtype they are the same.
TEST_F(QueryTest, FindingsLeaveOutSizesAndFailures) {
  begin("s", {"m", "dtype"});
  put_work({1, "f32"}, 4.0, 1);
  put_work({2, "f32"}, 9.0, 2);
  put_work({1, "bf16"}, 1.0, 1);
  put(job({2, "bf16"}, 1.0).failed(Outcome::unsupported, "no"));
  Reader r = reader();
  const SweepEffects found = good(sweep_effects(r, ""));
  ASSERT_EQ(found.effects.size(), 1U);
  EXPECT_EQ(found.effects[0].column, "dtype");
  EXPECT_NEAR(found.effects[0].speedup, 4.0, 1e-12);
}

// The work of the files is unknown: a longer time does not show anything.
TEST_F(QueryTest, FindingsLeaveOutPartsOfTheProblemOfUnknownWork) {
  SweepRecord record = test::sweep_named("s", {"tool", "file"});
  record.problem = {false, true};
  begin(record);
  for (const char* tool : {"gzip", "zstd"})
    for (const char* file : {"small", "large"}) {
      Job made = job({tool, file}, (*tool == 'g' ? 2.0 : 1.0) * (*file == 's' ? 1 : 50));
      made.record.gflops = kUnknown;
      put(made);
    }
  Reader r = reader();
  const SweepEffects found = good(sweep_effects(r, ""));
  EXPECT_EQ(found.best.by, std::vector<std::string>{"file"});
  ASSERT_EQ(found.effects.size(), 1U);
  EXPECT_EQ(found.effects[0].column, "tool");
  EXPECT_NEAR(found.effects[0].speedup, 2.0, 1e-12);
}

// blas with m=2 has only a C: what remains is one pair with m=1, twice as fast.
TEST_F(QueryTest, FindingsLeaveOutRowsGradedBelowAndCountThem) {
  begin("s", {"variant", "m"});
  put_work({"naive", 1}, 2.0, 1);
  put_work({"naive", 2}, 2.0, 2);
  put_work({"blas", 1}, 1.0, 1);
  Job doubtful = job({"blas", 2}, 0.01);
  doubtful.record.gflops = 2e-9 / 0.01;
  doubtful.record.grade = 'C';
  put(doubtful);
  Reader r = reader();
  const SweepEffects found = good(sweep_effects(r, ""));
  ASSERT_EQ(found.effects.size(), 1U);
  EXPECT_NEAR(found.effects[0].speedup, 2.0, 1e-12);
  EXPECT_EQ(found.best.left_out_grade, 1U);
  EXPECT_EQ(cell(found.best, "variant", 1), Value("naive"));
  const SweepEffects all = good(sweep_effects(r, "", kEffectsRowsMax, 'C'));
  EXPECT_EQ(all.effects.at(0).matched, 2U);
  EXPECT_EQ(cell(all.best, "variant", 1), Value("blas"));
}

// Two matched sets, each twice as fast with y. Each centre has the variance 0.0001 and 4 degrees of
// freedom: together 0.0004 and 16; t(16) for 1 % is 2.921, and 2.921 sqrt(0.0004) / 2 sets = 0.02921. With
// fewer than five processes it is at least gap / sqrt(2) = 0.07071.
TEST(Effects, HaveAnIntervalOfTheirMean) {
  Observations two{.columns = {"x", "m"},
                   .is_setting = {1, 0},
                   .values = {{Value("a"), Value("b")}, {Value(1), Value(2)}},
                   .codes = {0, 0, 1, 0, 0, 1, 1, 1},
                   .seconds = {2, 1, 4, 2},
                   .centres = std::vector<Centre>(4, {0, 0.0001, 4, 5}),
                   .gap = 0.1};
  const std::vector<Effect> sure = effects(two);
  ASSERT_EQ(sure.size(), 1U);
  EXPECT_EQ(sure[0].matched, 2U);
  EXPECT_NEAR(sure[0].bounds.low, 2 * std::exp(-0.02921), 1e-4);
  EXPECT_NEAR(sure[0].bounds.high, 2 * std::exp(0.02921), 1e-4);
  for (Centre& centre : two.centres) centre.processes = 3;
  EXPECT_NEAR(effects(two).at(0).bounds.low, 2 * std::exp(-0.07071), 1e-4);
  two.centres[0].variance = HUGE_VAL;
  EXPECT_EQ(effects(two).at(0).bounds.low, 0);
}

// The intervals are those of the test above, or that of the one pair, 0.02921 sqrt(2) = 0.0413 and more for
// 8 degrees of freedom: none holds 1. Whether the effect is shown is another question.
TEST(Effects, OfOneSetAreShownIfTheirPairIs) {
  Observations one{.columns = {"x"},
                   .is_setting = {1},
                   .values = {{Value("a"), Value("b")}},
                   .codes = {0, 1},
                   .seconds = {2, 1},
                   .centres = std::vector<Centre>(2, {0, 0.0001, 4, 5}),
                   .gap = 0.1};
  EXPECT_FALSE(effects(one).at(0).shown) << "no pair is decided";
  EXPECT_GT(effects(one).at(0).bounds.low, 1.9);
  PairEvidence evidence{.ratio = {1.5, 2.5}};
  one.weigh = [&](std::uint32_t first, std::uint32_t second) {
    EXPECT_EQ(first, 1U);
    EXPECT_EQ(second, 0U);
    return evidence;
  };
  EXPECT_FALSE(effects(one).at(0).shown);
  EXPECT_EQ(effects(one).at(0).bounds.low, 1.5) << "one interval of one pair";
  evidence.verdict = PairVerdict::second_faster;
  EXPECT_FALSE(effects(one).at(0).shown) << "the centres lie the other way round than the medians";
  evidence.verdict = PairVerdict::first_faster;
  EXPECT_TRUE(effects(one).at(0).shown);
}

// Twice in both sets. Of three processes the mean is shown beyond its half, t(16) 0.02 / 2 = 0.0292, and
// beyond its share of the gap, gap / sqrt(2): log 2 = 0.69 is, unless that share is 0.7. Then each pair may
// be shown separately.
TEST(Effects, OfSeveralSetsAreShownByTheMeanOrByEachPair) {
  Observations two{.columns = {"x", "m"},
                   .is_setting = {1, 0},
                   .values = {{Value("a"), Value("b")}, {Value(1), Value(2)}},
                   .codes = {0, 0, 1, 0, 0, 1, 1, 1},
                   .seconds = {2, 1, 4, 2},
                   .centres = std::vector<Centre>(4, {0, 0.0001, 4, 3}),
                   .gap = 0.1};
  EXPECT_TRUE(effects(two).at(0).shown);
  two.gap = 0.7 * std::sqrt(2.0);
  EXPECT_FALSE(effects(two).at(0).shown);
  int shown = 0;
  two.weigh = [&](std::uint32_t first, std::uint32_t) {
    const bool faster = first == 1 || shown == 2;
    return PairEvidence{.verdict = faster ? PairVerdict::first_faster : PairVerdict::undecided};
  };
  EXPECT_FALSE(effects(two).at(0).shown) << "one of the pairs is not";
  shown = 2;
  EXPECT_TRUE(effects(two).at(0).shown);
}

// The root of 2: the other set runs one file twice.
TEST(Effects, OfOneBuiltFileAreNone) {
  Observations two{.columns = {"x", "m"},
                   .is_setting = {1, 0},
                   .values = {{Value("a"), Value("b")}, {Value(1), Value(2)}},
                   .codes = {0, 0, 1, 0, 0, 1, 1, 1},
                   .seconds = {2, 1, 4, 2},
                   .centres = std::vector<Centre>(4, {0, 0.0001, 4, 5}),
                   .runs = {0, 0, 7, 7},
                   .gap = 0.1};
  EXPECT_NEAR(effects(two).at(0).speedup, std::sqrt(2), 1e-9);
  EXPECT_EQ(effects(two).at(0).least, 1);
  two.runs = {5, 5, 7, 7};
  EXPECT_EQ(effects(two).at(0).speedup, 1);
  EXPECT_FALSE(effects(two).at(0).shown);
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
