// A database with rows in every table but `asked` and `input`, and what its recovery is compared with.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "results/recovery/recovery.hpp"
#include "results/sqlite/sqlite.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep::test {

struct RecoveryTest : testing::Test {
  static constexpr std::uint64_t kJobs = 300;
  // A page of 8 KiB holds less than 110 outcomes, each of more than 75 bytes.
  static constexpr std::uint64_t kOnAPage = 110;
  Folder folder;
  std::string path = folder.file("x.db");
  std::string to = folder.file("y.db");

  // Two sweeps, failures, long texts and many samples on pages of their own, a file and events.
  static void fill(Store& store) {
    SweepRecord sweep = sweep_named("s", {"variant", "n", "label"});
    sweep.files = {{"shapes.csv", std::string(30'000, 'x')}};
    sweep.tags = {{"owner", "me"}};
    const SweepId id = good(store.begin_sweep(sweep)).id;
    const HostId host = good(store.add_host({.fingerprint = digest_of("h"), .name = "node7"}));
    const SoftwareId software = good(store.add_software({.identity = digest_of("sw"), .version = "1"}));
    for (std::uint64_t i = 0; i < kJobs; ++i) {
      Job job = job_of(id, i);
      const std::string reason = "reason " + std::to_string(i) + std::string(i % 50 == 3 ? 9000 : 20, 'r');
      if (i % 10 == 3) job.failed(Outcome::failed_run, reason);
      job.record.host = host;
      job.record.software = software;
      if (i % 7 == 0) job.record.conditions.emplace().interference = 1.25;
      good(store.record(job.ready()));
      if (i % 100 == 0)
        good(store.note({.what = EventKind::adopted, .unix_s = 1, .attempt = job.record.attempt}));
      if (i % 50 == 0) good(store.commit());
    }
    const SweepId other = good(store.begin_sweep(sweep_named("t", {"a"}))).id;
    good(store.record(Job(other, 0, {1}).ready()));
    good(store.reuse(
        {.job = {other, 1, 0}, .point = 1, .values = Job(other, 1, {1}).values, .from = ResultId{1}}));
    good(store.commit());
  }
  static Job job_of(SweepId id, std::uint64_t i) {
    Job job(id, i, {"v" + std::to_string(i % 3), static_cast<std::int64_t>(i), "label"}, 1e-3 + 1e-6 * i);
    if (i % 100 == 5) {
      job.samples.clear();
      for (int k = 0; k < 3000; ++k) job.samples.push_back(1e-3 + 1e-9 * k);
      job.record.summary = summarise(job.samples);
      static const std::array metrics = {MetricRecord{"device_peak_bytes", 1e9}, MetricRecord{"x_s", 2}};
      job.record.metrics = metrics;
    }
    return job;
  }
  void make() {
    Store store = good(Store::open_for_writing(path, {Durability::process_crash}));
    fill(store);
  }

  static std::uint64_t count(const std::string& database, const std::string& table) {
    return std::stoull(asked(database, "select count(*) from " + table));
  }
  // A page of a table that leads to others (SQLite's types 2 and 5).
  static bool is_inner(const std::string& file, std::size_t page) {
    const char type = file[8192 * page];
    return type == 2 || type == 5;
  }
  // Everything that SQLite can say against it.
  static std::string checked(const std::string& database) {
    return asked(database, "select group_concat(integrity_check) from pragma_integrity_check");
  }
  // Every outcome in `saved` is, value by value, one of `whole`.
  static std::uint64_t wrong_rows(const std::string& saved, const std::string& whole) {
    auto reader = good(sqlite::Connection::open(saved, sqlite::Connection::Mode::create));
    good(reader.execute("attach " + std::string("'") + whole + "' as w"));
    return static_cast<std::uint64_t>(
        good(reader.integer("select count(*) from (select sweep_id, job, job_host, result, attempt, point, "
                            "status, grade, median_s, gflops, variant, cache, process, key, a1, a2 from "
                            "main.outcome except select sweep_id, job, job_host, result, attempt, point, "
                            "status, grade, median_s, gflops, variant, cache, process, key, a1, a2 from "
                            "w.outcome)")));
  }
  // The sweep can be gone on with: what is missing is recorded again, and then nothing is missing.
  static void resume(const std::string& database) {
    Store store = good(Store::open_for_writing(database, {Durability::process_crash}));
    const SweepId id = good(store.begin_sweep(sweep_named("s", {"variant", "n", "label"}))).id;
    std::set<std::uint64_t> answered;
    (void)good(store.earlier(
        id,
        [&](const Store::AnsweredRun& run) {
          for (auto job = run.first; job <= run.last; ++job) answered.insert(job);
        },
        [](auto&, bool) {}));
    for (std::uint64_t i = 0; i < kJobs; ++i) {
      if (answered.contains(i)) continue;
      Job job = job_of(id, i);
      job.record.attempt.number = 9;
      EXPECT_EQ(good(store.record(job.ready())), Recorded::stored);
    }
    good(store.commit());
    EXPECT_EQ(asked(database, "select count(*) from outcome where sweep_id = " + std::to_string(id.value)),
              std::to_string(kJobs));
  }
};

}  // namespace kernsweep::test
