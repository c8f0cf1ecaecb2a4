// Files of every version that there has been. tests/unit/results/versions/N.db was written by the store of
// the last commit that had version N (its pages were made smaller afterwards): one sweep `old` with three
// jobs, of which the first was told not to be repeatable and the second died.
#include <algorithm>
#include <filesystem>

#include "results/sqlite/schema.hpp"
#include "results/store/database.hpp"
#include "tests/golden_text/places.hpp"

#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using sqlite::Connection;
using test::asked;
using test::Folder;
using test::good;

// What SQLite says a file consists of: each column of each table, its keys and indices, and the views.
constexpr const char* kColumns =
    "select t.name || '.' || c.name || ' ' || c.type || ' ' || c.\"notnull\" || ' ' || "
    "ifnull(c.dflt_value, '-') || ' ' || c.pk || ' ' || c.cid || ' ' || t.wr from pragma_table_list t, "
    "pragma_table_xinfo(t.name) c where t.schema = 'main' and t.type = 'table' and t.name not like "
    "'sqlite_%' order by 1";
constexpr const char* kIndices =
    "select t.name || ' ' || i.\"unique\" || i.origin || i.partial || ' ' || (select "
    "group_concat(c.name) from pragma_index_info(i.name) c) || ' ' || ifnull((select sql from "
    "sqlite_schema s where s.name = i.name), '') from pragma_table_list t, pragma_index_list(t.name) i "
    "where t.schema = 'main' and t.type = 'table' order by 1";
constexpr const char* kViews = "select sql from sqlite_schema where type = 'view' order by name";

struct VersionsTest : testing::TestWithParam<int> {
  Folder folder;

  std::string copy_of(int version) const {
    std::string path = folder.file(std::to_string(version) + ".db");
    std::filesystem::copy_file(
        source_folder() + "/tests/unit/results/versions/" + std::to_string(version) + ".db", path,
        std::filesystem::copy_options::overwrite_existing);
    return path;
  }
  // A new file, with the columns that the values of the sweep `old` need.
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

std::vector<std::string> rows_of(Connection& file, const char* sql) {
  auto rows = good(file.prepare(sql));
  std::vector<std::string> all;
  while (rows.step() == sqlite::Step::row) all.emplace_back(rows.text(0));
  return all;
}

std::vector<std::string> rows_of(const std::string& path, const char* sql) {
  auto file = opened(path);
  return rows_of(file, sql);
}

struct EachOlderVersion : VersionsTest {};

TEST_P(EachOlderVersion, IsWhatItSaysItIs) {
  auto file = opened(copy_of(GetParam()));
  EXPECT_EQ(good(file.integer("pragma user_version")), GetParam());
  EXPECT_EQ(good(file.integer("select count(*) from outcome")), 3);
}

TEST_P(EachOlderVersion, IsMadeTheNextOneAsThatWasThen) {
  const int version = GetParam();
  const std::string path = copy_of(version);
  const std::string next = version + 1 < schema::kVersion ? copy_of(version + 1) : fresh();
  {
    auto file = opened(path);
    good(migrate(file, version, schema::migrations().first(static_cast<std::size_t>(version))));
    EXPECT_EQ(good(file.integer("pragma user_version")), version + 1);
  }
  EXPECT_THAT(rows_of(path, kColumns), testing::ElementsAreArray(rows_of(next, kColumns)));
  EXPECT_THAT(rows_of(path, kIndices), testing::ElementsAreArray(rows_of(next, kIndices)));
}

TEST_P(EachOlderVersion, BecomesLikeANewFile) {
  const std::string path = copy_of(GetParam());
  (void)good(Store::open_for_writing(path));
  const std::string like = fresh();
  for (const char* what : {kColumns, kIndices, kViews})
    EXPECT_THAT(rows_of(path, what), testing::ElementsAreArray(rows_of(like, what)));
  EXPECT_EQ(asked(path, "select * from pragma_user_version"), std::to_string(schema::kVersion));
  EXPECT_EQ(asked(path, "select * from pragma_integrity_check"), "ok");
}

// A step that called the tables of its day's code would add such a column too, and the later step fails.
TEST_P(EachOlderVersion, TakesAColumnThatALaterVersionAddsToAnyTable) {
  const std::string path = copy_of(GetParam());
  std::string later;
  for (const schema::TableText& table : schema::tables())
    later += "alter table " + std::string(table.name) + " add column later integer;";
  std::vector<std::string_view> steps(schema::migrations().begin(), schema::migrations().end());
  steps.push_back(later);
  auto file = opened(path);
  good(migrate(file, GetParam(), steps));
  EXPECT_EQ(good(file.integer("select count(*) from pragma_table_list t, pragma_table_info(t.name) c where "
                              "t.schema = 'main' and t.type = 'table' and c.name = 'later'")),
            schema::tables().size());
}

TEST_P(EachOlderVersion, IsReadAsItIs) {
  const std::string path = copy_of(GetParam());
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
  EXPECT_EQ(test::file_content(path), before);
}

// Read as it is and brought up to date, it gives the same answers.
TEST_P(EachOlderVersion, SaysTheSameBeforeAndAfter) {
  const std::string path = copy_of(GetParam());
  const auto all = [&] {
    std::vector<std::string> answers;
    for (const auto list : {schema::tables(), schema::views()})
      for (const auto& table : list)
        if (table.name != "file_identity") {
          std::string columns;
          for (const auto& column : table.columns)
            columns += (columns.empty() ? "" : ", ") + schema::quoted(column.name);
          answers.push_back(std::string(table.name) + ": " +
                            asked(path, "select " + columns + " from " + std::string(table.name) +
                                            " order by " + columns));
        }
    return answers;
  };
  const auto before = all();
  (void)good(Store::open_for_writing(path));
  EXPECT_THAT(all(), testing::ElementsAreArray(before));
  EXPECT_EQ(asked(path, "select repeatable from result order by result"),
            GetParam() == 1 ? "0\nnull" : "null\n1");
}

TEST_P(EachOlderVersion, TakesNewResults) {
  const std::string path = copy_of(GetParam());
  {
    Store store = good(Store::open_for_writing(path));
    EXPECT_NE(good(store.identity()), Digest{});
    const SweepId id = good(store.begin_sweep(test::sweep_named("new", {"a", "b", "c"}))).id;
    test::Job job(id, 0, {1, 2, 3});
    job.record.conditions.emplace().interference = 1.25;
    job.record.gpus = "GPU-2";
    const std::array metrics = {MetricRecord{"device_peak_bytes", 1e9}};
    job.record.metrics = metrics;
    good(store.record(job.ready()));
    good(store.commit());
  }
  EXPECT_EQ(asked(path, "select a, b, c, attempt, status from new"), "1|2|3|1|ok");
  EXPECT_EQ(asked(path, "select gpus from result where sweep_id = 2"), "GPU-2");
  EXPECT_EQ(asked(path, "select interference from conditions where result = 4"), "1.25");
  EXPECT_EQ(asked(path, "select name, value from metric where result = 4"), "device_peak_bytes|1e+09");
  EXPECT_EQ(asked(path, "select threads from old where job = 2"), "4");
}

INSTANTIATE_TEST_SUITE_P(Versions, EachOlderVersion, testing::Range(1, schema::kVersion),
                         testing::PrintToStringParamName());

using SchemaVersions = VersionsTest;

TEST_F(SchemaVersions, MigrationsRunFromTheFilesVersionOnAndOnlyWhole) {
  auto file = opened(fresh());
  const auto number = [&](const std::string& sql) { return good(file.integer(sql)); };
  good(file.execute("create table t (a)"));
  const auto objects = number("select count(*) from sqlite_schema");
  std::vector<std::string_view> steps(static_cast<std::size_t>(schema::kVersion) - 1,
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

TEST_F(SchemaVersions, AFileOfVersion1HasNoIdentityUntilItIsWritten) {
  const std::string path = copy_of(1);
  EXPECT_EQ(good(good(Reader::open(path)).identity()), std::nullopt);
  EXPECT_EQ(good(good(Reader::open(path)).find_sweep("old")).record.priority, 0);
  const Digest given = good(good(Store::open_for_writing(path)).identity());
  EXPECT_EQ(good(good(Reader::open(path)).identity()), given);
}

TEST_F(SchemaVersions, HostsThatAreAlikeHaveRowsOfTheirOwnSinceVersion4) {
  const std::string path = copy_of(3);
  const HostRecord first{.fingerprint = digest_of("h"), .name = "node7", .cpu = "A processor"};
  HostRecord twin = first;
  twin.name = "node8";
  Store store = good(Store::open_for_writing(path));
  EXPECT_EQ(good(store.add_host(first)).value, 1u);
  const HostId other = good(store.add_host(twin));
  EXPECT_EQ(other.value, 2u);
  EXPECT_EQ(good(store.add_host(twin)), other);
}

// What people have made in the file stays when its views are made anew.
TEST_F(SchemaVersions, AViewThatSomebodyAddedStays) {
  const std::string path = copy_of(2);
  good(opened(path).execute("create view mine as select count(*) as jobs from results"));
  (void)good(Store::open_for_writing(path));
  EXPECT_EQ(asked(path, "select jobs from mine"), "3");
}

// Rows of older files are told by how many columns they have: what is added stands behind what was there.
TEST_F(SchemaVersions, LaterColumnsStandBehindEarlierOnes) {
  for (const schema::TableText& table : schema::tables()) {
    EXPECT_TRUE(std::ranges::is_sorted(table.columns, {}, [&](const schema::ColumnText& column) {
      return std::max(column.since, table.since);
    })) << table.name;
    for (const schema::ColumnText& column : table.columns)
      EXPECT_LE(column.since, schema::kVersion) << table.name << "." << column.name;
  }
}

}  // namespace
}  // namespace kernsweep
