#include "results/answer/outputs/outputs.hpp"

#include "results/answer/best/sweep_effects.hpp"
#include "results/answer/pivot.hpp"
#include "results/answer/scaling.hpp"
#include "results/plot/picture.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/claims_text.hpp"
#include "results/report/compare_text.hpp"
#include "results/report/pivot_text.hpp"
#include "results/report/show_text.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::QueryTest;

// The sample that a slot keeps of `number`, as an array of one element, or printed if it is whole.
OutputSample numeric(double number, const std::string& type = "f64", std::uint32_t runs = 2) {
  OutputSample out;
  out.runs = runs;
  out.type = type;
  out.shape = {1};
  OutputSums sums;
  sums.see({&number, 1});
  sums.add({&number, 1});
  sums.finish(out);
  return out;
}
OutputSample words(const std::string& hash, std::uint32_t runs = 2) {
  OutputSample out;
  out.runs = runs;
  out.type = hash.empty() ? "none" : "text";
  out.hash = hash;
  return out;
}

// The findings for settings with these outputs: "warns", "varies" and so on, "-" for nothing.
std::vector<std::string> said_of(const std::vector<OutputSample>& outputs, std::size_t varying = SIZE_MAX) {
  std::vector<SettingOutput> settings;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    settings.push_back(
        {outputs[i], i == varying, outputs[i].runs > 1, {Value(static_cast<std::int64_t>(i / 2))}});
  const std::vector<std::string> names = {"pair"};
  std::vector<std::string> said;
  for (const OutputRemark& remark : compare_outputs(settings, names))
    said.push_back((remark.warns ? "B: " : "") + (remark.in_row.empty() ? "-" : remark.in_row));
  return said;
}
using Said = std::vector<std::string>;

TEST(CompareOutputs, WhoIsNotInACampOfMoreThanHalfIsWarned) {
  EXPECT_EQ(said_of({numeric(42), numeric(41), numeric(42), numeric(42)}),
            (Said{"-", "B: differs from 3 of 4", "-", "-"}));
  EXPECT_EQ(said_of({numeric(42), numeric(42), numeric(42), numeric(7), numeric(7)}),
            (Said{"-", "-", "-", "B: differs from 3 of 5", "B: differs from 3 of 5"}));
}

// No group is right, because the other is as large.
TEST(CompareOutputs, GroupsOfEqualSizeAreAllWarned) {
  EXPECT_EQ(said_of({numeric(42), numeric(41)}), (Said{"B: no other agrees", "B: no other agrees"}));
  EXPECT_EQ(said_of({numeric(42), numeric(42), numeric(41), numeric(41)}), Said(4, "B: 2 of 4 agree"));
  // The largest group has 2 of 5, so each differs from more than half.
  EXPECT_EQ(said_of({numeric(1), numeric(1), numeric(2), numeric(3), numeric(4)}),
            (Said{"B: 2 of 5 agree", "B: 2 of 5 agree", "B: no other agrees", "B: no other agrees",
                  "B: no other agrees"}));
}

TEST(CompareOutputs, OneSettingAloneAndEqualOnesAreNotWarned) {
  EXPECT_EQ(said_of({numeric(42)}), (Said{"-"}));
  EXPECT_EQ(said_of({numeric(42), numeric(42)}), (Said{"-", "-"}));
  EXPECT_EQ(said_of({words("aa"), words("aa")}), (Said{"-", "-"}));
}

TEST(CompareOutputs, TextThatIsDifferentForEachSettingDependsOnIt) {
  EXPECT_EQ(said_of({words("aa"), words("bb")}), (Said{"all differ", "all differ"}));
  EXPECT_EQ(said_of({words("aa"), words("bb"), words("cc")}), Said(3, "all differ"));
  EXPECT_EQ(said_of({words("aa"), words("bb"), words("aa")}), (Said{"-", "B: differs from 2 of 3", "-"}));
  // A setting that prints nothing, or a number where others print text, may have skipped the work.
  EXPECT_EQ(said_of({words("aa"), words("")}), Said(2, "B: no other agrees"));
  EXPECT_EQ(said_of({words("aa"), numeric(3)}), Said(2, "B: no other agrees"));
}

TEST(CompareOutputs, WhatVariesByItselfIsNotComparedAndSaysSoBesideAMajority) {
  // A setting that varies between processes, or between the runs of one (runs = 0), or has one run only.
  EXPECT_EQ(said_of({words("aa"), words("bb"), words("cc")}, 0), (Said{"-", "all differ", "all differ"}));
  EXPECT_EQ(said_of({numeric(42), numeric(42), numeric(41, "f64", 1)}, 2), (Said{"-", "-", "varies"}));
  EXPECT_EQ(said_of({numeric(42), numeric(42), OutputSample{}}), (Said{"-", "-", "varies"}));
  EXPECT_EQ(said_of({numeric(42), numeric(41), OutputSample{}}),
            (Said{"B: no other agrees", "B: no other agrees", "-"}));
  EXPECT_EQ(said_of({numeric(42), numeric(42), numeric(41, "f64", 1)}), (Said{"-", "-", "-"}));
}

// A difference within each process depends on what ran before in it, or on chance.
TEST(CompareOutputs, NumbersThatDifferBetweenProcessesAreWarned) {
  EXPECT_EQ(said_of({numeric(42), numeric(42), numeric(41)}, 2), (Said{"-", "-", "B: differs by process"}));
  EXPECT_EQ(said_of({numeric(42)}, 0), (Said{"B: differs by process"}));
  EXPECT_EQ(said_of({words("aa")}, 0), (Said{"-"})) << "text may hold the time";
}

TEST(CompareOutputs, ASettingThatTellsTheGroupsApartIsNamed) {
  const std::vector<std::string> names = {"variant", "n", "algorithm"};
  const auto setting = [](double output, std::int64_t n, const char* algorithm) {
    return SettingOutput{numeric(output), false, true, {Value("command"), Value(n), Value(algorithm)}};
  };
  const std::vector<SettingOutput> by_n = {setting(25, 100, "a"), setting(25, 100, "b"),
                                           setting(168, 1000, "a"), setting(168, 1000, "b")};
  EXPECT_THAT(compare_outputs(by_n, names)[0].reason, IsGolden());
  const std::vector<SettingOutput> by_none = {setting(25, 100, "a"), setting(168, 100, "b"),
                                              setting(168, 1000, "a"), setting(25, 1000, "b")};
  EXPECT_THAT(compare_outputs(by_none, names)[0].reason, IsGolden());
}

struct OutputsTest : QueryTest {
  void put_output(std::vector<Value> values, double median, const OutputSample& output, std::uint64_t point,
                  std::uint32_t process = 0) {
    Job made = job(std::move(values), median);
    const std::string text = text_of(output);
    made.record.output_sample = text;
    made.record.point = point;
    made.record.process = process;
    put(made);
  }
  static Value grade_of(const Shown& shown) {
    for (const Shown::Section& section : shown.sections)
      for (const auto& [name, value] : section.entries)
        if (section.title == "outcome" && name == "grade") return value;
    return Value();
  }
  BestAnswer best_answer() {
    Reader r = reader();
    return good(best(r, {}));
  }
};

// For n = 8 the fastest setting prints 41, both others 42; for n = 16 all agree. f32 and f64 are compared
// within the tolerance of f32.
TEST_F(OutputsTest, TheWinnerThatDiffersFromTheMajoritySaysSoInItsRow) {
  SweepRecord record = test::sweep_named("s", {"algorithm", "n"});
  record.problem = {false, true};
  begin(record);
  for (const std::uint32_t process : {0, 1}) {
    put_output({"honest", 8}, 0.003, numeric(42), 0, process);
    put_output({"other", 8}, 0.002, numeric(42.0001, "f32"), 1, process);
    put_output({"liar", 8}, 0.001, numeric(41), 2, process);
    put_output({"honest", 16}, 0.003, numeric(43), 3, process);
    put_output({"other", 16}, 0.002, numeric(43), 4, process);
  }
  const BestAnswer answer = best_answer();
  ASSERT_EQ(answer.rows.size(), 2U);
  EXPECT_EQ(cell(answer, "algorithm", 0), Value("liar"));
  EXPECT_EQ(cell(answer, "outputs", 0), Value("differs from 2 of 3"));
  EXPECT_EQ(cell(answer, "outputs", 1), Value());
  ASSERT_EQ(answer.other_outputs.size(), 1U);
  EXPECT_EQ(answer.other_outputs[0].result, 3U);
  EXPECT_THAT(text_of(answer, "r.db", 10), IsGolden());
  Reader r = reader();
  const auto at_the_end_of_run = good(sweep_effects(r, "", 10, 'B'));
  EXPECT_EQ(cell(at_the_end_of_run.best, "outputs", 0), Value("differs from 2 of 3"));
  Shown liar = good(show(r, "3")), honest = good(show(r, "1"));
  good(add_outputs(liar, r));
  good(add_outputs(honest, r));
  EXPECT_EQ(grade_of(liar), Value("B"));
  EXPECT_EQ(grade_of(honest), Value("A"));
  EXPECT_THAT(summary_of(liar, "") + summary_of(honest, ""), IsGolden());
}

// Every other answer reports the same as `best`.
TEST_F(OutputsTest, EveryAnswerSaysThatOutputsDiffer) {
  SweepRecord record = test::sweep_named("s", {"algorithm", "n", "threads"});
  record.problem = {false, true, false};
  begin(record);
  std::uint64_t point = 0;
  for (const int n : {8, 16})
    for (const int threads : {1, 2})
      for (const char* algorithm : {"honest", "other", "liar"}) {
        for (const std::uint32_t process : {0, 1, 2, 3})
          put_output({algorithm, n, threads}, (*algorithm == 'l' ? 1e-3 : 3e-3) * (1 + 0.001 * process),
                     numeric(*algorithm == 'l' && n == 8 ? 41 : 42), point, process);
        ++point;
      }
  Reader r = reader();
  const PivotAnswer table =
      good(pivot(r, {.of = {}, .rows = {"threads"}, .columns = "algorithm", .where = ""}));
  ASSERT_EQ(table.table.size(), 4U);
  for (const PivotRow& row : table.table)
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      EXPECT_EQ(row.cells[c].other_output, table.values[c] == Value("liar") && row.values[0] == Value(8));
  EXPECT_THAT(text_of(table, Screen{}, "r.db"), IsGolden());
  const SweepEffects found = good(sweep_effects(r, "", 10, 'B'));
  ASSERT_FALSE(found.effects.empty());
  EXPECT_EQ(found.effects[0].other_outputs, 2U) << "the matched sets of n = 8";
  EXPECT_THAT(sentence(found.effects[0]), IsGolden());
  EXPECT_EQ(table.about.all_other_outputs.size(), 2U);
  EXPECT_EQ(good(scaling(r, {})).about.all_other_outputs.size(), 2U);
  EXPECT_THAT(text_of_left_out(table.about, ""), IsGolden());
  const Picture picture = good(picture_of(table, {.x = "threads"}));
  ASSERT_FALSE(picture.notes.empty());
  EXPECT_THAT(picture.notes.back().text, IsGolden());
  Claim claim;
  claim.kind = ClaimKind::at_most;
  claim.bound = 1;
  claim.name = "it is quick";
  const ClaimsAnswer judged = good(judge(r, {{.claim = claim, .names = {}, .where = nullptr}}, {}));
  EXPECT_EQ(judged.claims.at(0).other_outputs.size(), 2U);
  EXPECT_THAT(text_of(judged, {}), IsGolden());
}

TEST_F(OutputsTest, APointWhoseProcessesDifferSaysSoInItsRow) {
  begin("s", {"algorithm"});
  put_output({"state"}, 0.001, numeric(1), 0, 0);
  put_output({"state"}, 0.001, numeric(1), 0, 1);
  put_output({"state"}, 0.001, numeric(2), 0, 2);
  const BestAnswer answer = best_answer();
  EXPECT_EQ(cell(answer, "outputs"), Value("differs by process"));
  ASSERT_EQ(answer.other_outputs.size(), 1U);
  Reader r = reader();
  Shown one = good(show(r, "1"));
  good(add_outputs(one, r));
  EXPECT_EQ(grade_of(one), Value("B"));
}

TEST_F(OutputsTest, WithoutADifferenceTheAnswerHasNoSuchColumn) {
  begin("s", {"algorithm"});
  put_output({"a"}, 0.001, numeric(42), 0);
  put_output({"b"}, 0.002, numeric(42), 1);
  put({"c"}, 0.003);  // of an earlier version: nothing is known of its output
  const BestAnswer answer = best_answer();
  EXPECT_EQ(cell(answer, "outputs"), Value("no such cell"));
  EXPECT_TRUE(answer.other_outputs.empty());
}

TEST_F(OutputsTest, WhereOutputsAreIgnoredNothingIsSaid) {
  SweepRecord record = test::sweep_named("s", {"algorithm"});
  record.outputs_ignored = true;
  begin(record);
  put_output({"a"}, 0.001, numeric(42), 0);
  put_output({"b"}, 0.002, numeric(41), 1);
  const BestAnswer answer = best_answer();
  EXPECT_EQ(cell(answer, "outputs"), Value("no such cell"));
  EXPECT_TRUE(answer.other_outputs.empty());
  Reader r = reader();
  Shown one = good(show(r, "1"));
  good(add_outputs(one, r));
  EXPECT_EQ(grade_of(one), Value("A"));
}

// A program that prints the time: with `repeat: 1` no process knows that, but no two print the same.
TEST_F(OutputsTest, AnOutputThatDiffersBetweenProcessesOfItsPointIsToldByShowOnly) {
  begin("s", {"algorithm"});
  for (const std::uint32_t process : {0, 1}) {
    put_output({"a"}, 0.001, words(process == 0 ? "aa" : "bb", 1), 0, process);
    put_output({"b"}, 0.002, words(process == 0 ? "cc" : "dd", 1), 1, process);
  }
  const BestAnswer answer = best_answer();
  EXPECT_EQ(cell(answer, "outputs"), Value("no such cell"));
  Reader r = reader();
  Shown one = good(show(r, "1"));
  good(add_outputs(one, r));
  EXPECT_EQ(one.sections.back().title, "outputs");
  EXPECT_EQ(grade_of(one), Value("A"));
}

// Two algorithms at three sizes: their results differ at n = 16, and are unknown at n = 24.
struct PairOutputsTest : OutputsTest {
  void put_sweep(bool ignored = false, const std::string& type = "f64") {
    SweepRecord record = test::sweep_named("s", {"algorithm", "n"});
    record.problem = {false, true};
    record.outputs_ignored = ignored;
    begin(record);
    for (const char* algorithm : {"a", "b"})
      for (const int n : {8, 16, 24})
        for (std::uint32_t process = 0; process < 5; ++process) {
          const bool other = n == 16 && *algorithm == 'b';
          const double time = (*algorithm == 'a' ? 1e-3 : 2e-3) * (1 + 0.001 * process);
          OutputSample output = type == "text" ? words(std::string(algorithm) + std::to_string(n))
                                               : numeric(other ? 41 : 42, type);
          if (n == 24) output.runs = 1;
          put_output({algorithm, n}, time, output, static_cast<std::uint64_t>(10 * *algorithm + n),
                     process);
        }
  }
  CompareAnswer compared(const std::string& a, const std::string& b) {
    Reader r = reader();
    const auto side = [](const std::string& spelled) {
      return good(parse_side(spelled, [](const std::string&) { return false; }));
    };
    return good(compare(r, r, {.a = side(a), .b = side(b)}));
  }
  JudgedClaim judged(const std::string& axis, const std::string& side, const std::string& than) {
    Reader r = reader();
    Claim claim;
    claim.name = "it is faster";
    claim.side = {{axis, {{side, false}}}};
    claim.than = {{axis, {{than, false}}}};
    auto answer = good(judge(r, {{.claim = claim, .names = {}, .where = nullptr}}, {}));
    text = text_of(answer, {});
    return answer.claims.at(0);
  }
  std::string text;
};

TEST_F(PairOutputsTest, AComparisonNamesThePairsWhoseOutputsDiffer) {
  put_sweep();
  const CompareAnswer answer = compared("algorithm=a", "algorithm=b");
  EXPECT_EQ(answer.pairs, 3U);
  EXPECT_EQ(answer.other_outputs, 1U) << "n = 16; of n = 24 a single run is known";
  ASSERT_EQ(answer.notes.size(), 1U);
  EXPECT_THAT(answer.notes[0], IsGolden());
}

TEST_F(PairOutputsTest, AClaimNamesThemToo) {
  put_sweep();
  const JudgedClaim claim = judged("algorithm", "a", "b");
  EXPECT_EQ(claim.verdict, ClaimVerdict::confirmed) << "that a is faster is true all the same";
  EXPECT_EQ(claim.outputs.compared, 2U);
  ASSERT_EQ(claim.outputs.differing.size(), 1U);
  EXPECT_THAT(text, IsGolden());
}

TEST_F(PairOutputsTest, OtherProblemsAreNotCompared) {
  put_sweep();
  EXPECT_EQ(compared("n=8", "n=16").other_outputs, 0U) << "n is part of the problem";
  EXPECT_EQ(judged("n", "8", "16").outputs.compared, 0U);
}

TEST_F(PairOutputsTest, TextsThatAllDifferDependOnTheSetting) {
  put_sweep(false, "text");
  EXPECT_EQ(compared("algorithm=a", "algorithm=b").other_outputs, 0U);
}

TEST_F(PairOutputsTest, WhatTheSweepIgnoresIsNotCompared) {
  put_sweep(true);
  EXPECT_EQ(compared("algorithm=a", "algorithm=b").other_outputs, 0U);
}

}  // namespace
}  // namespace kernsweep
