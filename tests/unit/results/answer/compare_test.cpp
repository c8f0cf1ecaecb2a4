#include "results/answer/compare/compare.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/answer/compare_fixture.hpp"

namespace kernsweep {
namespace {

using test::CompareTest;
using test::good;
using test::Job;
using test::side;
using test::why;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Sides, AreReadAsDocumented) {
  const auto is_db = [](const std::string& path) { return path == "old.db" || path == "a:b.db"; };
  const auto read = [&](const std::string& text) { return good(parse_side(text, is_db)); };
  EXPECT_EQ(read("gemm@3").kind, Side::Kind::sweep);
  EXPECT_EQ(read("gemm@3").name, "gemm@3");
  EXPECT_EQ(read("old.db").file, "old.db");
  EXPECT_EQ(read("old.db").name, "");
  EXPECT_EQ(read("old.db:gemm").name, "gemm");
  EXPECT_EQ(read("a:b.db:host:n7").file, "a:b.db") << "a colon in the name of the file";
  EXPECT_EQ(read("a:b.db:host:n7").name, "n7");
  EXPECT_EQ(read("tag:machine=quiet=yes").name, "machine");
  EXPECT_EQ(read("tag:machine=quiet=yes").value, "quiet=yes");
  EXPECT_EQ(read("commit:ab12").value, "ab12");
  EXPECT_EQ(read("blas.library=libblis.so.4").kind, Side::Kind::value);
  EXPECT_EQ(read("env.X=").value, "") << "an empty text is a value";
  EXPECT_THAT(why(parse_side("new.db", is_db)), IsGolden());
  EXPECT_THAT(why(parse_side("new.db:gemm", is_db)), IsGolden());
  EXPECT_THAT(why(parse_side("tag:quiet", is_db)), IsGolden());
  EXPECT_THAT(why(parse_side("host:", is_db)), IsGolden());
}

TEST_F(CompareTest, SweepsOfWhichOneHasAnAxisOfOneValueArePaired) {
  begin("old", {"m"});
  put_point({64}, 0.001);
  put_point({128}, 0.002);
  begin("new", {"m", "layout"});
  put_point({64, "nchw"}, 0.0013);
  put_point({128, "nchw"}, 0.0026);
  const CompareAnswer answer = compared("old", "new");
  EXPECT_EQ(answer.pairs, 2U);
  EXPECT_THAT(
      answer.notes,
      ElementsAre("layout is nchw in all points of B and not set in A: it is left out of the pairing"));
  EXPECT_THAT(compared("new", "old").notes, ElementsAre(IsGolden()));
  begin("several", {"m", "layout"});
  put_point({64, "nchw"}, 0.0013);
  put_point({64, "nhwc"}, 0.0013);
  EXPECT_THAT(compared("old", "several").not_comparable, IsGolden());
}

TEST_F(CompareTest, TextThatSpellsANumberIsPairedWithIt) {
  begin("text", {"m", "x"});
  put_point({"64", 2}, 0.001);
  put_point({"128", 2}, 0.002);
  put_point({"1e2", 2}, 0.002);
  begin("numbers", {"m", "x"});
  put_point({64, 2.0}, 0.001);
  put_point({128, 2.0}, 0.002);
  put_point({100, 2.0}, 0.002);
  const CompareAnswer answer = compared("text", "numbers");
  EXPECT_EQ(answer.pairs, 2U) << "1e2 is another spelling";
  EXPECT_THAT(answer.notes,
              ElementsAre("m is text on one side and a number on the other: equal ones are paired"));
  begin("both", {"m", "x"});
  put_point({64, 2}, 0.001);
  put_point({"64", 2}, 0.001);
  EXPECT_EQ(compared("both", "numbers").pairs, 1U) << "two values of one side stay two";
}

TEST_F(CompareTest, ANumberThatIsTypedMeansTheOneValueThatIsTheSame) {
  begin("spelled", {"v"});
  for (const Value& value : {Value(".5"), Value("1e5"), Value("007"), Value("07"), Value("x")})
    put_point({value}, 0.001);
  for (const char* typed : {".5", "0.5", "0.50", "1e5", "100000", "1e+05", "007", "07"})
    EXPECT_EQ(compared(std::string("v=") + typed, "v=x").pairs, 1U) << typed;
  EXPECT_THAT(refused("v=7", "v=x"), IsGolden());
  begin("numbers", {"v"});
  for (const Value& value : {Value(100000), Value("1e5"), Value(2.0)}) put_point({value}, 0.001);
  for (const char* typed : {"1e5", "100000", "2", "2.00"}) {
    const CompareAnswer answer = compared(std::string("v=") + typed, "v=2.0");
    EXPECT_EQ(answer.a.jobs, 5U) << typed << ": one value";
  }
}

// A real holds whole numbers up to 2^53.
TEST_F(CompareTest, WholeNumbersThatDifferInTheirLastDigitAreNotPaired) {
  begin("one", {"seed"});
  put_point({9007199254740993}, 0.001);
  begin("other", {"seed"});
  put_point({9007199254740992}, 0.001);
  EXPECT_EQ(compared("one", "other").pairs, 0U);
}

TEST_F(CompareTest, TwoValuesOfAnAxisArePairedInAllOthers) {
  begin("s", {"variant", "m", "threads"});
  for (const int m : {64, 128}) {
    put_point({"blas", m, 1}, 0.001 * m);
    put_point({"onednn", m, 1}, 0.0013 * m);
  }
  put_point({"naive", 64, 1}, 1);
  const CompareAnswer answer = compared("variant=blas", "variant=onednn");
  EXPECT_EQ(answer.pairs, 2U);
  EXPECT_EQ(answer.slower, 2U);
  EXPECT_EQ(answer.verdict, TimeVerdict::slower);
  EXPECT_THAT(answer.differing, ElementsAre("m"));
  EXPECT_EQ(cell(answer, "m", 1), Value(128));
  EXPECT_NEAR(*cell(answer, "ratio").number(), 1.3, 1e-9);
  EXPECT_NEAR(answer.mean_ratio, 1.3, 1e-9);
  ASSERT_EQ(answer.everywhere.size(), 2U);  // threads, cache
  EXPECT_EQ(answer.everywhere[0], std::pair(std::string("threads"), Value(1)));
  EXPECT_EQ(compared("variant=onednn", "variant=blas").verdict, TimeVerdict::faster);
}

// blas has a library and a core type that onednn lacks; the core type is NULL for one of the libraries too.
TEST_F(CompareTest, SettingsOfOneVariantOnlyDoNotKeepPairsApart) {
  begin("s", {"variant", "m", "blas.library", "env.CORE"});
  put_point({"blas", 64, "openblas", "Zen"}, 0.002);
  put_point({"blas", 64, "blis", Value()}, 0.003);
  put_point({"onednn", 64, Value(), Value()}, 0.001);
  const CompareAnswer answer = compared("variant=blas", "variant=onednn");
  EXPECT_EQ(answer.pairs, 2U);
  EXPECT_THAT(answer.differing, ElementsAre("blas.library", "env.CORE"));
  EXPECT_EQ(cell(answer, "blas.library", 1), Value("blis"));
  EXPECT_EQ(answer.faster, 2U);
}

// An axis of texts holds what elsewhere is a truth or nothing; an axis of truths keeps them as 1 and 0.
TEST_F(CompareTest, TextsThatLookLikeSomethingElseCanBeNamed) {
  begin("s", {"env.X", "on"});
  for (const char* text : {"true", "null", "", "1e2", "false"}) put_point({text, 1}, 0.001);
  put_point({"true", 0}, 0.002);
  for (const char* text : {"true", "null", "", "1e2"})
    EXPECT_EQ(compared(std::string("env.X=") + text, "env.X=false").pairs, 1U) << text;
  EXPECT_EQ(compared("on=true", "on=false").pairs, 1U);
  EXPECT_THAT(refused("env.X=maybe", "env.X=true"), IsGolden());
}

TEST_F(CompareTest, ATextOfTwoLinesIsFoundAsItIsPrinted) {
  begin("s", {"v", "w"});
  put_point({"a\nb", 1}, 0.001);
  put_point({"c", 1}, 0.002);
  put_point({"a b", 2}, 0.001);
  put_point({"c", 2}, 0.002);
  EXPECT_EQ(compared("v=a b", "v=c").pairs, 1U) << "as it is written, if there is one";
  begin("t", {"v", "w"});
  put_point({"a\nb", 1}, 0.001);
  put_point({"c", 1}, 0.002);
  EXPECT_EQ(compared("v=a b", "v=c").pairs, 1U);
}

// One point on side A, eight settings on side B, all alike. The point of side A counts once: its weight is
// 1, and that of each partner 1/8. So the interval of the mean is at least 1/sqrt(2) as wide as that of one
// pair, in which both weigh 1, however many partners there are.
TEST_F(CompareTest, APointWithManyPartnersIsNoBetterKnownForThat) {
  begin("s", {"variant", "env.X"});
  put_point({"a", Value()}, 0.001);
  for (int setting = 0; setting < 8; ++setting) put_point({"b", std::to_string(setting)}, 0.001);
  const CompareAnswer answer = compared("variant=a", "variant=b");
  ASSERT_EQ(answer.pairs, 8U);
  const double pair = std::log(*cell(answer, "high").number() / *cell(answer, "low").number());
  const double mean = std::log(answer.mean_bounds.high / answer.mean_bounds.low);
  EXPECT_GT(mean, 0.7 * pair);
  EXPECT_LT(mean, 1.2 * pair);  // fewer degrees of freedom: those of one point
}

// Twelve processes of each, which is what it takes to say `same` where there is nothing else to learn from.
TEST_F(CompareTest, TwoSweepsArePairedByName) {
  begin("old", {"m", "env.X"});
  put_point({64, Value()}, 0.001, nullptr, 12);
  put_point({128, "on"}, 0.002);
  begin("new", {"m"});  // not knowing env.X is leaving it alone
  put_point({64}, 0.001 + 1e-9, nullptr, 12);
  put_point({128}, 0.002);
  const CompareAnswer answer = compared("old", "new");
  EXPECT_EQ(answer.pairs, 1U);
  EXPECT_EQ(answer.verdict, TimeVerdict::same);
  EXPECT_EQ(answer.a.alone, 1U);
  EXPECT_EQ(answer.b.alone, 1U);
}

TEST_F(CompareTest, ASweepAgainstItselfIsTheSame) {
  begin("s", {"m"});
  put_point({64}, 0.001, nullptr, 1);  // one noisy process: not enough on its own
  put_point({128}, 0.5);
  const CompareAnswer answer = compared("s", "s");
  EXPECT_EQ(answer.verdict, TimeVerdict::same);
  EXPECT_EQ(answer.identical, 2U);
  EXPECT_EQ(answer.compared, 0U);
  EXPECT_EQ(answer.mean_ratio, 1);
}

TEST_F(CompareTest, WhatIsNotOkOrGradedBelowIsCountedAndLeftOut) {
  begin("s", {"variant", "m"});
  put_point({"a", 1}, 1, [](AttemptRecord& r) { r.grade = r.process == 0 ? 'C' : 'B'; });
  put_point({"b", 1}, 2);
  put(job({"b", 1}, 1).failed(Outcome::timeout_run, "too long"));
  CompareAnswer answer = compared("variant=a", "variant=b");
  EXPECT_EQ(answer.a.graded_below, 1U);
  EXPECT_EQ(answer.b.failed, 1U);
  EXPECT_EQ(cell(answer, "processes"), Value("4/5"));
  answer = compared("variant=a", "variant=b", [](CompareQuestion& q) { q.worst_grade = 'C'; });
  EXPECT_EQ(cell(answer, "processes"), Value("5/5"));
}

TEST_F(CompareTest, OtherInputsAreAnotherProblem) {
  begin("s", {"m"});
  put_point({64}, 0.001, [](AttemptRecord& r) { r.inputs = "A=aa"; });
  put_point({128}, 0.002, [](AttemptRecord& r) { r.inputs = "A=bb"; });
  const CompareAnswer answer = compared("m=64", "m=128");
  EXPECT_THAT(answer.not_comparable, HasSubstr("the inputs differ in all 1 pairs"));
  EXPECT_THAT(answer.rows, IsEmpty()) << "no number";
  const CompareAnswer forced = compared("m=64", "m=128", [](CompareQuestion& q) { q.other_inputs = true; });
  EXPECT_EQ(forced.not_comparable, "");
  EXPECT_NEAR(forced.mean_ratio, 2, 1e-9);
  EXPECT_THAT(forced.notes, ElementsAre(HasSubstr("inputs differ in 1 of 1 pairs")));
}

TEST_F(CompareTest, PairsWithOtherInputsAreLeftOutWhereOthersAreLeft) {
  begin("s", {"variant", "m"});
  put_point({"a", 1}, 1, [](AttemptRecord& r) { r.inputs = "A=1"; });
  put_point({"a", 2}, 1, [](AttemptRecord& r) { r.inputs = "A=2"; });
  put_point({"b", 1}, 1, [](AttemptRecord& r) { r.inputs = "A=1"; });
  put_point({"b", 2}, 1, [](AttemptRecord& r) { r.inputs = "A=3"; });
  const CompareAnswer answer = compared("variant=a", "variant=b");
  EXPECT_EQ(answer.pairs, 1U);
  EXPECT_EQ(answer.other_inputs, 1U);
}

TEST_F(CompareTest, WhatHasNoPointInCommonIsNotCompared) {
  begin("s", {"m", "n"});
  put_point({64, 1}, 0.001);
  begin("t", {"m", "n"});
  put_point({65, 1}, 0.001);
  EXPECT_THAT(compared("s", "t").not_comparable, HasSubstr("no value of m is in both"));
  begin("empty", {"m"});
  EXPECT_THAT(compared("s", "empty").not_comparable, HasSubstr("B has no time: no job has its outcome"));
  begin("broken", {"m"});
  put(job({64}, 1).failed(Outcome::signal, "died"));
  EXPECT_THAT(compared("broken", "s").not_comparable, HasSubstr("of 1 job 1 failed"));
}

TEST_F(CompareTest, OtherKernelsAreNotCompared) {
  begin("s", {"m"});
  put_point({64}, 0.001);
  SweepRecord other = test::sweep_named("conv", {"m"});
  other.kernel = "conv2d";
  sweep = good(store.begin_sweep(other)).id;
  next = 0;
  put_point({64}, 0.001);
  EXPECT_THAT(compared("s", "conv").not_comparable, HasSubstr("A computes gemm, B conv2d"));
}

TEST_F(CompareTest, HostsAreNotMixedButMayBeCompared) {
  HostRecord first, second;
  first.name = "one", first.cpu = "X", first.fingerprint = digest_of("1");
  second.name = "two", second.cpu = "Y", second.fingerprint = digest_of("2");
  const HostId one = good(store.add_host(first)), two = good(store.add_host(second));
  begin("s", {"m"});
  put_point({64}, 0.001, [&](AttemptRecord& r) { r.host = one; });
  next = 0;
  for (std::uint32_t p = 0; p < 5; ++p) {
    Job made = job({64}, 0.002);
    made.record.attempt.job.host = 2;
    made.record.point = 0;
    made.record.variant = "only";
    made.record.host = two;
    put(made);
  }
  const CompareAnswer answer = compared("host:one", "host:two");
  EXPECT_EQ(answer.pairs, 1U);
  EXPECT_NEAR(answer.mean_ratio, 0.002 / 0.001002, 1e-6);
  EXPECT_THAT(answer.notes, ElementsAre(HasSubstr("host differs in 1 of 1 pairs: name 'one' against 'two'; "
                                                  "cpu 'X' against 'Y'")));
  EXPECT_EQ(compared("s", "s").pairs, 2U) << "each host with itself";
  EXPECT_THAT(refused("host:one", "host:three"), IsGolden());
}

TEST_F(CompareTest, TagsAndCommitsNameTheNewestSweep) {
  for (const char* name : {"first", "second", "third"}) {
    SweepRecord record = test::sweep_named(name, {"m"});
    record.tags = {{"commit", std::string(name) == "third" ? "cafe01" : "beef02"}, {"who", name}};
    sweep = good(store.begin_sweep(record)).id;
    next = 0;
    put_point({64}, 0.001);
  }
  EXPECT_THAT(compared("commit:beef", "tag:who=third").a.text, HasSubstr("second@2"));
  EXPECT_THAT(refused("commit:dead", "third"), IsGolden());
  EXPECT_THAT(refused("tag:who=thrd", "third"), IsGolden());
}

TEST_F(CompareTest, BadSidesSayWhatThereIs) {
  begin("s", {"variant", "threads"});
  put_point({"blas", 1}, 0.001);
  EXPECT_THAT(refused("variant=blas", "threads=1"), IsGolden());
  EXPECT_THAT(refused("variant=blas", "s"), IsGolden());
  EXPECT_THAT(refused("variant=blas", "variant=blass"), IsGolden());
  EXPECT_THAT(refused("thread=1", "thread=2"), IsGolden());
  EXPECT_THAT(refused("threads=null", "threads=1"), IsGolden());
  EXPECT_THAT(refused("s", "t"), IsGolden());
}

TEST_F(CompareTest, WhereUsesTheNamesOfTheView) {
  begin("s", {"variant", "m", "samples", "status"});  // names that other tables have too
  for (const char* variant : {"a", "b"})
    for (const int m : {1, 2, 3}) put_point({variant, m, 7, "x"}, 0.001);
  const auto where = [&](const std::string& sql) { return [=](CompareQuestion& q) { q.where = sql; }; };
  EXPECT_EQ(compared("variant=a", "variant=b", where("m > 1 -- not the small one")).pairs, 2U);
  EXPECT_EQ(compared("variant=a", "variant=b", where("samples = 7 and \"axis.status\" = 'x'")).pairs, 3U);
  EXPECT_THAT(compared("variant=a", "variant=b", where("m > 9")).not_comparable,
              HasSubstr("no row fits --where"));
  Reader r = reader();
  EXPECT_THAT(why(compare(r, r, {.a = side("variant=a"), .b = side("variant=b"), .where = "nowhere = 1"})),
              IsGolden());
}

TEST_F(CompareTest, CachesAreNotMixedButMayBeCompared) {
  begin("s", {"m"});
  put_point({64}, 0.001);
  next = 5;
  for (std::uint32_t p = 0; p < 5; ++p) {
    Job made = job({64}, 0.0025);
    made.record.point = 0;
    made.record.cache = Cache::cold;
    put(made);
  }
  EXPECT_EQ(compared("s", "s").pairs, 2U);
  const CompareAnswer answer = compared("cache=hot", "cache=cold");
  EXPECT_EQ(answer.pairs, 1U);
  EXPECT_EQ(answer.verdict, TimeVerdict::slower);
}

// A program that reports whole milliseconds has points with equal times: they are points nevertheless.
TEST_F(CompareTest, PointsWithEqualTimesAllCount) {
  begin("s", {"variant", "m"});
  for (int m = 0; m < 30; ++m)
    for (const char* variant : {"a", "b"}) put_point({variant, m}, 0.001);
  EXPECT_EQ(compared("variant=a", "variant=b").same, 30U);
}

// One of 40 pairs is 30 % slower: 5 processes a side are too few for ranks to stand out among 40.
TEST_F(CompareTest, OneSlowPairAmongManyIsFound) {
  begin("s", {"variant", "m"});
  for (int m = 0; m < 40; ++m) {
    put_point({"a", m}, 0.001);
    put_point({"b", m}, m == 17 ? 0.0013 : 0.001);
  }
  const CompareAnswer answer = compared("variant=a", "variant=b");
  EXPECT_EQ(answer.slower, 1U);
  EXPECT_EQ(answer.same, 39U);
  EXPECT_EQ(cell(answer, "verdict", 17), Value("SLOWER"));
}

TEST_F(CompareTest, JsonHoldsTheSame) {
  begin("s", {"variant", "m"});
  put_point({"a", 1}, 0.001);
  put_point({"b", 1}, 0.0025);
  Reader r = reader();
  const CompareQuestion question{.a = side("variant=a"), .b = side("variant=b")};
  const auto json = nlohmann::json::parse(to_json(good(compare(r, r, question))));
  EXPECT_EQ(json["verdict"], "SLOWER");
  EXPECT_EQ(json["rows"][0]["verdict"], "SLOWER");
  EXPECT_EQ(json["everywhere"]["m"], 1);
  EXPECT_NEAR(json["mean_ratio"].get<double>(), 2.5, 1e-9);
  EXPECT_EQ(json["margin"], 0.01);
  EXPECT_EQ(json["a"]["points"], 1);
  const CompareQuestion none{.a = side("variant=a"), .b = side("variant=b"), .where = "m > 1"};
  const auto refusal = nlohmann::json::parse(to_json(good(compare(r, r, none))));
  EXPECT_TRUE(refusal.contains("not_comparable"));
  EXPECT_FALSE(refusal.contains("verdict"));
}

TEST_F(CompareTest, TextTellsWhatWasComparedAndWhatWasNot) {
  begin("s", {"variant", "m"});
  for (const int m : {1, 2}) put_point({"a", m}, 0.001), put_point({"b", m}, 0.002);
  put_point({"a", 3}, 0.001);
  Reader r = reader();
  const CompareQuestion question{.a = side("variant=a"), .b = side("variant=b")};
  const std::string text = text_of(good(compare(r, r, question)), question);
  EXPECT_THAT(text, HasSubstr("A  s@1 in "));
  EXPECT_THAT(text, HasSubstr(", variant=b\n"));
  EXPECT_THAT(text, HasSubstr("left out of A (15 jobs, 3 points): 1 point without a partner\n"));
  EXPECT_THAT(text, HasSubstr("2 pairs tested"));
  EXPECT_THAT(text, HasSubstr("SLOWER: 2 slower, 0 undecided, 0 faster, 0 same\n"));
}

}  // namespace
}  // namespace kernsweep
