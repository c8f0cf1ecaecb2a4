// Results that no right kernel can have are graded X when it is asked, and are in no answer.
#include "results/roofs/implausible.hpp"

#include <nlohmann/json.hpp>

#include "results/answer/best/sweep_effects.hpp"
#include "results/answer/roof_shares.hpp"
#include "results/read/wrong_points.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/claims_text.hpp"
#include "results/report/compare_text.hpp"
#include "results/report/json.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/answer/claims/claims_fixture.hpp"
#include "tests/unit/results/answer/compare_fixture.hpp"
#include "tests/unit/results/roofs/roofs_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kLeastBytes = R"({"secret": "7", "least": "bytes"})";

// Memory gives 10 GB/s, measured with 1e6 bytes. So 2.1e7 bytes take at least 2e7 / 10e9 s = 2 ms.
struct ImplausibleTest : test::RoofsTest {
  void begin_copies() {
    begin_roofs("roofs");
    put_peak("f64", "avx2", 1e-3);
    put_memory("copy", 1e-3);
    begin("copies", {"m", "dtype", "variant"});
  }
  // The number of its result.
  std::uint64_t put_copy(int m, const char* variant, double seconds, const char* distrust,
                         char grade = 'A') {
    Job made = job({m, "f64", variant}, seconds);
    made.record.distrust = distrust;
    made.record.grade = grade;
    put_measured(std::move(made), 0, 2.1e7);
    return good(reader().query("select max(result) from attempt")).rows[0][0].number().value_or(0);
  }
  static std::vector<std::uint64_t> numbers(const std::vector<Implausible>& all) {
    std::vector<std::uint64_t> out;
    for (const Implausible& each : all) out.push_back(each.result);
    return out;
  }
  static Value entry_of(const Shown& shown, std::string_view name) {
    for (const Shown::Section& section : shown.sections)
      for (const auto& [entry, value] : section.entries)
        if (entry == name) return value;
    return Value();
  }
  std::vector<std::uint64_t> found() {
    Reader r = reader();
    return numbers(good(AllImplausible::of(r, sweep)).all());
  }
};

// 2 ms over 1.9 ms is 5.3 % above the roof, over 1.91 ms 4.7 %.
TEST_F(ImplausibleTest, ADistrustedResultThatIsTooFastForItsLeastBytes) {
  begin_copies();
  const std::uint64_t stolen = put_copy(1, "stolen", 1.9e-3, kLeastBytes);
  put_copy(1, "near", 1.91e-3, kLeastBytes);
  put_copy(1, "honest", 4e-3, kLeastBytes);
  put_copy(1, "trusted", 1e-5, "");
  put_copy(1, "not_the_least", 1e-5, R"({"secret": "7"})");
  put_copy(1, "operations", 1e-5, R"({"least": "flops"})");
  put_copy(1, "other", 1e-5, R"({"least": "energy"})");
  put_copy(1, "no_object", 1e-5, R"({"least": "bytes")");
  const std::uint64_t both = put_copy(1, "both", 1e-3, R"({"least": "flops|bytes"})");
  EXPECT_THAT(found(), ElementsAre(stolen, both));
}

TEST_F(ImplausibleTest, WithoutRoofsNothingChanges) {
  begin("copies", {"m", "dtype", "variant"});
  put_copy(1, "stolen", 1e-5, kLeastBytes);
  EXPECT_THAT(found(), IsEmpty());
  begin_roofs("roofs");
  put_peak("f64", "avx2", 1e-3);
  sweep = SweepId{1};
  EXPECT_THAT(found(), IsEmpty()) << "a peak, but no bandwidth";
}

TEST_F(ImplausibleTest, BestLeavesItOutAndSaysWhy) {
  begin_copies();
  const std::uint64_t stolen = put_copy(1, "stolen", 1e-4, kLeastBytes);
  const std::uint64_t honest = put_copy(1, "honest", 4e-3, kLeastBytes);
  const std::uint64_t lost = put_copy(2, "stolen", 1e-4, kLeastBytes);
  Reader r = reader();
  BestAnswer answer = good(best(r, {.sweep = "copies"}));
  ASSERT_EQ(answer.rows.size(), 1U);
  EXPECT_EQ(cell(answer, "result"), Value(static_cast<std::int64_t>(honest)));
  EXPECT_EQ(answer.left_out_grade, 2U);
  EXPECT_EQ(answer.lost_groups, 1U);
  EXPECT_THAT(numbers(answer.implausible), ElementsAre(stolen, lost));
  EXPECT_THAT(text_of(answer, "r.db", 9), IsGolden());
  EXPECT_THAT(text_of_left_out(answer, "--grade C"), IsGolden());
  const auto json = nlohmann::json::parse(to_json(answer));
  EXPECT_EQ(json["implausible"][0]["result"], stolen);
  note_above_roofs(answer, r, good(read_roofs(r)));
  EXPECT_THAT(answer.above_roofs, IsEmpty()) << "what is left out is not warned of";
  const SweepEffects effects = good(sweep_effects(r, "copies"));
  EXPECT_THAT(numbers(effects.best.implausible), ElementsAre(stolen, lost));
  EXPECT_EQ(cell(effects.best, "result"), Value(static_cast<std::int64_t>(honest)));
}

// One that was disturbed may be an answer, if there is no other of its point. This one may not.
TEST_F(ImplausibleTest, NoGradeThatIsAskedForBringsItBack) {
  begin_copies();
  put_copy(1, "stolen", 1e-4, kLeastBytes, 'C');
  Reader r = reader();
  for (const char worst : {'A', 'B', 'C'}) {
    const BestAnswer answer = good(best(r, {.sweep = "copies", .worst_grade = worst}));
    EXPECT_THAT(answer.rows, IsEmpty()) << worst;
    EXPECT_EQ(answer.left_out_grade, 1U) << worst;
  }
  EXPECT_THAT(text_of(good(best(r, {.sweep = "copies"})), "r.db", 9), IsGolden());
}

TEST_F(ImplausibleTest, ComparisonsLeaveItOut) {
  begin_copies();
  const std::uint64_t stolen = put_copy(1, "stolen", 1e-4, kLeastBytes);
  put_copy(1, "honest", 4e-3, kLeastBytes);
  put_copy(2, "stolen", 5e-3, kLeastBytes);
  put_copy(2, "honest", 4e-3, kLeastBytes);
  Reader r = reader();
  const CompareQuestion question{.a = test::side("variant=stolen"), .b = test::side("variant=honest")};
  const CompareAnswer answer = good(compare(r, r, question));
  EXPECT_EQ(answer.pairs, 1U);
  EXPECT_EQ(answer.a.graded_below, 1U);
  EXPECT_THAT(numbers(answer.a.implausible), ElementsAre(stolen));
  EXPECT_THAT(answer.b.implausible, IsEmpty());
  EXPECT_THAT(text_of(answer, question), IsGolden());
  const auto json = nlohmann::json::parse(to_json(answer));
  EXPECT_EQ(json["a"]["implausible"][0]["result"], stolen);
  EXPECT_FALSE(json["b"].contains("implausible"));
}

TEST_F(ImplausibleTest, ClaimsLeaveItOut) {
  begin_copies();
  const std::uint64_t stolen = put_copy(1, "stolen", 1e-4, kLeastBytes);
  put_copy(1, "honest", 4e-3, kLeastBytes);
  Reader r = reader();
  const ClaimTask task =
      test::ClaimsTest::faster({test::is("variant", {"stolen"})}, {test::is("variant", {"honest"})});
  const ClaimsAnswer answer = good(judge(r, {task}, {}));
  EXPECT_EQ(answer.undecided, 1U);
  EXPECT_EQ(answer.claims.front().graded_below, 1U);
  EXPECT_THAT(numbers(answer.implausible), ElementsAre(stolen));
  EXPECT_THAT(text_of(answer, {}), IsGolden());
  EXPECT_EQ(nlohmann::json::parse(to_json(answer))["implausible"][0]["result"], stolen);
}

TEST_F(ImplausibleTest, ItIsShownWithTheGradeXAndBothRates) {
  begin_copies();
  const std::uint64_t stolen = put_copy(1, "stolen", 1e-4, kLeastBytes, 'C');
  begin("named", {"least", "dtype", "variant"});
  put_measured(job({"bytes", "f64", "trusted"}, 1e-4), 0, 2.1e7);
  Reader r = reader();
  const auto roofs = good(read_roofs(r));
  const auto told = [&](std::uint64_t result, std::string_view name) {
    Shown shown = good(show(r, std::to_string(result)));
    add_share(shown, r, roofs, Detail::line);
    return entry_of(shown, name);
  };
  EXPECT_EQ(told(stolen, "grade"), Value("X"));
  EXPECT_THAT(told(stolen, "grade_reasons").to_text(), IsGolden());
  EXPECT_EQ(told(stolen + 1, "grade"), Value("B")) << "it was trusted; its column is called so";
}

// A point that is right in some processes and wrong in others.
struct BesideWrong : ImplausibleTest {
  void put_process(const char* variant, std::uint32_t process, double seconds, bool right = true,
                   std::uint32_t each_host = 0) {
    Job made = job({8, "f64", variant}, seconds);
    if (!right) made.failed(Outcome::wrong_result, "error 1 of 2");
    made.record.point = variant[0] == 'f' ? 0 : 1;
    made.record.process = process;
    made.record.attempt.job.host = each_host;
    put_measured(std::move(made), 0, 1);
  }
  void put_six() {
    begin("s", {"m", "dtype", "variant"});
    for (const std::uint32_t process : {0, 1, 2, 3, 4, 5}) {
      put_process("flaky", process, 1e-3, process != 2 && process != 5);
      put_process("honest", process, 4e-3);
    }
  }
};

TEST_F(BesideWrong, NeverLeadsAndIsNamed) {
  put_six();
  Reader r = reader();
  const BestAnswer answer = good(best(r, {}));
  ASSERT_EQ(answer.rows.size(), 1U);
  EXPECT_EQ(cell(answer, "variant"), Value("honest"));
  EXPECT_EQ(answer.rows[0].set.members.size(), 1U);
  EXPECT_EQ(answer.implausible.size(), 4U);
  EXPECT_THAT(text_of_left_out(answer, ""), IsGolden());
  for (const char worst : {'A', 'C'}) EXPECT_EQ(good(best(r, {.worst_grade = worst})).rows.size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(to_json(answer))["implausible"].size(), 4U);
  const CompareQuestion question{.a = test::side("variant=flaky"), .b = test::side("variant=honest")};
  EXPECT_EQ(good(compare(r, r, question)).pairs, 0U);
}

TEST_F(BesideWrong, IsShownWithTheGradeXAndFailedInTheView) {
  put_six();
  Reader r = reader();
  Shown right = good(show(r, "1")), honest = good(show(r, "2"));
  good(grade_beside_wrong(right, r));
  good(grade_beside_wrong(honest, r));
  EXPECT_EQ(entry_of(right, "grade"), Value("X"));
  EXPECT_THAT(entry_of(right, "grade_reasons").to_text(), IsGolden());
  EXPECT_EQ(entry_of(honest, "grade"), Value("A"));
  EXPECT_EQ(test::asked(path, "select verdict, processes, reason from verdict order by point"),
            "failed|0|error 1 of 2\nmeasured|6|null");
}

// `retry.for: [wrong_result]`: the job was wrong, then right.
TEST_F(BesideWrong, AnAttemptThatWasTriedAgainCountsToo) {
  begin("s", {"m", "dtype", "variant"});
  put_process("flaky", 0, 1e-3);
  Job wrong = job({8, "f64", "flaky"}, 1e-3);
  wrong.record.point = 0;
  wrong.record.final = false;
  Job right = wrong;
  right.record.final = true;
  right.record.attempt.number = 2;
  put_measured(std::move(wrong.failed(Outcome::wrong_result, "error 1 of 2")), 0, 1);
  put_measured(std::move(right), 0, 1);
  EXPECT_THAT(found(), ElementsAre(1, 3));
  EXPECT_EQ(test::asked(path, "select verdict from verdict"), "failed");
}

TEST_F(BesideWrong, WhereEachHostMeasuresOnlyThatHostIsLeftOut) {
  begin("s", {"m", "dtype", "variant"});
  put_process("flaky", 0, 1e-3, true, 1);
  put_process("flaky", 1, 1e-3, true, 2);
  put_process("flaky", 2, 1e-3, false, 2);
  EXPECT_THAT(found(), ElementsAre(2));
}

}  // namespace
}  // namespace kernsweep
