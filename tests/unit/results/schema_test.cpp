#include "results/schema.hpp"

#include <algorithm>
#include <sstream>

#include "results/database.hpp"

#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using test::asked;
using test::Folder;
using test::good;
using test::Job;
using test::sweep_named;

struct SchemaTest : testing::Test {
  Folder folder;
  std::string path = folder.file("r.db");

  // One job of a sweep with these columns, values 0, 1, 2, ...
  void make(const std::string& name, const std::vector<std::string>& columns) {
    Store store = good(Store::open_for_writing(path));
    SweepRecord record = sweep_named(name, columns);
    const SweepId id = good(store.begin_sweep(record)).id;
    std::vector<Value> values;
    for (std::size_t i = 0; i < columns.size(); ++i) values.emplace_back(static_cast<std::int64_t>(i));
    Job job(id, 0, values);
    job.record.host = good(store.add_host({.fingerprint = digest_of("h"), .name = "node7"}));
    job.record.conditions.emplace().interference = 1.25;
    const std::array metrics = {MetricRecord{"device_peak_bytes", 1e9}};
    job.record.metrics = metrics;
    good(store.record(job.ready()));
    good(store.commit());
  }
};

TEST_F(SchemaTest, TheDocumentShowsEveryColumnAsTheCodeHasIt) {
  const std::string document = test::file_content(std::string(KERNSWEEP_SOURCE_DIR) + "/docs/results.md");
  // The document ends with the generated tables: kernsweep writes them, people write what stands above.
  const std::string generated = schema::markdown();
  EXPECT_THAT(document, testing::HasSubstr(generated))
      << "replace the tables at the end of docs/results.md by this:\n"
      << generated;
}

TEST_F(SchemaTest, TheExamplesOfTheDocumentCanBeRun) {
  make("first-look", {"variant", "threads", "env.OPENBLAS_CORETYPE"});
  std::string document = test::file_content(std::string(KERNSWEEP_SOURCE_DIR) + "/docs/results.md");
  int examples = 0;
  for (std::size_t at = 0; (at = document.find("```sql\n", at)) != std::string::npos;) {
    const std::size_t end = document.find("```", at += 7);
    std::istringstream statements(document.substr(at, end - at));
    for (std::string statement; std::getline(statements, statement, ';');) {
      if (statement.find_first_not_of(" \n") == std::string::npos) continue;
      EXPECT_THAT(asked(path, statement), testing::Not(testing::StartsWith("error"))) << statement;
      EXPECT_NE(asked(path, statement), "") << statement;
      ++examples;
    }
    at = end + 3;
  }
  EXPECT_GE(examples, 6);
}

TEST_F(SchemaTest, MigrationsRunFromTheFilesVersionOnAndOnlyWhole) {
  auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
  const auto number = [&](const std::string& sql) { return good(connection.integer(sql)); };
  good(connection.execute("create table t (a)"));
  const std::string steps[] = {"create table never (a)", "alter table t add column b",
                               "create table one (a); create table two (a)"};
  // From version 2: the first step (1 to 2) has been done.
  good(migrate(connection, 2, steps));
  EXPECT_EQ(number("select count(*) from pragma_table_info('t')"), 2);
  EXPECT_EQ(number("select count(*) from sqlite_schema"), 3);  // t, one, two
  EXPECT_EQ(number("pragma user_version"), 4);
  const std::string broken[] = {"", "", "", "create table three (a); create table one (a)"};
  EXPECT_FALSE(migrate(connection, 4, broken));
  EXPECT_EQ(number("select count(*) from sqlite_schema"), 3);
  EXPECT_EQ(number("pragma user_version"), 4);
}

TEST_F(SchemaTest, EveryColumnHasASentenceAndNumbersWithUnitsSayThem) {
  for (const auto list : {schema::tables(), schema::views()})
    for (const auto& table : list)
      for (const auto& column : table.columns) {
        EXPECT_TRUE(column.sentence.ends_with(".")) << table.name << "." << column.name;
        const bool time = column.name.ends_with("_s");
        EXPECT_EQ(time, column.unit == "s" && column.name != "seconds") << table.name << "." << column.name;
      }
}

TEST_F(SchemaTest, TablesAndViewsHaveTheDocumentedColumns) {
  make("s", {"a"});
  for (const auto list : {schema::tables(), schema::views()})
    for (const auto& table : list) {
      std::string expected;
      for (const auto& column : table.columns)
        expected += (expected.empty() ? "" : ",") + std::string(column.name);
      if (table.name == "outcome") expected += ",a1";
      if (table.name == "results" || table.name == "point") expected += ",params";
      EXPECT_EQ(asked(path, "select group_concat(name) from pragma_table_info('" + std::string(table.name) +
                                "')"),
                expected);
      EXPECT_THAT(asked(path, "select count(*) from \"" + std::string(table.name) + "\""),
                  testing::MatchesRegex("[0-9]+"));
    }
}

TEST_F(SchemaTest, TheFileSaysWhatItIs) {
  make("s", {"a"});
  EXPECT_EQ(asked(path, "select * from pragma_application_id"), std::to_string(schema::kApplicationId));
  EXPECT_EQ(asked(path, "select * from pragma_user_version"), "5");
}

// A file as version 4 had it.
void make_version_4(const std::string& path) {
  auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
  good(connection.execute(
      "drop view result; drop table metric; alter table attempt_row drop column gpus; create view result "
      "as select result, "
      "median_s, noise, repeatable from attempt_row where median_s is not null; pragma user_version = 4"));
}

// A file as version 2 had it.
void make_version_2(const std::string& path) {
  make_version_4(path);
  auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
  good(connection.execute(
      "drop view attempt_history; drop view attempt; drop table event; drop table sweep_file; "
      "drop table file_identity; alter table attempt_row drop column sent_unix_s; "
      "alter table attempt_row drop column session; alter table sweep drop column priority; "
      "alter table sweep drop column submitted; "
      "create view attempt as select result, sweep_id, job, status from attempt_row; "
      "pragma user_version = 2"));
}

// A file as version 3 had it: one row of `host` for each fingerprint.
void make_version_3(const std::string& path) {
  make_version_4(path);
  auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
  const auto host = std::ranges::find(schema::tables(), "host", &schema::TableText::name);
  std::string old = schema::create_table(*host);
  const std::string per_host = ", unique (fingerprint, name)";
  ASSERT_NE(old.find(per_host), std::string::npos);
  old.replace(old.find(per_host), per_host.size(), ", unique (fingerprint)");
  good(connection.execute("create temp table h as select * from host; drop table main.host; " + old +
                          "; insert into host select * from h; drop table h; pragma user_version = 3"));
}

// A file as version 1 had it: without these columns, and with what the slot said in their place.
void make_version_1(const std::string& path) {
  make_version_2(path);
  auto connection = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
  good(connection.execute(
      "drop view result; alter table attempt_row drop column noise; "
      "alter table attempt_row drop column warmup_s; alter table attempt_row drop column repeatable; "
      "alter table conditions drop column metric; alter table conditions drop column error_element; "
      "create view result as select result, median_s from attempt_row where median_s is not null; "
      "insert into text values (1000, 'too few samples\nrepeated runs gave different bits'); "
      "update attempt_row set grade_reasons = 1000; pragma user_version = 1"));
}

TEST_F(SchemaTest, AFileOfVersion1IsReadAsItIs) {
  make("s", {"a"});
  make_version_1(path);
  const std::string before = test::file_content(path);
  EXPECT_EQ(asked(path, "select repeatable, noise is null, warmup_s is null from result"), "0|1|1");
  EXPECT_EQ(asked(path, "select metric is null, interference from conditions"), "1|1.25");
  EXPECT_EQ(asked(path, "select a from s"), "0");
  EXPECT_EQ(test::file_content(path), before);
}

TEST_F(SchemaTest, AFileOfVersion2IsReadAsItIs) {
  make("s", {"a"});
  make_version_2(path);
  const std::string before = test::file_content(path);
  for (const auto list : {schema::tables(), schema::views()})
    for (const auto& table : list)
      for (const auto& column : table.columns)
        EXPECT_THAT(
            asked(path, "select " + schema::quoted(column.name) + " from " + std::string(table.name)),
            testing::Not(testing::StartsWith("error")))
            << table.name << "." << column.name;
  EXPECT_EQ(asked(path, "select priority, submitted from sweep"), "0|0");
  EXPECT_EQ(asked(path, "select job, what, status from attempt_history"), "0|finished|ok");
  auto reader = good(Reader::open(path));
  EXPECT_EQ(good(reader.identity()), std::nullopt);
  EXPECT_EQ(good(reader.find_sweep("s")).record.priority, 0);
  EXPECT_EQ(test::file_content(path), before);
}

TEST_F(SchemaTest, AFileOfVersion4HasNoGpusAndGetsThem) {
  make("s", {"a"});
  const std::string median = "1|" + asked(path, "select median_s from result");
  make_version_4(path);
  const std::string before = test::file_content(path);
  EXPECT_EQ(asked(path, "select gpus is null, median_s from result"), median);
  EXPECT_EQ(asked(path, "select status, session is null from attempt"), "ok|1");
  EXPECT_EQ(asked(path, "select count(*) from metric"), "0");
  EXPECT_EQ(test::file_content(path), before);
  (void)good(Store::open_for_writing(path));
  EXPECT_EQ(asked(path, "select gpus is null, median_s from main.result"), median);
  EXPECT_EQ(asked(path, "select * from pragma_user_version"), "5");
}

TEST_F(SchemaTest, AFileOfVersion2IsBroughtUpToDateByAWriter) {
  make("s", {"a"});
  make_version_2(path);
  {
    Store store = good(Store::open_for_writing(path));
    const Digest identity = good(store.identity());
    EXPECT_NE(identity, Digest{});
    EXPECT_EQ(good(good(Reader::open(path)).identity()), identity);
    EXPECT_TRUE(good(store.to_be_continued()).empty());
  }
  make("t", {"b"});
  EXPECT_EQ(asked(path, "select * from pragma_user_version"), "5");
  EXPECT_EQ(asked(path, "select count(*), count(sent_unix_s), count(session) from attempt"), "2|0|0");
  EXPECT_EQ(asked(path, "select count(*) from attempt_history"), "2");
  EXPECT_EQ(asked(path, "select count(*) from sqlite_schema where name = 'event_of_job'"), "1");
}

TEST_F(SchemaTest, HostsThatAreAlikeHaveRowsOfTheirOwnSinceVersion4) {
  const HostRecord first{.fingerprint = digest_of("alike"), .name = "n1", .cpu = "X"};
  HostRecord twin = first;
  twin.name = "n2";
  make("s", {"a"});
  HostId old;
  old = good(good(Store::open_for_writing(path)).add_host(first));
  make_version_3(path);
  EXPECT_EQ(asked(path, "select count(*) from host where name = 'n1' and cpu = 'X'"), "1");
  Store store = good(Store::open_for_writing(path));
  EXPECT_EQ(good(store.add_host(first)), old);
  const HostId other = good(store.add_host(twin));
  EXPECT_NE(other, old);
  EXPECT_EQ(good(store.add_host(twin)), other);
}

// A migrated file and a new one have the same tables, column by column.
TEST_F(SchemaTest, AFileBroughtUpToDateIsLikeANewOne) {
  const std::string shape =
      "select s.name, group_concat(p.name || ' ' || p.type || ' ' || p.\"notnull\") from sqlite_schema s, "
      "pragma_table_info(s.name) p where s.type in ('table', 'view') group by s.name order by s.name";
  make("s", {"a"});
  const std::string fresh = asked(path, shape);
  make_version_1(path);
  (void)good(Store::open_for_writing(path));
  EXPECT_EQ(asked(path, shape), fresh);
}

TEST_F(SchemaTest, AFileOfVersion1IsBroughtUpToDateByAWriter) {
  make("s", {"a"});
  make_version_1(path);
  make("t", {"b"});
  EXPECT_EQ(asked(path, "select * from pragma_user_version"), "5");
  EXPECT_EQ(asked(path, "select repeatable from result order by result"), "0\nnull");
  EXPECT_EQ(asked(path, "select count(*) from conditions where metric is null"), "2");
}

TEST_F(SchemaTest, StrangeNamesOfAxesAreColumnsOfTheView) {
  const std::vector<std::string> names = {
      "select", "a \"quoted\" one", "it's", "größe", "x.y", "a;drop table outcome", "order", "a[0]", "--",
      " "};
  make("odd", names);
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(asked(path, "select " + schema::quoted(names[i]) + " from odd"), std::to_string(i))
        << names[i];
}

TEST_F(SchemaTest, AnAxisNamedLikeAFixedColumnIsPrefixed) {
  make("clash", {"status", "Median_S", "variant", "m", "M", "axis.status", "point"});
  EXPECT_EQ(asked(path,
                  "select status, point, \"axis.status\", \"axis.Median_S\", variant, m, \"axis.M\", "
                  "\"axis.axis.status\", \"axis.point\" from clash"),
            "ok|0|0|1|2|3|4|5|6");
  EXPECT_EQ(asked(path, "select params from results"),
            R"({"status":0,"Median_S":1,"variant":"2","m":3,"M":4,"axis.status":5,"point":6})");
}

TEST_F(SchemaTest, StrangeNamesOfSweepsAreViews) {
  for (const std::string name : {"it's \"one\"", "größe", "select", "a b", "x-y.z"}) {
    make(name, {"a"});
    EXPECT_EQ(asked(path, "select a, sweep from " + schema::quoted(name)), "0|" + name);
  }
}

TEST_F(SchemaTest, ASweepNamedLikeATableGetsAPrefixedView) {
  for (const std::string name : {"results", "Outcome", "sqlite_x", "a@1"}) {
    make(name, {"a"});
    EXPECT_EQ(asked(path, "select sweep from " + schema::quoted("sweep." + name)), name);
  }
  EXPECT_EQ(asked(path, "select count(*) from results"), "4");
}

TEST_F(SchemaTest, TheNameMeansTheNewestSweepAndTheNumberEachOfThem) {
  make("s", {"a"});
  make("s", {"b", "c"});
  EXPECT_EQ(asked(path, "select b, c from s"), "0|1");
  EXPECT_EQ(asked(path, "select a from \"s@1\""), "0");
  EXPECT_EQ(asked(path, "select c from \"s@2\""), "1");
  EXPECT_EQ(asked(path, "select sweep_id, params from results order by 1"),
            "1|{\"a\":0}\n2|{\"b\":0,\"c\":1}");
  EXPECT_EQ(asked(path, "select sweep_id, point, jobs, params from point order by 1"),
            "1|0|1|{\"a\":0}\n2|0|1|{\"b\":0,\"c\":1}");
}

TEST_F(SchemaTest, TwoHundredAxesAreAllColumns) {
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back("axis_" + std::to_string(i));
  make("wide", names);
  EXPECT_EQ(asked(path, "select axis_0, axis_199 from wide"), "0|199");
  EXPECT_EQ(asked(path, "select params ->> 'axis_199' from results"), "199");
  EXPECT_EQ(asked(path, "select count(*) from pragma_table_info('wide')"),
            std::to_string(200 + schema::result_columns().size()));
  make("narrow", {"a"});
  EXPECT_EQ(asked(path, "select params from results where sweep = 'narrow'"), "{\"a\":0}");
}

TEST_F(SchemaTest, ASweepWithoutAxesIsPossible) {
  make("none", {});
  EXPECT_EQ(asked(path, "select status from none"), "ok");
  EXPECT_EQ(asked(path, "select params from results"), "{}");
}

// 600 is more than SQLite joins in one compound select.
TEST_F(SchemaTest, HundredsOfSweepsInOneFileCanBeAskedAtOnce) {
  {
    Store store = good(Store::open_for_writing(path, {Durability::process_crash}));
    for (int i = 0; i < 600; ++i) {
      const SweepId id = good(store.begin_sweep(sweep_named("s" + std::to_string(i), {"a"}))).id;
      good(store.record(Job(id, 0, {i}).ready()));
    }
    good(store.commit());
  }
  EXPECT_EQ(asked(path, "select count(*), sum(params ->> 'a') from results"),
            "600|179700");  // 599 * 600 / 2
}

}  // namespace
}  // namespace kernsweep
