#include "results/report/columns.hpp"

#include <cstring>

#include "tests/unit/results/read/query_fixture.hpp"

namespace kernsweep {
namespace {

using test::good;
using test::QueryTest;

struct Columns : QueryTest {
  std::string line, bytes;

  void ask(const std::string& sql) {
    Reader r = reader();
    std::string all;
    good(export_columns(r, sql, [&](std::string_view piece) -> Status {
      all += piece;
      return Done{};
    }));
    const std::size_t end = all.find('\n') + 1;
    line = all.substr(0, all.find_last_not_of(' ', end - 2) + 1);
    bytes = all.substr(end);
    EXPECT_EQ(end % 64, 0U);
  }
  template <class T>
  T at(std::size_t place) const {
    T value{};
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
  }
};

TEST_F(Columns, EachKindHasItsPart) {
  begin("s", {"a"});
  ask("select -2 as i, 2.5 as r, 'x' as t, x'00ff' as b union all values (null, 3, null, null);");
  EXPECT_EQ(line, R"({"columns_version":1,"rows":2,"bytes":72,"columns":[)"
                  R"({"name":"i","at":0,"kind":"integer","nulls":true},)"
                  R"({"name":"r","at":24,"kind":"real"},)"
                  R"({"name":"t","at":40,"kind":"codes","width":1,"values":["x"]},)"
                  R"({"name":"b","at":48,"kind":"blob"}]})");
  ASSERT_EQ(bytes.size(), 72U);
  EXPECT_EQ(at<std::int64_t>(0), -2);
  EXPECT_EQ(bytes.substr(16, 2), std::string("\0\1", 2));
  EXPECT_EQ(at<double>(24), 2.5);
  EXPECT_EQ(at<double>(32), 3.0);
  EXPECT_EQ(at<std::int8_t>(40), 0);
  EXPECT_EQ(at<std::int8_t>(41), -1);
  EXPECT_EQ(at<std::int64_t>(48), 2);
  EXPECT_EQ(at<std::int64_t>(56), -1);
  EXPECT_EQ(bytes.substr(64, 2), std::string("\0\xff", 2));
}

TEST_F(Columns, ValuesOfSeveralKindsAreCodesAndNoneIsLost) {
  begin("s", {"a"});
  ask("select 9007199254740993 as n, x'0a' as m, null as z union all values (0.5, 'y', null)");
  EXPECT_EQ(line, R"({"columns_version":1,"rows":2,"bytes":24,"columns":[)"
                  R"({"name":"n","at":0,"kind":"codes","width":1,"values":[9007199254740993,0.5]},)"
                  R"({"name":"m","at":8,"kind":"codes","width":1,"values":["0a","y"]},)"
                  R"({"name":"z","at":16,"kind":"codes","width":1,"values":[]}]})");
}

TEST_F(Columns, WithoutRowsThereAreColumns) {
  begin("s", {"a"});
  ask("select 1 as a where 0 -- nothing");
  EXPECT_EQ(line, R"({"columns_version":1,"rows":0,"bytes":0,"columns":[)"
                  R"({"name":"a","at":0,"kind":"codes","width":1,"values":[]}]})");
  EXPECT_EQ(bytes, "");
}

TEST_F(Columns, WhatHasNoColumnsIsRefused) {
  begin("s", {"a"});
  Reader r = reader();
  int pieces = 0;
  const auto sink = [&](std::string_view) -> Status {
    ++pieces;
    return Done{};
  };
  for (const char* sql :
       {"explain select 1", "select 1 as a, 2 as a", "delete from sweep", "select nothing"})
    EXPECT_FALSE(export_columns(r, sql, sink)) << sql;
  EXPECT_EQ(pieces, 0);
}

}  // namespace
}  // namespace kernsweep
