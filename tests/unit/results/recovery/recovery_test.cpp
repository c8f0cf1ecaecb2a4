// Damaged databases: reported on opening, never made worse, and saved as far as possible.
#include "results/recovery/recovery.hpp"

#include "tests/unit/results/recovery/recovered.hpp"

namespace kernsweep {
namespace {

using test::asked;
using test::file_content;
using test::Folder;
using test::good;
using test::Job;
using test::RecoveryTest;
using test::sweep_named;
using test::why;
using test::write_file;
using testing::HasSubstr;

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
    EXPECT_EQ(table.gaps, 0U);
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

// Bytes that are no log are none; without its log a file has what was copied into it before.
TEST_F(RecoveryTest, ALogOfOtherBytesIsNotRead) {
  make();
  const std::string whole = file_content(path);
  for (const std::string& log : {std::string(70'000, '\0'), std::string(70'000, 'x'), whole}) {
    write_file(path + "-wal", log);
    const Recovery told = good(recover(path, to));
    EXPECT_TRUE(told.whole());
    EXPECT_EQ(count(to, "outcome"), kJobs + 2);
    EXPECT_EQ(file_content(path), whole);
    EXPECT_EQ(file_content(path + "-wal"), log);
    std::filesystem::remove(to);
  }
}

// The file is short by more than its log has: the log counts nevertheless.
TEST_F(RecoveryTest, TheLogOfAFileThatIsCutIsRead) {
  Folder copy;
  {
    Store store = good(Store::open_for_writing(path, {Durability::process_crash}));
    fill(store);
  }
  {
    Store store = good(Store::open_for_writing(path, {Durability::process_crash}));
    good(store.record(Job(SweepId{2}, 99, {1}).ready()));
    good(store.commit());
    for (const char* end : {"", "-wal"}) std::filesystem::copy_file(path + end, copy.file("x.db") + end);
  }
  std::filesystem::resize_file(copy.file("x.db"), std::filesystem::file_size(path) / 2);
  const Recovery told = good(recover(copy.file("x.db"), to));
  EXPECT_FALSE(told.whole());
  EXPECT_EQ(asked(to, "select count(*) from outcome where sweep_id = 2 and job = 99"), "1")
      << text_of(told, path, to);
  EXPECT_EQ(wrong_rows(to, path), 0U);
}

// Points that were restarted on another kind of host have numbers below 0 there.
TEST_F(RecoveryTest, JobsOfPointsThatWereRestartedAreSaved) {
  make();
  {
    auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
    for (const char* table : {"outcome", "attempt_row", "event"})
      good(connection.execute("update " + std::string(table) + " set job_host = -1 where job < 10"));
  }
  EXPECT_TRUE(good(recover(path, to)).whole());
  EXPECT_EQ(asked(to, "select count(*) from outcome where job_host = -1 and not reused"),
            asked(path, "select count(*) from outcome where job_host = -1 and not reused"));
  EXPECT_EQ(count(to, "outcome"), kJobs + 2);
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
  EXPECT_THAT(why(recover(path, to)), IsGolden());
  EXPECT_FALSE(std::filesystem::exists(to));
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

// What the message about a file that a build between two releases wrote promises. SQLite writes all rows
// again, and zeros in the place of what was there: these are free, and no damage.
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
    good(connection.execute(drop + "alter table attempt_row drop column slot"));
  }
  EXPECT_FALSE(Reader::open(path));
  const Recovery told = good(recover(path, to));
  EXPECT_TRUE(told.whole()) << text_of(told, path, to);
  Reader reader = good(Reader::open(to));
  EXPECT_EQ(good(reader.query("select count(*) from outcome")).rows[0][0], Value(jobs));
  EXPECT_EQ(good(reader.query("select count(slot) from attempt_row")).rows[0][0], Value(0));
}

TEST_F(RecoveryTest, TheNewNameIsThatOfTheOldOne) {
  EXPECT_EQ(recovered_name("x.db"), "x.recovered.db");
  EXPECT_EQ(recovered_name("a/b.c/x"), "a/b.c/x.recovered.db");
}

}  // namespace
}  // namespace kernsweep
