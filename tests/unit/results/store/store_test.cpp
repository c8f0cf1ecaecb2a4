#include "results/store/store.hpp"

#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using test::answered_runs;
using test::asked;
using test::Folder;
using test::good;
using test::Job;
using test::Runs;
using test::sweep_named;
using test::why;

struct StoreTest : testing::Test {
  Folder folder;
  std::string path = folder.file("r.db");
  Store store = good(Store::open_for_writing(path));

  SweepId sweep(const std::string& name, std::vector<std::string> columns) {
    return good(store.begin_sweep(sweep_named(name, std::move(columns)))).id;
  }
  Recorded put(Job job) { return good(store.record(job.ready())); }
  void commit() { good(store.commit()); }
};

TEST_F(StoreTest, AJobIsShownUnderTheNamesOfItsSweep) {
  const SweepId id = sweep("gemm-first-look", {"variant", "threads", "env.OPENBLAS_CORETYPE"});
  const HostId host = good(store.add_host({.fingerprint = digest_of("h"), .name = "node7"}));
  Job job(id, 0, {"blas", 4, "SkylakeX"}, 0.25);
  job.record.host = host;
  job.record.output_hash = "abcd";
  put(job);
  commit();
  EXPECT_EQ(
      asked(path, "select threads, variant, median_s, \"env.OPENBLAS_CORETYPE\" from \"gemm-first-look\""),
      "4|blas|0.25|SkylakeX");
  EXPECT_EQ(asked(path,
                  "select sweep, point, job, attempt, kernel, variant, host, status, grade, median_s, "
                  "output_hash, cache, process, reused from results"),
            "gemm-first-look|0|0|1|gemm|blas|node7|ok|A|0.25|abcd|hot|0|0");
  EXPECT_EQ(asked(path, "select params from results"),
            R"({"variant":"blas","threads":4,"env.OPENBLAS_CORETYPE":"SkylakeX"})");
}

TEST_F(StoreTest, ValuesKeepTheirKindAndNullIsNull) {
  const SweepId id = sweep("kinds", {"a", "b", "c", "d", "e"});
  put(Job(id, 0, {Value(), true, 12, 0.5, "12"}));
  commit();
  EXPECT_EQ(asked(path, "select typeof(a), typeof(b), b, typeof(c), typeof(d), typeof(e) from kinds"),
            "null|integer|1|integer|real|text");
  EXPECT_EQ(asked(path, "select params from results"), R"({"b":1,"c":12,"d":0.5,"e":"12"})");
}

TEST_F(StoreTest, NothingIsSeenBeforeTheCommit) {
  const SweepId id = sweep("s", {"a"});
  put(Job(id, 0, {1}));
  EXPECT_EQ(asked(path, "select count(*) from s"), "0");
  commit();
  EXPECT_EQ(asked(path, "select count(*) from s"), "1");
}

TEST_F(StoreTest, WhatWasNotCommittedIsGoneAfterClosing) {
  const SweepId id = sweep("s", {"a"});
  put(Job(id, 0, {1}));
  commit();
  put(Job(id, 1, {2}));
  { const Store closed = std::move(store); }
  EXPECT_EQ(asked(path, "select group_concat(job) from s"), "0");
}

TEST_F(StoreTest, ASecondOutcomeOfAJobIsIgnored) {
  const SweepId id = sweep("s", {"a"});
  EXPECT_EQ(put(Job(id, 7, {1}, 0.5)), Recorded::stored);
  Job late(id, 7, {1}, 0.125);
  late.record.attempt.number = 2;
  EXPECT_EQ(put(late), Recorded::already_answered);
  late.record.final = false;
  EXPECT_EQ(put(late), Recorded::already_answered);
  commit();
  EXPECT_EQ(asked(path, "select median_s, attempt from s"), "0.5|1");
  EXPECT_EQ(asked(path, "select count(*) from attempt"), "1");
  EXPECT_EQ(asked(path, "select count(*) from sample"), "1");
}

TEST_F(StoreTest, AJobOfEachHostHasAnOutcomeOfItsOwn) {
  const SweepId id = sweep("s", {"a"});
  for (std::uint32_t host : {1U, 2U}) {
    Job job(id, 0, {1});
    job.record.attempt.job.host = host;
    EXPECT_EQ(put(job), Recorded::stored);
    EXPECT_EQ(put(job), Recorded::already_answered);
  }
  EXPECT_EQ(answered_runs(store, id), (Runs{{1, 0, 0}, {2, 0, 0}}));
}

TEST_F(StoreTest, AttemptsAfterWhichTheJobWasTriedAgainAreKept) {
  const SweepId id = sweep("s", {"a"});
  Job first(id, 0, {1});
  first.failed(Outcome::worker_lost, "worker 3 went silent").record.final = false;
  EXPECT_EQ(put(first), Recorded::stored);
  EXPECT_EQ(put(first), Recorded::already_answered);  // the same attempt, sent twice
  Job second(id, 0, {1});
  second.record.attempt.number = 2;
  EXPECT_EQ(put(second), Recorded::stored);
  commit();
  EXPECT_EQ(asked(path, "select attempt, status, final, reason from attempt order by attempt"),
            "1|worker_lost|0|worker 3 went silent\n2|ok|1|null");
  EXPECT_EQ(asked(path, "select status, attempts from job"), "ok|2");
}

TEST_F(StoreTest, AnOutcomeThatOnlySaysNotTriedGivesWay) {
  const SweepId id = sweep("s", {"a"});
  for (const Outcome outcome :
       {Outcome::unplaceable, Outcome::cancelled, Outcome::skipped, Outcome::worker_lost}) {
    Job job(id, 0, {1});
    job.failed(outcome, "because");
    EXPECT_EQ(put(job), Recorded::stored) << name_of(outcome);
    EXPECT_EQ(answered_runs(store, id), Runs()) << name_of(outcome);
  }
  EXPECT_EQ(put(Job(id, 0, {1})), Recorded::stored);
  EXPECT_EQ(answered_runs(store, id), (Runs{{0, 0, 0}}));
  commit();
  EXPECT_EQ(asked(path, "select status from s"), "ok");
  EXPECT_EQ(asked(path, "select count(*), sum(final) from attempt"), "5|1");
}

TEST_F(StoreTest, OtherFailuresAreAnswers) {
  const SweepId id = sweep("s", {"a"});
  put(Job(id, 0, {1}).failed(Outcome::signal, "SIGSEGV"));
  EXPECT_EQ(answered_runs(store, id), (Runs{{0, 0, 0}}));
  EXPECT_EQ(put(Job(id, 0, {1})), Recorded::already_answered);
  commit();
  EXPECT_EQ(asked(path, "select status, reason, median_s, grade from s"), "signal|SIGSEGV|null|null");
}

TEST_F(StoreTest, AnsweredJobsAreRunsOfIndices) {
  const SweepId id = sweep("s", {"a"});
  for (const std::uint64_t job : {0, 1, 2, 5, 6, 9}) put(Job(id, job, {1}));
  EXPECT_EQ(answered_runs(store, id), (Runs{{0, 0, 2}, {0, 5, 6}, {0, 9, 9}}));
}

TEST_F(StoreTest, RunsOfSeveralHostsDoNotMix) {
  const SweepId id = sweep("s", {"a"});
  // Host 1 has 0 1 2, host 4 has 0 2: stored by job, then by host.
  for (const auto& [job_number, host] : {std::pair{0, 1}, {0, 4}, {1, 1}, {2, 1}, {2, 4}}) {
    Job job(id, static_cast<std::uint64_t>(job_number), {1});
    job.record.attempt.job.host = static_cast<std::uint32_t>(host);
    put(job);
  }
  Runs runs = answered_runs(store, id);
  std::sort(runs.begin(), runs.end());
  EXPECT_EQ(runs, (Runs{{1, 0, 2}, {4, 0, 0}, {4, 2, 2}}));
}

TEST_F(StoreTest, TheNextAttemptIsLargerThanAnyStored) {
  const SweepId id = sweep("s", {"a"});
  const auto next = [&] {
    return good(store.earlier(
                    id, [](auto&) {}, [](auto&, bool) {}))
        .next_attempt;
  };
  EXPECT_EQ(next(), 1U);
  Job first(id, 0, {1});
  first.record.attempt.number = 3;
  put(first);
  EXPECT_EQ(next(), 4U);  // 3 + 1
  Job lost(id, 1, {1});
  lost.failed(Outcome::worker_lost, "gone").record.final = false;
  lost.record.attempt.number = 7;
  put(lost);
  EXPECT_EQ(next(), 8U);  // also of a job without an outcome
  Job other(sweep("other", {"a"}), 0, {1});
  other.record.attempt.number = 20;
  put(other);
  EXPECT_EQ(next(), 8U);  // of this sweep only
}

TEST_F(StoreTest, AttemptsThatAreSpentAreTold) {
  const SweepId id = sweep("s", {"a"});
  const auto store_one = [&](std::uint64_t index, std::uint32_t number, Outcome outcome, bool final) {
    Job job(id, index, {1});
    if (outcome != Outcome::ok) job.failed(outcome, "why");
    job.record.attempt.number = number;
    job.record.final = final;
    put(job);
  };
  store_one(0, 1, Outcome::ok, true);
  store_one(1, 1, Outcome::worker_lost, false);
  store_one(2, 1, Outcome::cancelled, true);
  store_one(2, 2, Outcome::worker_lost, true);  // of a later life, instead of the one before
  store_one(3, 2, Outcome::unplaceable, true);
  std::set<std::tuple<std::uint64_t, std::uint32_t, bool>> told;
  (void)good(store.earlier(
      id, [](auto&) {},
      [&](const AttemptId& attempt, bool outcome) {
        EXPECT_EQ(attempt.job.sweep, id);
        told.emplace(attempt.job.index, attempt.number, outcome);
      }));
  EXPECT_EQ(told, (std::set<std::tuple<std::uint64_t, std::uint32_t, bool>>{
                      {1, 1, false}, {2, 1, false}, {2, 2, true}, {3, 2, true}}));
}

TEST_F(StoreTest, TheSameSweepIsFoundAgainUnlessAskedForAnew) {
  const SweepRecord record = sweep_named("s", {"a"});
  const auto first = good(store.begin_sweep(record));
  const auto second = good(store.begin_sweep(record));
  const auto anew = good(store.begin_sweep(record, true));
  const auto after = good(store.begin_sweep(record));
  EXPECT_FALSE(first.existed);
  EXPECT_TRUE(second.existed);
  EXPECT_EQ(second.id, first.id);
  EXPECT_FALSE(anew.existed);
  EXPECT_NE(anew.id, first.id);
  EXPECT_EQ(after.id, anew.id);
}

TEST_F(StoreTest, ASweepComesBackAsItWasGiven) {
  SweepRecord record = sweep_named("s", {"variant", "m", "flops"});
  record.parameter_count = 2;
  record.replacements = "-a\nthreads=[1]";
  record.tags = {{"owner", "infra"}, {"why", "it's \"quoted\""}};
  record.seed = ~std::uint64_t{0};
  record.raw_points = 100'000'000;
  record.raw_jobs = 300'000'000;
  record.processes = 3;
  record.quick = true;
  record.started_unix_s = 1e9;
  const SweepId id = good(store.begin_sweep(record)).id;
  put(Job(id, 0, {"naive", 1, 2}));
  put(Job(id, 1, {"naive", 1, 2}).failed(Outcome::signal, "x"));
  good(store.finish_sweep(id, SweepState::stopped, 2e9));
  const auto found = good(store.sweep(id));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->state, SweepState::stopped);
  EXPECT_EQ(found->answered_jobs, 2U);
  EXPECT_EQ(found->accepted_jobs, 1U);
  const SweepRecord& got = found->record;
  EXPECT_EQ(
      std::tie(got.name, got.kernel, got.file, got.text, got.replacements, got.tags, got.columns, got.seed),
      std::tie(record.name, record.kernel, record.file, record.text, record.replacements, record.tags,
               record.columns, record.seed));
  EXPECT_EQ(
      std::tie(got.parameter_count, got.raw_points, got.raw_jobs, got.processes, got.quick, got.identity),
      std::tie(record.parameter_count, record.raw_points, record.raw_jobs, record.processes, record.quick,
               record.identity));
  EXPECT_FALSE(good(store.sweep(SweepId{99})));
}

TEST_F(StoreTest, AReusedResultIsARowOfBothSweeps) {
  const SweepId old = sweep("old", {"variant", "a"});
  Job job(old, 3, {"blas", 5}, 0.5);
  job.record.host = good(store.add_host({.fingerprint = digest_of("h"), .name = "node7"}));
  put(job);
  const SweepId fresh = sweep("new", {"a", "b", "variant"});
  commit();
  const auto measured = [&] {
    EarlierResults earlier = good(EarlierResults::read(path, "gemm", fresh));
    EXPECT_EQ(earlier.origins().size(), 1U);
    EXPECT_FALSE(earlier.find(job.record.key)) << "no origin is allowed at first";
    earlier.allow(0);
    const auto found = earlier.find(job.record.key);
    return found ? std::optional(found->result) : std::nullopt;
  };
  ASSERT_TRUE(measured());
  const ResultId first = *measured();
  const std::vector<Value> values = {5, Value(), "blas"};
  const ReuseRecord again{
      .job = {fresh, 8, 0}, .point = 8, .values = values, .key = job.record.key, .from = first};
  EXPECT_EQ(good(store.reuse(again)), Recorded::stored);
  EXPECT_EQ(good(store.reuse(again)), Recorded::already_answered);
  commit();
  EXPECT_EQ(asked(path,
                  "select variant, a, b, median_s, host, status, grade, reused, attempt, "
                  "result = (select result from old) from new"),
            "blas|5|null|0.5|node7|ok|A|1|0|1");
  EXPECT_EQ(measured(), first) << "the copy does not count";
  EXPECT_EQ(answered_runs(store, fresh), (Runs{{0, 8, 8}}));
}

TEST_F(StoreTest, OnlyAcceptedResultsCanBeReused) {
  const SweepId id = sweep("s", {"a"});
  put(Job(id, 0, {1}).failed(Outcome::signal, "x"));
  const std::vector<Value> values = {1};
  EXPECT_THAT(why(store.reuse({.job = {id, 1, 0}, .values = values, .from = ResultId{1}})),
              testing::HasSubstr("no accepted result 1"));
  EXPECT_FALSE(store.reuse({.job = {id, 1, 0}, .values = values, .from = ResultId{77}}));
  commit();
  EXPECT_EQ(asked(path, "select count(*) from s"), "1");  // the batch continued
}

TEST_F(StoreTest, HostsSoftwareAndInputsAreFoundByIdentity) {
  const HostRecord host{.fingerprint = digest_of("h"), .name = "n", .cores = 2, .memory_bytes = 1ULL << 33};
  EXPECT_EQ(good(store.add_host(host)), good(store.add_host(host)));
  EXPECT_NE(good(store.add_host({.fingerprint = digest_of("other")})), good(store.add_host(host)));
  const SoftwareRecord software{.identity = digest_of("s"), .version = "0.1.0"};
  EXPECT_EQ(good(store.add_software(software)), good(store.add_software(software)));
  const InputRecord input{.hash = digest_of("A"), .name = "A", .bytes = 64};
  good(store.add_input(input));
  good(store.add_input(input));
  EXPECT_EQ(asked(path, "select name, cores, memory_bytes from host where id = 1"), "n|2|8589934592");
  EXPECT_EQ(asked(path, "select count(*) from host"), "2");
  EXPECT_EQ(asked(path, "select count(*) from software"), "1");
  EXPECT_EQ(asked(path, "select hash, bytes from input"), digest_of("A").hex() + "|64");
}

TEST_F(StoreTest, RepeatedTextsAreStoredOnce) {
  const SweepId id = sweep("s", {"a"});
  for (std::uint64_t i = 0; i < 100; ++i) {
    Job job(id, i, {1});
    job.record.environment = "PATH=/usr/bin";
    job.record.runtime = "OpenBLAS";
    put(job);
  }
  commit();
  EXPECT_EQ(asked(path, "select count(*) from text"), "2");
  EXPECT_EQ(
      asked(path,
            "select count(*) from result where environment = 'PATH=/usr/bin' and runtime = 'OpenBLAS'"),
      "100");
}

TEST_F(StoreTest, SamplesAreReadableWithoutThisProgram) {
  const SweepId id = sweep("s", {"a"});
  Job job(id, 0, {1});
  job.samples = {1.0, 2.0};
  put(job);
  commit();
  // 1.0 and 2.0 as little-endian float64.
  EXPECT_EQ(asked(path, "select hex(seconds) from sample"), "000000000000F03F0000000000000040");
}

TEST_F(StoreTest, ASweepOfAnUnknownNumberIsRefusedWithoutATrace) {
  EXPECT_FALSE(store.sweep(SweepId{5}).value());
  const SweepRecord wide = sweep_named("wide", std::vector<std::string>(1001, "x"));
  EXPECT_THAT(why(store.begin_sweep(wide)), testing::HasSubstr("1001 columns, at most 1000"));
  EXPECT_EQ(asked(path, "select count(*) from sweep"), "0");
}

TEST_F(StoreTest, NumbersGoOnAfterReopening) {
  const SweepId id = sweep("s", {"a"});
  put(Job(id, 0, {1}));
  commit();
  { const Store closed = std::move(store); }
  store = good(Store::open_for_writing(path));
  EXPECT_EQ(put(Job(id, 0, {1})), Recorded::already_answered);
  EXPECT_EQ(put(Job(id, 1, {1})), Recorded::stored);
  commit();
  EXPECT_EQ(asked(path, "select group_concat(result) from s"), "1,2");
}

TEST_F(StoreTest, WarmUpNoiseAndRepeatabilityAreKeptWithTheResult) {
  const SweepId id = sweep("s", {"a"});
  Job known(id, 0, {1});
  known.record.warmup_s = 0.25;
  known.record.noise = 0.004;
  known.record.repeatable = true;
  put(known);
  Job racy(id, 1, {2});
  racy.record.repeatable = false;
  put(racy);
  put(Job(id, 2, {3}));
  commit();
  EXPECT_EQ(asked(path, "select warmup_s, noise, repeatable from result order by result"),
            "0.25|0.004|1\nnull|null|0\nnull|null|null");
}

}  // namespace
}  // namespace kernsweep
