// Damaged databases: reported on opening, never made worse, and saved as far as possible.
#include "results/recovery/recovery.hpp"

#include <random>
#include <set>

#include "results/sqlite/pages.hpp"
#include "results/sqlite/sqlite.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using test::asked;
using test::file_content;
using test::Folder;
using test::good;
using test::Job;
using test::sweep_named;
using test::why;
using test::write_file;
using testing::HasSubstr;

constexpr std::uint64_t kJobs = 300;
// A page of 8 KiB holds less than 110 outcomes, each of more than 75 bytes.
constexpr std::uint64_t kOnAPage = 110;

struct RecoveryTest : testing::Test {
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
  // The sweep can continue: missing rows are recorded again, and then nothing is missing.
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

TEST_F(RecoveryTest, AWholeFileIsCopiedRowByRow) {
  make();
  {
    auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
    good(connection.execute("analyze"));  // SQLite's own tables are none of ours, and no damage
  }
  const std::string before = file_content(path);
  const Recovery told = good(recover(path, to));
  EXPECT_TRUE(told.whole()) << text_of(told, path, to);
  EXPECT_EQ(file_content(path), before);
  for (const Recovery::Table& table : told.tables) {
    EXPECT_EQ(table.saved, count(path, table.name)) << table.name;
    EXPECT_EQ(count(to, table.name), count(path, table.name)) << table.name;
    EXPECT_EQ(table.stands, 0U);
  }
  for (const char* statement : {"select * from results", "select * from s", "select * from \"t@2\"",
                                "select * from attempt_history", "select hex(seconds) from sample",
                                "select * from sweep_file", "select * from file_identity"})
    EXPECT_EQ(asked(to, statement), asked(path, statement)) << statement;
  EXPECT_EQ(checked(to), "ok");
  EXPECT_THAT(good(check_whole(path)), testing::IsEmpty());
  EXPECT_THAT(good(check_whole(to)), testing::IsEmpty());
}

// Committed rows that are only in the log are read as SQLite reads them; uncommitted rows are not.
TEST_F(RecoveryTest, TheLogIsReadAndLeft) {
  Folder copy;
  {
    Store store = good(Store::open_for_writing(path, {Durability::process_crash}));
    fill(store);
    good(store.record(Job(SweepId{2}, 99, {1}).ready()));
    for (const char* end : {"", "-wal"}) std::filesystem::copy_file(path + end, copy.file("x.db") + end);
  }
  ASSERT_GT(std::filesystem::file_size(copy.file("x.db-wal")), 100'000U);
  const std::string file = file_content(copy.file("x.db")), log = file_content(copy.file("x.db-wal"));
  const Recovery told = good(recover(copy.file("x.db"), to));
  EXPECT_TRUE(told.whole());
  EXPECT_EQ(count(to, "outcome"), kJobs + 2);
  EXPECT_EQ(wrong_rows(to, path), 0U);
  EXPECT_EQ(file_content(copy.file("x.db")), file);
  EXPECT_EQ(file_content(copy.file("x.db-wal")), log);
  // A log that is cut counts up to its last whole commit.
  write_file(copy.file("x.db-wal"), log.substr(0, log.size() / 2));
  std::filesystem::remove(to);
  (void)good(recover(copy.file("x.db"), to));
  EXPECT_EQ(wrong_rows(to, path), 0U);
  EXPECT_LT(count(to, "outcome"), kJobs + 2);
  EXPECT_EQ(checked(to), "ok");
}

TEST_F(RecoveryTest, ACutFileIsToldOnOpeningAndWhatIsLeftIsSaved) {
  make();
  const std::string whole = file_content(path);
  const std::string cut = folder.file("cut.db");
  for (const double share : {0.2, 0.5, 0.8, 0.99}) {
    const auto bytes = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
    write_file(cut, whole.substr(0, bytes));
    for (const std::string& said : {why(Store::open_for_writing(cut)), why(Reader::open(cut))})
      EXPECT_THAT(said, testing::AllOf(HasSubstr("cut short"), HasSubstr("nothing was changed"),
                                       HasSubstr("kernsweep recover " + cut)));
    EXPECT_THAT(good(check_whole(cut)), testing::Contains(HasSubstr("cut short")));
    EXPECT_EQ(file_content(cut), whole.substr(0, bytes));
    const Recovery told = good(recover(cut, to));
    EXPECT_FALSE(told.whole());
    EXPECT_EQ(wrong_rows(to, path), 0U);
    EXPECT_EQ(checked(to), "ok");
    resume(to);
    std::filesystem::remove(to);
  }
}

// Which pages of the whole file hold how many rows of outcome: the zeroed page is all that may be lost.
TEST_F(RecoveryTest, AnyHalfPageOfZerosCostsNoMoreThanThatPage) {
  make();
  const std::string whole = file_content(path);
  const std::string hurt = folder.file("hurt.db");
  constexpr std::size_t kPiece = 4096, kPage = 8192;
  std::uint64_t told_on_opening = 0, pieces = 0;
  for (std::size_t at = 0; at < whole.size(); at += kPiece) {
    SCOPED_TRACE(at / kPage + 1);
    std::string bytes = whole;
    bytes.replace(at, kPiece, kPiece, '\0');
    if (bytes == whole) continue;
    write_file(hurt, bytes);
    ++pieces;
    told_on_opening += Reader::open(hurt) ? 0 : 1;
    const Recovery told = good(recover(hurt, to));
    EXPECT_EQ(file_content(hurt), bytes);
    EXPECT_GE(count(to, "outcome") + kOnAPage, kJobs + 2);
    EXPECT_EQ(wrong_rows(to, path), 0U);
    EXPECT_EQ(checked(to), "ok");
    EXPECT_EQ(asked(to, "select count(*) from attempt_row where sweep_id not in (select id from sweep)"),
              "0");
    EXPECT_EQ(asked(to, "select count(*) from sample where result not in (select result from attempt_row)"),
              "0");
    if (at / kPiece % 8 == 0) resume(to);
    std::filesystem::remove(to);
  }
  EXPECT_GT(pieces, 50U);
  // The file is small: SQLite looks at all of it when it is opened.
  EXPECT_GT(told_on_opening, pieces / 2);
}

// 100 files with 1 to 8 bits flipped anywhere: four flips for each of its pages.
TEST_F(RecoveryTest, FlippedBitsNeverCrashAReaderAndNeverStopARecovery) {
  make();
  const std::string whole = file_content(path);
  const std::string hurt = folder.file("hurt.db");
  std::mt19937_64 random(20261121);
#ifdef KERNSWEEP_SANITIZED
  constexpr int kSeeds = 40;
#else
  constexpr int kSeeds = 100;
#endif
  for (int seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    std::string bytes = whole;
    for (std::uint64_t n = 1 + random() % 8; n > 0; --n) {
      const std::size_t bit = random() % (8 * bytes.size());
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    }
    write_file(hurt, bytes);
    if (auto reader = Reader::open(hurt)) {
      for (const char* statement :
           {"select * from results", "select * from s", "select * from attempt_history"}) {
        const auto rows = reader->query(statement);
        if (!rows) {
          EXPECT_THAT(why(rows), HasSubstr("hurt.db"));
        }
      }
    } else {
      EXPECT_THAT(why(Reader::open(hurt)), HasSubstr("hurt.db"));
    }
    const auto told = recover(hurt, to);
    ASSERT_TRUE(told) << why(told);
    EXPECT_EQ(file_content(hurt), bytes);
    EXPECT_EQ(checked(to), "ok");
    // A flip costs no more than the page it is on.
    EXPECT_GE(count(to, "outcome") + 8 * kOnAPage, kJobs + 2);
    std::filesystem::remove(to);
  }
}

// Two tables disagree on a time: neither is believed, and the job is to be measured again.
TEST_F(RecoveryTest, WhatTwoTablesTellDifferentlyIsLeftOut) {
  make();
  {
    auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
    good(
        connection.execute("update outcome set median_s = median_s * 2 where sweep_id = 1 and job = 6;"
                           "update attempt_row set median_s = median_s * 2 where sweep_id = 1 and job = 17;"
                           "update sample set seconds = zeroblob(16) where result = 21"));
  }
  const Recovery told = good(recover(path, to));
  EXPECT_FALSE(told.whole());
  std::vector<std::uint64_t> missing;
  for (const JobId& job : told.missing) {
    EXPECT_EQ(job.sweep, SweepId{1});
    missing.push_back(job.index);
  }
  EXPECT_EQ(missing, (std::vector<std::uint64_t>{6, 17, 20}));  // result 21 is that of job 20
  for (const Recovery::Table& table : told.tables)
    EXPECT_EQ(count(to, table.name), table.saved + table.stands) << table.name;
  EXPECT_THAT(text_of(told, path, to), HasSubstr("sweep 1: jobs 6, 17, 20"));
  EXPECT_EQ(wrong_rows(to, path), 0U);
  resume(to);
}

// Numbers of lost rows are taken by rows that say so: what is added later is never mistaken for them.
TEST_F(RecoveryTest, NumbersOfLostRowsAreNotGivenOutAgain) {
  make();
  {
    auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
    good(
        connection.execute("delete from sweep; delete from host; delete from software; delete from text; "
                           "delete from sweep_column; delete from attempt_row; pragma secure_delete = on"));
  }
  const Recovery told = good(recover(path, to));
  EXPECT_EQ(count(to, "sweep"), 2U);
  EXPECT_EQ(asked(to, "select distinct host from results where host is not null"),
            "(lost: it was on a damaged page)");
  EXPECT_GE(told.without_details, kJobs);
  EXPECT_EQ(asked(to,
                  "select \"lost.a1\", \"lost.a2\" from \"(lost: it was on a damaged page)@1\" where "
                  "job = 7"),
            "7|label");
  Store store = good(Store::open_for_writing(to));
  EXPECT_EQ(good(store.begin_sweep(sweep_named("s", {"variant", "n", "label"}))).id, SweepId{3});
  EXPECT_EQ(good(store.add_host({.fingerprint = digest_of("h"), .name = "node7"})), HostId{2});
  Job job(SweepId{3}, 0, {"v", 1, "l"});
  good(store.record(job.ready()));
  good(store.commit());
  EXPECT_EQ(asked(to, "select result > " + std::to_string(kJobs) + " from results where sweep_id = 3"),
            "1");
}

TEST_F(RecoveryTest, ASweepThatHasLostItsColumnsIsBegunAnew) {
  make();
  {
    auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
    good(connection.execute("delete from sweep_column where name = 'n'"));
  }
  Store store = good(Store::open_for_writing(path));
  EXPECT_FALSE(good(store.begin_sweep(sweep_named("s", {"variant", "n", "label"}))).existed);
}

TEST_F(RecoveryTest, NothingIsWrittenWhereNothingCanBeSaved) {
  EXPECT_THAT(why(recover(path, to)), IsGolden());
  write_file(path, std::string(50'000, '\0'));
  EXPECT_THAT(why(recover(path, to)), IsGolden());
  write_file(path, "");
  EXPECT_THAT(why(recover(path, to)), IsGolden());
  write_file(path, "sweep: 1\nname: x\n");
  EXPECT_THAT(why(recover(path, to)), IsGolden());
  EXPECT_THAT(why(check_whole(path)), IsGolden());
  EXPECT_EQ(folder.names(), std::vector<std::string>{"x.db"});
  write_file(to, "mine");
  EXPECT_THAT(why(recover(path, to)), IsGolden());
  EXPECT_EQ(file_content(to), "mine");
}

TEST_F(RecoveryTest, ADatabaseThatIsBeingWrittenIsRefused) {
  const Store store = good(Store::open_for_writing(path));
  EXPECT_THAT(why(recover(path, to)), IsGolden());
  EXPECT_FALSE(std::filesystem::exists(to));
}

// No user can open a link that leads to itself.
TEST_F(RecoveryTest, ALogThatCannotBeReadIsNotTakenForNone) {
  make();
  std::filesystem::create_symlink(path + "-wal", path + "-wal");
  const auto file = PageFile::open(path);
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, IsGolden());
}

TEST_F(RecoveryTest, ALockThatCannotBeReadIsNotTakenForFree) {
  make();
  std::filesystem::create_symlink(path + "-lock", path + "-lock");
  EXPECT_THAT(why(recover(path, to)), IsGolden());
  EXPECT_FALSE(std::filesystem::exists(to));
}

TEST_F(RecoveryTest, AMissingTableIsDamageAndNotAnAnswer) {
  make();
  {
    auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
    good(connection.execute("drop table conditions"));
  }
  const std::string before = file_content(path);
  for (const std::string& said : {why(Store::open_for_writing(path)), why(Reader::open(path))})
    EXPECT_THAT(said, IsGolden());
  EXPECT_EQ(file_content(path), before);
}

// The promise of the message about a file of a build between two releases.
TEST_F(RecoveryTest, RowsOfAFileThatLacksAColumnAreCopiedIntoOneThatHasIt) {
  make();
  std::string drop;
  std::int64_t jobs = 0;
  {
    Reader reader = good(Reader::open(path));
    for (const auto& row : good(reader.query("select name from sqlite_schema where type = 'view'")).rows)
      drop += "drop view \"" + row[0].to_text() + "\";";
    jobs = *good(reader.query("select count(*) from outcome")).rows[0][0].integer();
  }
  {
    auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
    good(connection.execute(drop + "alter table attempt_row drop column verified_by"));
  }
  EXPECT_FALSE(Reader::open(path));
  good(recover(path, to));
  Reader reader = good(Reader::open(to));
  EXPECT_EQ(good(reader.query("select count(*) from outcome")).rows[0][0], Value(jobs));
  EXPECT_EQ(good(reader.query("select count(verified_by) from attempt")).rows[0][0], Value(0));
}

TEST_F(RecoveryTest, TheNewNameIsThatOfTheOldOne) {
  EXPECT_EQ(recovered_name("x.db"), "x.recovered.db");
  EXPECT_EQ(recovered_name("a/b.c/x"), "a/b.c/x.recovered.db");
}

}  // namespace
}  // namespace kernsweep
