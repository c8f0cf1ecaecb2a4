// Files that are not our databases, or that cannot be written: reported clearly, and unchanged.
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results/sqlite/schema.hpp"
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

std::string open_error(const std::string& path) {
  return why(Store::open_for_writing(path));
}
std::string read_error(const std::string& path) {
  return why(Reader::open(path));
}

// A database with `jobs` committed jobs, closed.
void make(const std::string& path, std::uint64_t jobs) {
  Store store = good(Store::open_for_writing(path));
  const SweepId id = good(store.begin_sweep(sweep_named("s", {"a"}))).id;
  for (std::uint64_t i = 0; i < jobs; ++i)
    good(store.record(Job(id, i, {Value(static_cast<std::int64_t>(i))}).ready()));
  good(store.commit());
}

void alter(const std::string& path, const std::string& sql) {
  auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
  good(connection.execute(sql));
}

TEST(BadFiles, AFileThatIsNoDatabaseIsRefusedAndUntouched) {
  for (const std::string& content :
       {std::string("sweep: 1\nname: x\n"), std::string("SQLite"), std::string(5000, '\0'),
        std::string("SQLite format 3") + '\0' + std::string(5000, 'x')}) {
    const Folder folder;
    const std::string path = folder.file("x.db");
    write_file(path, content);
    EXPECT_THAT(open_error(path), IsGolden()) << content.substr(0, 20);
    EXPECT_THAT(read_error(path), IsGolden());
    EXPECT_EQ(file_content(path), content);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"x.db"});  // no lock, no log
  }
}

TEST(BadFiles, AnEmptyFileBecomesADatabaseForTheWriterOnly) {
  const Folder folder;
  write_file(folder.file("x.db"), "");
  EXPECT_THAT(read_error(folder.file("x.db")), IsGolden());
  EXPECT_TRUE(Store::open_for_writing(folder.file("x.db")));
  EXPECT_TRUE(Reader::open(folder.file("x.db")));
}

// They are names of files as any other.
TEST(BadFiles, NamesThatSqliteTakesAsItsOwnKeepTheirResults) {
  const Folder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (const std::string name : {":memory:", "file:x.db?mode=memory", "file::memory:"}) {
    make(name, 2);
    EXPECT_EQ(asked(name, "select count(*) from results"), "2") << name;
    EXPECT_TRUE(std::filesystem::exists(folder.file(name)));
  }
  std::filesystem::current_path(before);
}

TEST(BadFiles, AMissingFileIsNeverMadeByReading) {
  const Folder folder;
  EXPECT_THAT(read_error(folder.file("x.db")), IsGolden());
  EXPECT_TRUE(folder.names().empty());
}

TEST(BadFiles, AFolderOrAMissingFolderIsNamed) {
  const Folder folder;
  EXPECT_THAT(open_error(folder.path()), IsGolden());
  EXPECT_THAT(read_error(folder.path()), IsGolden());
  EXPECT_THAT(open_error(folder.file("no/such/x.db")), IsGolden());
  EXPECT_THAT(open_error("/dev/null"), IsGolden());
}

TEST(BadFiles, TheDatabaseOfAnotherProgramIsRefused) {
  const Folder folder;
  alter(folder.file("x.db"), "create table mine (a); insert into mine values (1)");
  const std::string before = file_content(folder.file("x.db"));
  EXPECT_THAT(open_error(folder.file("x.db")), IsGolden());
  EXPECT_THAT(read_error(folder.file("x.db")), IsGolden());
  EXPECT_EQ(file_content(folder.file("x.db")), before);
}

TEST(BadFiles, ANewerVersionIsRefusedWithBothNumbers) {
  const Folder folder;
  make(folder.file("x.db"), 1);
  alter(folder.file("x.db"), "pragma user_version = 99");
  const std::string before = file_content(folder.file("x.db"));
  EXPECT_THAT(open_error(folder.file("x.db")),
              HasSubstr("is of version 99, this kernsweep knows versions up to " +
                        std::to_string(schema::kVersion)));
  EXPECT_THAT(read_error(folder.file("x.db")), IsGolden());
  EXPECT_EQ(file_content(folder.file("x.db")), before);
}

TEST(BadFiles, ATruncatedDatabaseIsCalledDamaged) {
  const Folder folder;
  make(folder.file("x.db"), 500);
  const std::string whole = file_content(folder.file("x.db"));
  for (const std::size_t size : {std::size_t{100}, std::size_t{8192}, whole.size() / 2}) {
    write_file(folder.file("x.db"), whole.substr(0, size));
    const auto told =
        testing::AllOf(HasSubstr("x.db"), HasSubstr("cut short"), HasSubstr("kernsweep recover"));
    EXPECT_THAT(open_error(folder.file("x.db")), told) << size;
    EXPECT_THAT(read_error(folder.file("x.db")), told) << size;
  }
}

// A database whose pages are overwritten may open; no question may then crash or be answered with nonsense
// silently.
TEST(BadFiles, DamagedPagesGiveAnErrorNotACrash) {
  const Folder folder;
  make(folder.file("x.db"), 2000);
  std::string content = file_content(folder.file("x.db"));
  for (std::size_t at = 8192 * 12; at < content.size(); at += 8192) content.replace(at, 64, 64, '\x7F');
  write_file(folder.file("x.db"), content);
  auto reader = Reader::open(folder.file("x.db"));
  if (!reader) return;
  const auto rows = reader->query("select * from s");
  EXPECT_THAT(why(rows), IsGolden());
}

// Runs `body` in a child process, and gives back what it wrote.
template <class Body>
std::string in_child(const Body& body) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string said = body();
    const ssize_t written = write(ends[1], said.data(), said.size());
    _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char piece[512];
  for (ssize_t size; (size = read(ends[0], piece, sizeof piece)) > 0;)
    said.append(piece, static_cast<std::size_t>(size));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

// Root without its powers: a file's mode holds for it too.
bool give_up_powers() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2]{};
  return syscall(SYS_capset, &header, none) == 0;
}

TEST(BadFiles, AFolderThatCannotBeWrittenIsTold) {
  const Folder folder;
  make(folder.file("x.db"), 3);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  std::filesystem::permissions(folder.file("x.db"), std::filesystem::perms(0444));
  const auto powerless = [](const auto& body) {
    return in_child([&]() -> std::string { return give_up_powers() ? body() : "still has its powers"; });
  };
  EXPECT_THAT(powerless([&] { return open_error(folder.file("x.db")); }), IsGolden());
  EXPECT_THAT(powerless([&] { return open_error(folder.file("new.db")); }), IsGolden());
  // Reading works there.
  EXPECT_EQ(powerless([&] { return asked(folder.file("x.db"), "select count(*) from s"); }), "3");
}

// A file that may not grow simulates a full disk; the signal that comes with it is ignored, as SQLite
// expects.
TEST(BadFiles, AFullDiskKeepsWhatWasCommittedAndTheStoreGoesOn) {
  const Folder folder;
  const std::string path = folder.file("x.db");
  const std::string said = in_child([&]() -> std::string {
    signal(SIGXFSZ, SIG_IGN);
    Store store = good(Store::open_for_writing(path));
    const SweepId id = good(store.begin_sweep(sweep_named("s", {"a"}))).id;
    good(store.record(Job(id, 0, {1}).ready()));
    good(store.commit());
    const rlimit tight{400'000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &tight);
    std::string error;
    for (std::uint64_t i = 1; error.empty() && i < 100'000; ++i) {
      const auto stored = store.record(Job(id, i, {Value(static_cast<std::int64_t>(i))}).ready());
      if (!stored) error = stored.error().message;
      if (i % 1000 == 0)
        if (const auto done = store.commit(); !done) error = done.error().message;
    }
    const rlimit wide{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &wide);
    const auto stored = store.record(Job(id, 99'999, {1}).ready());
    if (!stored || !store.commit()) error += " and the store does not go on";
    return error;
  });
  EXPECT_THAT(said, testing::AnyOf(HasSubstr("full"), HasSubstr("writing failed")));
  EXPECT_THAT(said, testing::AllOf(HasSubstr("committed is"),
                                   HasSubstr("the same command, without --again, continues")));
  EXPECT_THAT(said, testing::Not(HasSubstr("does not go on")));
  EXPECT_EQ(asked(path, "select min(job), max(job) from s"), "0|99999");
  EXPECT_EQ(asked(path, "pragma_integrity_check"),
            "error: 'pragma' is not a query: only select, with, values and "
            "explain are answered here; results are never changed");
  EXPECT_EQ(asked(path, "select * from pragma_integrity_check"), "ok");
  // Whole batches only: 1 committed job, n times 1000, and the last one.
  EXPECT_EQ(asked(path, "select (count(*) - 2) % 1000 from s"), "0");
  EXPECT_EQ(asked(path, "select (select count(*) from attempt) = (select count(*) from s)"), "1");
}

TEST(BadFiles, ASecondCoordinatorIsToldWhoHasTheDatabase) {
  const Folder folder;
  const std::string path = folder.file("x.db");
  {
    const Store store = good(Store::open_for_writing(path));
    const std::string said = in_child([&] { return open_error(path); });
    EXPECT_THAT(said, HasSubstr("in use by another coordinator (pid " + std::to_string(getpid()) + ")"));
    // The same file by another name.
    std::filesystem::create_symlink(path, folder.file("link.db"));
    EXPECT_THAT(open_error(folder.file("link.db")), IsGolden());
  }
  EXPECT_TRUE(Store::open_for_writing(path));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"link.db", "x.db"}));
}

// A child writes batches of 100 jobs and says after each commit that it is safe; it is killed in the middle
// of one.
TEST(BadFiles, AfterKill9AllThatWasCommittedIsThereAndNoPartOfTheRest) {
  const Folder folder;
  const std::string path = folder.file("x.db");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    Store store = good(Store::open_for_writing(path));
    const SweepId id = good(store.begin_sweep(sweep_named("s", {"a"}))).id;
    for (std::uint64_t i = 0;; ++i) {
      good(store.record(Job(id, i, {1}).ready()));
      if (i % 100 != 99) continue;
      good(store.commit());
      if (write(ends[1], "+", 1) != 1) _exit(1);
    }
  }
  close(ends[1]);
  std::uint64_t safe = 0;
  char mark = 0;
  while (safe < 20 && read(ends[0], &mark, 1) == 1) ++safe;
  kill(child, SIGKILL);
  while (read(ends[0], &mark, 1) == 1) ++safe;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  Store store = good(Store::open_for_writing(path));  // the lock died with the child
  const SweepId id{1};
  const test::Runs runs = test::answered_runs(store, id);
  ASSERT_EQ(runs.size(), 1U);
  const std::uint64_t jobs = std::get<2>(runs[0]) + 1;
  EXPECT_EQ(std::get<1>(runs[0]), 0U);
  EXPECT_GE(jobs, 100 * safe);
  EXPECT_LE(jobs, 100 * safe + 100);  // a commit that was done but not reported
  EXPECT_EQ(jobs % 100, 0U);
  EXPECT_EQ(
      asked(path,
            "select count(*) = (select count(*) from attempt) and count(*) = (select count(*) from sample) "
            "from s"),
      "1");
}

TEST(BadFiles, ReadersAndTheWriterDoNotDisturbEachOther) {
  const Folder folder;
  Store store = good(Store::open_for_writing(folder.file("x.db")));
  const SweepId id = good(store.begin_sweep(sweep_named("s", {"a"}))).id;
  auto reader = good(Reader::open(folder.file("x.db")));
  std::vector<std::string> counts;
  for (std::uint64_t i = 0; i < 3; ++i) {
    good(store.record(Job(id, i, {1}).ready()));
    counts.push_back(good(reader.query("select count(*) from s")).rows[0][0].to_text());
    good(store.commit());
  }
  EXPECT_EQ(counts, (std::vector<std::string>{"0", "1", "2"}));
}

// As builds between two releases left them: of this version's number, without a column that was added
// later. It is no damage; `recover` makes a file of it that is whole.
TEST(BadFiles, AMissingColumnIsNamedAndNotCalledDamage) {
  const Folder folder;
  const std::string path = folder.file("x.db");
  make(path, 2);
  std::string views;
  {
    Reader reader = good(Reader::open(path));
    for (const auto& row : good(reader.query("select name from sqlite_schema where type = 'view'")).rows)
      views += "drop view \"" + row[0].to_text() + "\";";
  }
  alter(path, views +
                  "alter table attempt_row drop column verified_by; alter table attempt_row drop column "
                  "notes");
  const std::string content = file_content(path);
  EXPECT_THAT(read_error(path), IsGolden());
  EXPECT_EQ(open_error(path), read_error(path));
  EXPECT_EQ(file_content(path), content);
  alter(path, "alter table attempt_row rename to gone");
  EXPECT_THAT(read_error(path), HasSubstr("damaged"));
}

}  // namespace
}  // namespace kernsweep
