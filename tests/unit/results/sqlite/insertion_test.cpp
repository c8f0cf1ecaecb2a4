#include "results/sqlite/insertion.hpp"

#include "results/sqlite/schema.hpp"

#include "tests/unit/results/made.hpp"

namespace kernsweep {
namespace {

using test::Folder;
using test::good;
using test::why;

using InsertedColumns = std::vector<std::string_view>;

TEST(Insertion, NamesEachColumnInTheOrderOfTheFields) {
  const InsertedColumns columns = {"value", "name", "unit", "result", "better"};
  EXPECT_EQ(good(insertion("metric", columns)),
            R"(insert into metric ("value", "name", "unit", "result", "better") values (?, ?, ?, ?, ?) )");
}

TEST(Insertion, RefusesAListThatIsNotThatOfTheTable) {
  const auto said = [](std::string_view table, const InsertedColumns& columns) {
    return why(insertion(table, columns));
  };
  EXPECT_THAT(said("metric", {"name", "result"}), testing::HasSubstr("metric cannot be written: value"));
  EXPECT_THAT(said("metric", {"name", "result", "value", "better", "unit", "colour"}),
              testing::HasSubstr("colour is not one of its columns"));
  EXPECT_THAT(said("metric", {"name", "result", "value", "better", "unit", "name"}),
              testing::HasSubstr("name is given two"));
  EXPECT_THAT(said("metrics", {"name"}), testing::HasSubstr("not in the schema"));
}

struct MetricRow {
  double value;
  std::string_view name;
  ResultId result;
  std::string_view better = "smaller", unit = "B";
};
constexpr Field<MetricRow> kBackwards[] = {
    {"value", stored<&MetricRow::value>},   {"result", stored<&MetricRow::result>},
    {"name", stored<&MetricRow::name>},     {"unit", stored<&MetricRow::unit>},
    {"better", stored<&MetricRow::better>},
};
constexpr Field<MetricRow> kTooFew[] = {
    {"value", stored<&MetricRow::value>},
    {"result", stored<&MetricRow::result>},
};

TEST(Insertion, PutsEachValueIntoTheColumnOfItsNameWhereverThatStands) {
  const Folder folder;
  const std::string path = folder.file("r.db");
  (void)good(Store::open_for_writing(path));
  auto database = good(sqlite::Connection::open(path, sqlite::Connection::Mode::create));
  // As in early files of version 5, whose columns had another order.
  good(database.execute(
      "drop table metric; create table metric (result integer not null, name text not "
      "null, value real not null, better text, unit text, primary key (result, name)) without rowid"));
  good(insert_one(database, "metric", kBackwards, {2.5, "device_peak_bytes", ResultId{7}}));
  auto row = good(database.prepare("select name, result, value from metric"));
  ASSERT_EQ(row.step(), sqlite::Step::row);
  EXPECT_EQ(row.text(0), "device_peak_bytes");
  EXPECT_EQ(row.integer(1), 7);
  EXPECT_EQ(row.real(2), 2.5);
  EXPECT_THAT(why(prepare_insertion(database, "metric", kTooFew)),
              testing::HasSubstr("name is given no value"));
}

TEST(Insertion, TellsWhatIsNotKnownFromWhatIsEmpty) {
  const Folder folder;
  auto database = good(sqlite::Connection::open(folder.file("x.db"), sqlite::Connection::Mode::create));
  auto row = good(database.prepare("select ?, ?, ?, ?, ?, ?"));
  Parameter(row, 1).set(std::string_view());
  Parameter(row, 2).set_known(std::string_view());
  Parameter(row, 3).set(HostId{});
  Parameter(row, 4).set_known(HostId{});
  Parameter(row, 5).set(std::optional<bool>(false));
  Parameter(row, 6).set(std::optional<bool>());
  ASSERT_EQ(row.step(), sqlite::Step::row);
  for (const int at : {0, 2, 4}) EXPECT_FALSE(row.is_null(at)) << at;
  for (const int at : {1, 3, 5}) EXPECT_TRUE(row.is_null(at)) << at;
}

}  // namespace
}  // namespace kernsweep
