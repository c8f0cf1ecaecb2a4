// Finds a stored job, and compares it with its replay.
#include "results/report/replay_text.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::Job;
using test::why;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct ReplayTest : test::QueryTest {
  std::string again_path = folder.file("again.db");
  Store again_store = good(Store::open_for_writing(again_path));

  Job measured(double median, std::uint32_t process, std::string_view hash) {
    Job made = job({"blas", 64}, median);
    made.record.point = 5;
    made.record.process = process;
    made.record.output_hash = hash;
    return made;
  }
  // Three processes of point 5 that took `first`, and 0.1 % more and less.
  void put_three(double first, std::string_view hash = "x") {
    std::uint32_t process = 0;
    for (const double factor : {1.0, 1.001, 0.999}) put(measured(first * factor, process++, hash));
  }
  // The replay's own database: the same, `factor` times as long.
  SweepId put_again(double first, std::string_view hash = "x") {
    SweepRecord record = test::sweep_named("s", {"variant", "m"});
    record.identity = digest_of(std::to_string(first));
    const SweepId id = good(again_store.begin_sweep(record)).id;
    std::uint64_t number = 0;
    for (const double factor : {1.0, 1.001, 0.999}) {
      Job made(id, number++, {"blas", 64}, first * factor);
      made.record.output_hash = hash;
      good(again_store.record(made.ready()));
    }
    good(again_store.commit());
    return id;
  }
  ReplayAnswer held(const std::string& which, SweepId id) {
    Reader then = reader(), now = good(Reader::open(again_path));
    job_ = good(stored_job(then, which));
    return good(hold_against(then, job_, now, id, rules_));
  }
  std::string told(const ReplayAnswer& answer) { return text_of(answer, job_, "m=64", rules_); }

  StoredJob job_;
  EvidenceRules rules_;
};

TEST_F(ReplayTest, AStoredJobIsWhatWasStored) {
  begin("s", {"variant", "m"});
  Job made = measured(0.25, 1, "x");
  made.record.cache = Cache::cold;
  made.record.affinity = "0-1";
  made.record.gpus = "GPU-1 X";
  made.record.host = good(store.add_host({.fingerprint = digest_of("h"), .name = "node7", .cpu = "X"}));
  put(std::move(made));
  Reader r = reader();
  for (const char* which : {"1", "s/0", "s@1/0", "/0"}) {
    const StoredJob found = good(stored_job(r, which));
    EXPECT_EQ(found.result, 1u);
    EXPECT_EQ(found.sweep.record.name, "s");
    EXPECT_EQ(found.point, 5u);
    EXPECT_EQ(found.cache, "cold");
    EXPECT_EQ(found.process, 1u);
    EXPECT_TRUE(found.measured());
    EXPECT_EQ(found.key, digest_of("1:0").hex());
    EXPECT_EQ(found.output_hash, "x");
    EXPECT_EQ(found.median_s, 0.25);
    EXPECT_EQ(found.affinity, "0-1");
    EXPECT_EQ(found.gpus, "GPU-1 X");
    EXPECT_EQ(found.host, "node7");
    EXPECT_EQ(found.fingerprint, digest_of("h").hex());
    EXPECT_THAT(found.values, ElementsAre(std::pair("variant", Value("blas")), std::pair("m", Value(64))));
  }
  EXPECT_THAT(why(stored_job(r, "2")), IsGolden());
  EXPECT_THAT(why(stored_job(r, "1x")), IsGolden());
}

// The first attempt crashed; its own ending counts, not that of the job.
TEST_F(ReplayTest, AnAttemptThatWasFollowedByAnotherCanBeNamed) {
  begin("s", {"variant", "m"});
  Job first = measured(0.25, 0, "x");
  first.record.final = false;
  put(first.failed(Outcome::signal, "SIGSEGV"));
  --next;
  Job second = measured(0.25, 0, "x");
  second.record.attempt.number = 2;
  put(std::move(second));
  Reader r = reader();
  const StoredJob crashed = good(stored_job(r, "1"));
  EXPECT_EQ(crashed.status, "signal");
  EXPECT_EQ(crashed.output_hash, "");
  EXPECT_EQ(good(stored_job(r, "2")).status, "ok");
}

// Three processes on either side, 0.1 % apart: 2 % more is far outside what they differ by among
// themselves.
TEST_F(ReplayTest, TheTimeIsJudgedByAllProcessesOfThePoint) {
  begin("s", {"variant", "m"});
  put_three(1e-3);
  const ReplayAnswer same = held("2", put_again(1e-3));
  EXPECT_THAT(same.then.results, ElementsAre(1, 2, 3));
  EXPECT_EQ(same.verdict, TimeVerdict::same);
  EXPECT_EQ(same.bits, BitsVerdict::same);
  EXPECT_EQ(same.then.grades, "AAA");
  EXPECT_DOUBLE_EQ(same.now.median_s, 1e-3);
  EXPECT_THAT(same.changes.rows, IsEmpty());
  EXPECT_THAT(told(same), IsGolden());
  EXPECT_THAT(told(same), IsGolden());
}

// With three processes on a host without other data, 2 % may come from unseen groups.
TEST_F(ReplayTest, SlowerAndFasterAreOfNowOverThen) {
  begin("s", {"variant", "m"});
  put_three(1e-3);
  const ReplayAnswer close = held("1", put_again(1.02e-3));
  EXPECT_EQ(close.verdict, TimeVerdict::undecided);
  EXPECT_EQ(close.time->processes_needed, kBlocksLeast);
  Reader then = reader(), now = good(Reader::open(again_path));
  const SweepId slower = put_again(3e-3), faster = put_again(0.3e-3);
  EXPECT_EQ(good(hold_against(then, job_, now, slower, rules_)).verdict, TimeVerdict::slower);
  EXPECT_EQ(good(hold_against(then, job_, now, faster, rules_)).verdict, TimeVerdict::faster);
}

// Another cache, another point, another host, another sweep: not the same measurement.
TEST_F(ReplayTest, OnlyWhatWasMeasuredLikeItIsHeldAgainstIt) {
  begin("s", {"variant", "m"});
  const HostId other = good(store.add_host({.fingerprint = digest_of("o"), .name = "other"}));
  put(measured(1e-3, 0, "x"));
  for (const int what : {1, 2, 3}) {
    Job made = measured(5e-3, 1, "y");
    if (what == 1) made.record.cache = Cache::cold;
    if (what == 2) made.record.point = 6;
    if (what == 3) made.record.host = other;
    put(std::move(made));
  }
  begin("another", {"variant", "m"});
  put(measured(5e-3, 0, "y"));
  EXPECT_THAT(held("1", put_again(1e-3)).then.results, ElementsAre(1));
}

TEST_F(ReplayTest, OtherBitsAreToldWithBothHashes) {
  begin("s", {"variant", "m"});
  put_three(1e-3, "old");
  const ReplayAnswer answer = held("1", put_again(1e-3, "new"));
  EXPECT_EQ(answer.bits, BitsVerdict::different);
  EXPECT_THAT(told(answer),
              HasSubstr("bits: different: " + std::string("old") + " then, " + "new" + " now\n"));
}

TEST_F(ReplayTest, ProcessesThatDisagreeAmongThemselvesProveNothingAboutTheBits) {
  begin("s", {"variant", "m"});
  put(measured(1e-3, 0, "one"));
  put(measured(1e-3, 1, "two"));
  const ReplayAnswer answer = held("1", put_again(1e-3, "one"));
  EXPECT_EQ(answer.bits, BitsVerdict::unsteady);
  EXPECT_THAT(told(answer), IsGolden());
}

TEST_F(ReplayTest, AJobThatFailedThenOrFailsNowHasNoVerdict) {
  begin("s", {"variant", "m"});
  Job crashed = measured(1e-3, 0, "x");
  put(crashed.failed(Outcome::signal, "SIGSEGV"));
  const ReplayAnswer mended = held("1", put_again(1e-3));
  EXPECT_FALSE(mended.time);
  EXPECT_THAT(told(mended), IsGolden());
  EXPECT_THAT(told(mended), IsGolden());
  EXPECT_THAT(told(mended), IsGolden());
  EXPECT_THAT(to_json(mended, job_, rules_), HasSubstr("\"not_comparable\": "));
  EXPECT_THAT(to_json(mended, job_, rules_), testing::Not(HasSubstr("\"verdict\"")));
}

TEST_F(ReplayTest, WhatIsAnotherAroundItIsToldPropertyByProperty) {
  begin("s", {"variant", "m"});
  Job made = measured(1e-3, 0, "x");
  made.record.environment = "OPENBLAS_CORETYPE=Zen";
  put(std::move(made));
  const ReplayAnswer answer = held("1", put_again(1e-3));
  ASSERT_EQ(answer.changes.rows.size(), 1u);
  EXPECT_EQ(cell(answer.changes, "field"), Value("OPENBLAS_CORETYPE"));
  EXPECT_THAT(told(answer), IsGolden());
}

// Two of three processes then were disturbed, and all now: no verdict but on the bits.
TEST_F(ReplayTest, DoubtfulTimesAreLeftOutUnlessAskedFor) {
  begin("s", {"variant", "m"});
  for (const std::uint32_t process : {0U, 1U, 2U}) {
    Job made = measured(process == 0 ? 1e-3 : 9e-3, process, "x");
    if (process > 0) made.record.grade = 'C';
    put(std::move(made));
  }
  SweepRecord record = test::sweep_named("s", {"variant", "m"});
  const SweepId id = good(again_store.begin_sweep(record)).id;
  for (const std::uint64_t number : {0U, 1U, 2U}) {
    Job made(id, number, {"blas", 64}, 1e-3);
    made.record.output_hash = "x";
    made.record.grade = 'C';
    good(again_store.record(made.ready()));
  }
  good(again_store.commit());
  const ReplayAnswer answer = held("2", id);
  EXPECT_THAT(answer.then.results, ElementsAre(1)) << "a doubtful one was named, the others count";
  EXPECT_EQ(answer.then.doubtful, "CC");
  EXPECT_FALSE(answer.time);
  EXPECT_EQ(answer.bits, BitsVerdict::same);
  EXPECT_EQ(answer.why_no_time,
            "what was measured now is graded below B in all 3 processes; --all-grades uses it anyway");
  EXPECT_THAT(told(answer), IsGolden());
  EXPECT_THAT(told(answer), IsGolden());
  EXPECT_THAT(told(answer), IsGolden());
  Reader then = reader(), now = good(Reader::open(again_path));
  const ReplayAnswer all = good(hold_against(then, job_, now, id, rules_, 'C'));
  EXPECT_THAT(all.then.results, ElementsAre(1, 2, 3));
  EXPECT_TRUE(all.time);
}

// All of now took 3 times as long. The disturbance may have added two thirds of that: nothing is decided.
// Where it may have added 10 % at most, it is slower all the same.
TEST_F(ReplayTest, DisturbedTimesCountWithWhatTheDisturbanceMayHaveAdded) {
  begin("s", {"variant", "m"});
  put_three(1e-3);
  for (const double least : {1e-3, 2.7e-3}) {
    SweepRecord record = test::sweep_named("s", {"variant", "m"});
    record.identity = digest_of(std::to_string(least));
    const SweepId id = good(again_store.begin_sweep(record)).id;
    for (const std::uint64_t number : {0U, 1U, 2U}) {
      Job made(id, number, {"blas", 64}, 3e-3);
      made.record.grade = 'C';
      made.record.doubt_cause = DoubtCause::others;
      made.record.summary->min = least;
      good(again_store.record(made.ready()));
    }
    good(again_store.commit());
    const ReplayAnswer answer = held("1", id);
    EXPECT_EQ(answer.now.disturbed, 3U);
    EXPECT_EQ(answer.now.grades, "CCC");
    EXPECT_EQ(answer.now.doubtful, "");
    EXPECT_EQ(answer.verdict, least < 2e-3 ? TimeVerdict::undecided : TimeVerdict::slower);
    EXPECT_THAT(told(answer), IsGolden());
  }
}

TEST_F(ReplayTest, BoundsThatTellNothingAreToldAsThat) {
  begin("s", {"variant", "m"});
  put(measured(1e-6, 0, "x"));
  put(measured(1e-3, 1, "x"));
  EXPECT_THAT(told(held("1", put_again(1e-4))), IsGolden());
}

// The second sweep takes over the process of the first and measures two more.
TEST_F(ReplayTest, AResultThatWasTakenOverStandsInTheSweepThatIsNamed) {
  begin("old", {"variant", "m"});
  put(measured(1e-3, 0, "x"));
  begin("new", {"variant", "m"});
  const std::vector<Value> values = {"blas", 64};
  ReuseRecord record;
  record.job = {sweep, next++, 0};
  record.point = 5;
  record.values = values;
  record.variant = "blas";
  record.key = digest_of("1:0");
  record.from = ResultId{1};
  good(store.reuse(record));
  for (const std::uint32_t process : {1U, 2U}) put(measured(1e-3 * (1 + 0.001 * process), process, "x"));
  Reader r = reader();
  EXPECT_EQ(good(stored_job(r, "old/0")).sweep.record.name, "old");
  const StoredJob taken = good(stored_job(r, "new/0"));
  EXPECT_EQ(taken.result, 1u);
  EXPECT_EQ(taken.sweep.record.name, "new");
  EXPECT_EQ(taken.output_hash, "x");
  EXPECT_EQ(good(stored_job(r, "1")).sweep.record.name, "new") << "the newest that has it";
  const SweepId again = put_again(1e-3);
  EXPECT_THAT(held("new/0", again).then.results, ElementsAre(1, 2, 3));
  EXPECT_THAT(held("1", again).then.results, ElementsAre(1, 2, 3));
  EXPECT_THAT(held("old/0", again).then.results, ElementsAre(1));
}

TEST_F(ReplayTest, ReasonsForALowerGradeOfTheReplayAreTold) {
  begin("s", {"variant", "m"});
  put(measured(1e-3, 0, "x"));
  SweepRecord record = test::sweep_named("s", {"variant", "m"});
  const SweepId id = good(again_store.begin_sweep(record)).id;
  Job made(id, 0, {"blas", 64}, 1e-3);
  made.record.grade = 'B';
  made.record.grade_reasons = "others kept 0.97 cores of this host busy\nthe clock was not stable";
  good(again_store.record(made.ready()));
  good(again_store.commit());
  const ReplayAnswer answer = held("1", id);
  EXPECT_THAT(answer.now.doubts,
              ElementsAre("others kept 0.97 cores of this host busy", "the clock was not stable"));
  EXPECT_THAT(told(answer), IsGolden());
}

}  // namespace
}  // namespace kernsweep
