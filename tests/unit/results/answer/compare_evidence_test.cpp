// Data that a comparison does not accept as evidence: single processes, measurements that both sides share,
// other measuring rules, mixed software.
#include <nlohmann/json.hpp>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/answer/compare_fixture.hpp"

namespace kernsweep {
namespace {

using test::CompareTest;
using test::good;
using test::Job;
using test::side;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct CompareEvidence : CompareTest {
  // A sweep `name` of the point m=64: it takes over the results of `taken`, and measures `own` more
  // processes of its own around `median`.
  void begin_taking(const std::string& name, const std::vector<std::uint64_t>& taken, std::uint32_t own,
                    double median) {
    begin(name, {"m"});
    const std::vector<Value> values = {64};
    for (const std::uint64_t result : taken) {
      ReuseRecord record;
      record.job = {sweep, next, 0};
      record.values = values;
      record.variant = "only";
      record.key = digest_of(name + std::to_string(next++));
      record.from = ResultId{result};
      good(store.reuse(record));
    }
    for (std::uint32_t p = 0; p < own; ++p) {
      Job made = job(values, median * (1 + 0.001 * p));
      made.record.point = 0;
      made.record.variant = "only";
      put(made);
    }
  }
  std::string told(const std::string& a, const std::string& b) {
    Reader r = reader();
    const CompareQuestion question{.a = side(a), .b = side(b)};
    return text_of(good(compare(r, r, question)), question);
  }
};

TEST_F(CompareEvidence, ASingleProcessIsUndecidedAndTheTextSaysWhatHelps) {
  begin("s", {"variant", "m"});
  put_point({"a", 1}, 0.001, nullptr, 1);
  put_point({"b", 1}, 0.1, nullptr, 5);
  put_point({"a", 2}, 0.001, nullptr, 12);  // so many say `same` with nothing to learn from
  put_point({"b", 2}, 0.001 + 1e-9, nullptr, 12);
  const CompareAnswer answer = compared("variant=a", "variant=b");
  EXPECT_EQ(answer.undecided, 1U);
  EXPECT_EQ(answer.same, 1U);
  EXPECT_EQ(answer.single, 1U);
  EXPECT_EQ(answer.verdict, TimeVerdict::undecided);
  EXPECT_THAT(told("variant=a", "variant=b"), IsGolden());
  EXPECT_THAT(told("variant=a", "variant=b"), IsGolden());
  EXPECT_THAT(told("s", "s"), testing::Not(HasSubstr("single"))) << "the same measurements";
}

// The spread of all points is equal: 0.158 % of a process, known from 80 of five, so that a pair's ratio
// has a standard error of some 0.1 %. 1.3 % are beyond the margin by nearly three of them, which is p < 1 %
// for one pair and not for forty. The required number is given for all forty, and with that many the pair
// is decided.
TEST_F(CompareEvidence, WhatOnlyTheNumberOfPairsLeavesOpenSaysHowManyProcessesItTakes) {
  const auto measure = [&](const std::string& name, std::uint32_t processes_of_the_first) {
    begin(name, {"variant", "m"});
    for (int m = 0; m < 40; ++m) {
      const std::uint32_t processes = m == 0 ? processes_of_the_first : 5;
      put_point({"a", m}, 1e-3, nullptr, processes);
      put_point({"b", m}, m == 0 ? 1.014e-3 : 1e-3 + 1e-9, nullptr, processes);
    }
  };
  const auto asked = [&](const char* where) {
    return compared("variant=a", "variant=b", [&](CompareQuestion& q) { q.where = where; });
  };
  measure("s", 5);
  EXPECT_EQ(asked("m = 0").verdict, TimeVerdict::slower);
  const CompareAnswer many = asked("");
  ASSERT_EQ(many.pairs, 40U);
  EXPECT_EQ(cell(many, "verdict"), Value("UNDECIDED"));
  const Value needed = cell(many, "processes_needed");
  ASSERT_FALSE(needed.is_null());
  EXPECT_GT(*needed.integer(), 5);
  EXPECT_LT(*needed.integer(), 20);
}

TEST_F(CompareEvidence, OfOnePairThereIsOneInterval) {
  begin("s", {"variant"});
  put_point({"a"}, 0.001, nullptr, 3);
  put_point({"b"}, 0.003, nullptr, 3);
  const CompareAnswer answer = compared("variant=a", "variant=b");
  EXPECT_EQ(Value(answer.mean_ratio), cell(answer, "ratio"));
  EXPECT_EQ(Value(answer.mean_bounds.low), cell(answer, "low"));
  EXPECT_EQ(Value(answer.mean_bounds.high), cell(answer, "high"));
  EXPECT_THAT(told("variant=a", "variant=b"), IsGolden());
}

TEST_F(CompareEvidence, AValueWithLineBreaksStaysOnItsLine) {
  begin("s", {"word", "other"});
  put_point({"x\ny", "1\n2"}, 0.001);
  put_point({"z", "1\n2"}, 0.002);
  EXPECT_THAT(told("word=x\ny", "word=z"), IsGolden());
}

// Results 1 to 3 are of the first sweep; the second takes over 2 and 3 and measures 4 and 5, twice as slow.
// Left are 1 against 4 and 5, which is too few. Two against four are enough.
TEST_F(CompareEvidence, WhatBothSidesHoldIsLeftOutOnBoth) {
  begin_taking("old", {}, 3, 0.001);
  begin_taking("new", {2, 3}, 2, 0.002);
  const CompareAnswer few = compared("old", "new");
  EXPECT_EQ(cell(few, "processes"), Value("1/2"));
  EXPECT_EQ(few.shared, 2U);
  EXPECT_EQ(few.shared_pairs, 1U);
  EXPECT_EQ(few.verdict, TimeVerdict::undecided);
  EXPECT_EQ(cell(few, "a_result"), Value(1));
  EXPECT_EQ(cell(few, "b_result"), Value(4)) << "the first of its own";
  EXPECT_EQ(cell(few, "b_median_s"), Value((0.002 + 0.002 * 1.001) / 2)) << "without the shared ones";
  EXPECT_THAT(told("old", "new"), IsGolden());
  // 2 and 3 against 6 to 9. The point of `more` has processes of 1 and of 2 ms: they differ as much here.
  begin_taking("more", {1}, 4, 0.002);
  const CompareAnswer answer = compared("old", "more");
  EXPECT_EQ(cell(answer, "processes"), Value("2/4"));
  EXPECT_EQ(answer.verdict, TimeVerdict::undecided);
}

TEST_F(CompareEvidence, ASideWithNothingOfItsOwnIsNotComparable) {
  begin_taking("old", {}, 3, 0.001);
  begin_taking("new", {1, 2, 3}, 2, 0.002);
  EXPECT_THAT(compared("old", "new").not_comparable,
              HasSubstr("in all 1 pairs of points one side has no measurements of its own"));
  begin_taking("again", {1, 2, 3}, 0, 0);
  const CompareAnswer same = compared("old", "again");
  EXPECT_EQ(same.identical, 1U);
  EXPECT_EQ(same.verdict, TimeVerdict::same);
}

TEST_F(CompareEvidence, PairsWithoutOwnMeasurementsAreLeftOutBesideOthers) {
  begin_taking("old", {}, 3, 0.001);
  put_point({128}, 0.001, nullptr, 12);
  begin_taking("new", {1, 2, 3}, 2, 0.002);
  put_point({128}, 0.001 + 1e-9, nullptr, 12);
  const CompareAnswer answer = compared("old", "new");
  EXPECT_EQ(answer.pairs, 1U);
  EXPECT_EQ(answer.nothing_own, 1U);
  EXPECT_EQ(answer.verdict, TimeVerdict::same);
  EXPECT_THAT(told("old", "new"), IsGolden());
}

// Two stores of one sweep with three processes each: the times of measurement show whether one is a copy of
// the other. Equal numbers of results in two files do not.
struct CompareFiles : CompareEvidence {
  std::string other_path = folder.file("other.db");

  void measure(Store& into, double at) {
    const SweepId id = good(into.begin_sweep(test::sweep_named("s", {"m"}))).id;
    for (std::uint32_t p = 0; p < 3; ++p) {
      Job made(id, p, {64}, 0.001 * (1 + 0.001 * p));
      made.record.point = 0;
      made.record.process = p;
      made.record.variant = "only";
      made.record.finished_unix_s = at + p;
      good(into.record(made.ready()));
    }
    good(into.commit());
  }
  CompareAnswer files() {
    Reader here = good(Reader::open(path)), there = good(Reader::open(other_path));
    return good(compare(here, there, {.a = side("s"), .b = side("s")}));
  }
};

TEST_F(CompareFiles, AMeasurementThatIsInACopyTooIsOne) {
  measure(store, 1000);
  { const Store closed = std::move(store); }
  std::filesystem::copy_file(path, other_path);
  const CompareAnswer answer = files();
  EXPECT_EQ(answer.compared, 0U);
  EXPECT_EQ(answer.identical, 1U);
  EXPECT_EQ(answer.verdict, TimeVerdict::same);
}

// The copy continues: two of its five processes are its own.
TEST_F(CompareFiles, WhatACopyHasMeasuredSinceIsItsOwn) {
  measure(store, 1000);
  { const Store closed = std::move(store); }
  std::filesystem::copy_file(path, other_path);
  store = good(Store::open_for_writing(other_path));
  begin("s", {"m"});
  next = 3;
  for (std::uint32_t p = 3; p < 5; ++p) {
    Job made = job({64}, 0.002 * (1 + 0.001 * p));
    made.record.point = 0;
    made.record.process = p;
    made.record.variant = "only";
    made.record.finished_unix_s = 2000 + p;
    put(made);
  }
  good(store.commit());
  EXPECT_THAT(files().not_comparable, HasSubstr("one side has no measurements of its own"));
}

TEST_F(CompareFiles, EqualNumbersOfResultsInTwoFilesAreTwoMeasurements) {
  measure(store, 1000);
  Store other = good(Store::open_for_writing(other_path));
  measure(other, 5000);
  const CompareAnswer answer = files();
  EXPECT_EQ(answer.shared, 0U);
  EXPECT_EQ(answer.identical, 0U);
  EXPECT_EQ(answer.compared, 1U);
}

TEST_F(CompareEvidence, AnotherMetricIsNotComparable) {
  const auto with = [](const char* metric) {
    return [metric](AttemptRecord& record) { record.conditions.emplace().metric = metric; };
  };
  begin("many", {"m"});
  put_point({64}, 0.001, with("throughput"));
  begin("single", {"m"});
  put_point({64}, 0.001, with("latency"));
  begin("unknown", {"m"});
  put_point({64}, 0.001);
  const CompareAnswer answer = compared("many", "single");
  EXPECT_THAT(answer.not_comparable, HasSubstr("A was measured with metric throughput, B with latency"));
  EXPECT_THAT(answer.rows, IsEmpty());
  EXPECT_EQ(compared("single", "single").not_comparable, "");
  EXPECT_EQ(compared("many", "unknown").not_comparable, "") << "too short to be watched";
}

// m=1: A has both, B the old one: both are compared with that. m=3: both have both: old to old, fresh to
// fresh. So 2 + 1 + 2 pairs.
TEST_F(CompareEvidence, TimesOfContradictingSoftwareAreNeverTakenTogether) {
  SoftwareRecord one, two;
  one.version = "1", one.identity = digest_of("1");
  two.version = "2", two.identity = digest_of("2");
  const SoftwareId old = good(store.add_software(one)), fresh = good(store.add_software(two));
  begin("s", {"variant", "m"});
  put_point({"a", 1}, 0.001, [&](AttemptRecord& r) { r.software = r.process < 3 ? old : fresh; });
  put_point({"a", 2}, 0.001, [&](AttemptRecord& r) { r.software = old; });
  for (const int m : {1, 2}) put_point({"b", m}, 0.001, [&](AttemptRecord& r) { r.software = old; });
  for (const char* variant : {"a", "b"})
    put_point({variant, 3}, 0.001, [&](AttemptRecord& r) { r.software = r.process < 3 ? old : fresh; });
  const CompareAnswer answer = compared("variant=a", "variant=b");
  EXPECT_EQ(answer.pairs, 5U);
  EXPECT_EQ(cell(answer, "software", 0), Value("1/1"));
  EXPECT_EQ(cell(answer, "processes", 0), Value("3/5"));
  EXPECT_EQ(cell(answer, "software", 1), Value("2/1"));
  EXPECT_EQ(cell(answer, "processes", 1), Value("2/5"));
  EXPECT_THAT(answer.notes,
              ElementsAre(HasSubstr("software differs in 1 of 5 pairs"),
                          HasSubstr("2 of 3 points of A were measured by more than one software"),
                          HasSubstr("1 of 3 points of B was measured by more than one software")));
}

TEST_F(CompareEvidence, SoftwareThatOnlyLoadsMoreLibrariesIsOne) {
  SoftwareRecord one, two;
  one.libraries = "/l/c\tc\t-\t1\tx\t-", one.identity = digest_of("1");
  two.libraries = one.libraries + "\n/l/tbb\ttbb\t-\t1\ty\t-", two.identity = digest_of("2");
  const SoftwareId few = good(store.add_software(one)), more = good(store.add_software(two));
  begin("s", {"variant", "m"});
  for (const char* variant : {"a", "b"})
    put_point({variant, 1}, 0.001, [&](AttemptRecord& r) { r.software = r.process < 3 ? few : more; });
  const CompareAnswer answer = compared("variant=a", "variant=b");
  EXPECT_EQ(answer.pairs, 1U);
  EXPECT_EQ(cell(answer, "processes"), Value("5/5"));
}

// `git describe` gives twelve digits, behind a tag with -g before them.
TEST_F(CompareEvidence, ACommitIsThatOfTheSoftwareWhereNoSweepIsTaggedWithIt) {
  std::uint32_t number = 0;
  const auto software = [&](const std::string& git) {
    SoftwareRecord record;
    record.git = git;
    record.identity = digest_of(std::to_string(++number));
    return good(store.add_software(record));
  };
  const SoftwareId old = software("cafe01234567+changes"), fresh = software("v1.2-3-gbeef01234567");
  begin("first", {"m"});
  put_point({64}, 0.001, [&](AttemptRecord& r) { r.software = old; });
  begin("second", {"m"});
  put_point({64}, 0.002, [&](AttemptRecord& r) { r.software = r.process < 2 ? old : fresh; });
  const CompareAnswer answer = compared("commit:cafe", "commit:beef0");
  EXPECT_THAT(answer.a.text, HasSubstr("second@2"));
  EXPECT_THAT(answer.a.text, HasSubstr("measured by software of commit cafe"));
  EXPECT_EQ(cell(answer, "processes"), Value("2/3")) << "only the rows of that software";
  EXPECT_EQ(compared("commit:beef01234567890123", "first").a.jobs, 3U) << "a whole hash is longer";
  EXPECT_THAT(refused("commit:0123", "first"), IsGolden());
  SweepRecord tagged = test::sweep_named("third", {"m"});
  tagged.tags = {{"commit", "cafe99"}};
  sweep = good(store.begin_sweep(tagged)).id;
  next = 0;
  put_point({64}, 0.001);
  EXPECT_THAT(compared("commit:cafe", "first").a.text, HasSubstr("third@3")) << "a tag comes first";
}

TEST_F(CompareEvidence, JsonCountsWhatIsNoEvidence) {
  begin_taking("old", {}, 3, 0.001);
  begin_taking("new", {2, 3}, 2, 0.002);
  Reader r = reader();
  const CompareQuestion question{.a = side("old"), .b = side("new")};
  const auto json = nlohmann::json::parse(to_json(good(compare(r, r, question))));
  EXPECT_EQ(json["shared"], 2);
  EXPECT_EQ(json["shared_pairs"], 1);
  EXPECT_EQ(json["nothing_own"], 0);
  EXPECT_EQ(json["single_process"], 1);
}

// Values that a database stores as 1 and 0, or as text, are paired by their form in the file.
TEST_F(CompareTest, TruthsAndWordsOfNumbersArePairedWithWhatTheyMean) {
  const auto filled = [&](const std::string& name, StandsFor what, const std::vector<Value>& values) {
    SweepRecord record = test::sweep_named(name, {"k"});
    record.stands_for = {what};
    begin(record);
    for (const Value& value : values) put_point({value}, 0.001);
  };
  filled("truths", StandsFor::truth, {1, 0});
  filled("with_auto", StandsFor::itself, {"true", "false", "auto"});
  filled("numbers", StandsFor::itself, {1, 2});
  filled("same_truths", StandsFor::truth, {0, 1});
  filled("spelled", StandsFor::itself, {"2", "2.0"});
  filled("words", StandsFor::real_number, {"0.1", "2.50"});
  filled("reals", StandsFor::itself, {0.1, 2.5});
  filled("text", StandsFor::itself, {"0.1", "2.50"});
  filled("other_words", StandsFor::real_number, {"0.10", "2.5"});
  std::string notes;
  const auto pairs = [&](const std::string& a, const std::string& b) {
    const CompareAnswer answer = compared(a, b);
    notes += a + ", " + b + "\n";
    for (const std::string& note : answer.notes) notes += "  " + note + "\n";
    return answer.pairs;
  };
  EXPECT_EQ(pairs("truths", "with_auto"), 2U);
  EXPECT_EQ(pairs("with_auto", "truths"), 2U);
  EXPECT_EQ(pairs("truths", "numbers"), 1U);
  EXPECT_EQ(pairs("truths", "same_truths"), 2U);
  EXPECT_EQ(pairs("numbers", "spelled"), 1U) << "of two spellings the one that is equal";
  EXPECT_EQ(pairs("words", "reals"), 2U);
  EXPECT_EQ(pairs("reals", "words"), 2U);
  EXPECT_EQ(pairs("text", "reals"), 1U) << "text that was meant as text";
  EXPECT_EQ(pairs("words", "other_words"), 2U);
  EXPECT_THAT(notes, IsGolden());
}

// The command of a sweep has a place for each axis that it uses.
TEST_F(CompareTest, CommandsOfOneProgramAreCompared) {
  const auto filled = [&](const std::string& kernel, std::vector<std::string> columns) {
    const std::size_t parameters = columns.size();
    columns.emplace_back("command");
    SweepRecord record = test::sweep_named(kernel, columns);
    record.parameter_count = parameters;
    record.kernel = kernel;
    begin(record);
    put_point(parameters == 1 ? std::vector<Value>{1, "c"} : std::vector<Value>{1, "x", "c"}, 0.001);
  };
  filled("a {n}", {"n"});
  filled("a {n} {e}", {"n", "e"});
  filled("b {n}", {"n"});
  const CompareAnswer answer = compared("a {n}", "a {n} {e}");
  EXPECT_EQ(answer.pairs, 1U);
  EXPECT_THAT(answer.notes, ElementsAre(testing::_, IsGolden()));
  EXPECT_THAT(compared("a {n}", "b {n}").not_comparable, IsGolden());
  filled("python3 a.py {n}", {"n"});
  filled("python3 a.py {n} {e}", {"n", "e"});
  filled("python3 b.py {n}", {"n"});
  EXPECT_EQ(compared("python3 a.py {n}", "python3 a.py {n} {e}").pairs, 1U);
  EXPECT_NE(compared("python3 a.py {n}", "python3 b.py {n}").not_comparable, "");
}

}  // namespace
}  // namespace kernsweep
