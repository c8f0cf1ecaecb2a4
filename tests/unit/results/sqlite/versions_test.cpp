// The version of a file: what this one writes is read, a newer and an older one are refused by name, and
// steps to a later one run whole or not at all. tests/unit/results/versions/7.db was written by the store
// of the first version, with its pages made smaller: one sweep `old` with three jobs; the second died.
#include <filesystem>

#include "results/answer/best/best.hpp"
#include "results/report/json.hpp"
#include "results/sqlite/schema.hpp"
#include "results/store/database.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/golden_text/places.hpp"
#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using sqlite::Connection;
using test::asked;
using test::Folder;
using test::good;

struct SchemaVersions : testing::Test {
  Folder folder;

  std::string first_version() const {
    std::string path = folder.file("first.db");
    std::filesystem::copy_file(source_folder() + "/tests/unit/results/versions/7.db", path);
    return path;
  }
  std::string fresh() const {
    std::string path = folder.file("fresh.db");
    Store store = good(Store::open_for_writing(path));
    (void)good(store.begin_sweep(test::sweep_named("old", {"variant", "threads"})));
    return path;
  }
};

Connection opened(const std::string& path) {
  return good(Connection::open(path, Connection::Mode::create));
}

TEST_F(SchemaVersions, WhatTheFirstOneWroteIsReadWithoutAChangeAndTakesResults) {
  const std::string path = first_version();
  const std::string before = test::file_content(path);
  for (const auto list : {schema::tables(), schema::views()})
    for (const auto& table : list)
      for (const auto& column : table.columns)
        EXPECT_THAT(
            asked(path, "select " + schema::quoted(column.name) + " from " + std::string(table.name)),
            testing::Not(testing::StartsWith("error")))
            << table.name << "." << column.name;
  EXPECT_EQ(asked(path, "select threads, variant, median_s from old order by 1"),
            "1|naive|0.001\n2|naive|null\n4|naive|0.003");
  EXPECT_EQ(asked(path, "select params from results where job = 2"), R"({"variant":"naive","threads":4})");
  Reader reader = good(Reader::open(path));
  EXPECT_THAT(to_json(good(best(reader, {}))), IsGolden());
  EXPECT_EQ(test::file_content(path), before);
  Store store = good(Store::open_for_writing(path));
  const SweepId id = good(store.begin_sweep(test::sweep_named("new", {"a", "b", "c"}))).id;
  good(store.record(test::Job(id, 0, {1, 2, 3}).ready()));
  good(store.commit());
  EXPECT_EQ(asked(path, "select a, b, c, status from new"), "1|2|3|ok");
}

TEST_F(SchemaVersions, ViewsOfABuildBetweenTwoReleasesAreReplacedWhenTheFileIsWritten) {
  const std::string path = fresh();
  const auto views = "select name, sql from sqlite_schema where type = 'view' order by name";
  const std::string now = asked(path, views);
  good(
      opened(path).execute("drop view verdict; create view verdict as select 1 as point; "
                           "drop view old; create view old as select 2 as point"));
  EXPECT_EQ(asked(path, "select point from verdict"), "1");
  (void)good(Store::open_for_writing(path));
  EXPECT_EQ(asked(path, views), now);
  const std::string before = test::file_content(path);
  (void)good(Store::open_for_writing(path));
  EXPECT_EQ(test::file_content(path), before) << "nothing is written where the views are these";
}

TEST_F(SchemaVersions, AnOlderAndANewerOneAreRefusedByName) {
  for (const int version : {3, schema::kVersion + 1}) {
    const std::string path = fresh();
    good(opened(path).execute("pragma user_version = " + std::to_string(version)));
    for (const std::string& why :
         {Reader::open(path).error().message, Store::open_for_writing(path).error().message})
      EXPECT_THAT(why.substr(why.rfind('/')), IsGolden());
    std::filesystem::remove(path);
  }
}

TEST_F(SchemaVersions, MigrationsRunFromTheFilesVersionOnAndOnlyWhole) {
  auto file = opened(fresh());
  const auto number = [&](const std::string& sql) { return good(file.integer(sql)); };
  good(file.execute("create table t (a)"));
  const auto objects = number("select count(*) from sqlite_schema");
  std::vector<std::string_view> steps(static_cast<std::size_t>(schema::kVersion - schema::kOldestVersion),
                                      "create table never (a)");
  steps.emplace_back("alter table t add column b");
  steps.emplace_back("create table one (a); create table two (a)");
  good(migrate(file, schema::kVersion, steps));
  EXPECT_EQ(number("select count(*) from pragma_table_info('t')"), 2);
  EXPECT_EQ(number("select count(*) from sqlite_schema"), objects + 2);
  EXPECT_EQ(number("pragma user_version"), schema::kVersion + 2);
  steps.emplace_back("create table three (a); create table one (a)");
  EXPECT_FALSE(migrate(file, schema::kVersion + 2, steps));
  EXPECT_EQ(number("select count(*) from sqlite_schema"), objects + 2);
  EXPECT_EQ(number("pragma user_version"), schema::kVersion + 2);
}

// Objects of users in the file stay when its views are created again.
TEST_F(SchemaVersions, AViewThatSomebodyAddedStays) {
  const std::string path = first_version();
  {
    auto file = opened(path);
    good(file.execute("create view mine as select count(*) as jobs from results"));
    const std::vector<std::string_view> steps = {"alter table text add column later"};
    good(migrate(file, schema::kVersion, steps));
    good(file.execute("pragma user_version = " + std::to_string(schema::kVersion)));
  }
  EXPECT_EQ(asked(path, "select jobs from mine"), "3");
}

}  // namespace
}  // namespace kernsweep
