#include "results/sqlite/schema.hpp"
#include "tests/golden_text/places.hpp"

#include <sstream>

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
  const std::string document = test::file_content(source_folder() + "/docs/reference/results.md");
  // The document ends with the generated tables: kernsweep writes them, people write the text above.
  const std::string generated = schema::markdown();
  EXPECT_THAT(document, testing::HasSubstr(generated))
      << "replace the tables at the end of docs/reference/results.md by this:\n"
      << generated;
}

TEST_F(SchemaTest, TheExamplesOfTheDocumentsCanBeRun) {
  make("first-look", {"variant", "threads", "env.OPENBLAS_CORETYPE"});
  const std::string pages = source_folder() + "/docs/";
  const std::string document =
      test::file_content(pages + "guides/asking.md") + test::file_content(pages + "reference/results.md");
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
  EXPECT_GE(examples, 10);
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
      if (table.name == "results" || table.name == "point" || table.name == "verdict")
        expected += ",params";
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
  EXPECT_EQ(asked(path, "select * from pragma_user_version"), std::to_string(schema::kVersion));
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

// As digits that read back as the same float, by any reader of JSON.
TEST_F(SchemaTest, FloatsInParamsAreExact) {
  {
    Store store = good(Store::open_for_writing(path, {Durability::process_crash}));
    const SweepId id = good(store.begin_sweep(sweep_named("s", {"a", "b", "c", "d", "e", "f"}))).id;
    good(store.record(
        Job(id, 0, {0.1 + 0.2, 0.3, 123456789.12345679, 9007199254740994.0, 0.1 + 0.7, "0.5"}).ready()));
    good(store.commit());
  }
  const std::string exact =
      R"({"a":0.30000000000000004,"b":0.3,"c":123456789.12345679,"d":9007199254740994.0,)"
      R"("e":0.79999999999999993,"f":"0.5"})";
  for (const char* view : {"results", "point", "verdict"})
    EXPECT_EQ(asked(path, std::string("select params from ") + view), exact) << view;
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
