#include "results/text/table.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "results/text/units.hpp"

namespace kernsweep {
namespace {

TEST(Units, SecondsHaveThreeDigitsAndAFittingUnit) {
  EXPECT_EQ(text_of_seconds(0), "0 s");
  EXPECT_EQ(text_of_seconds(1.234e-9), "1.23 ns");
  EXPECT_EQ(text_of_seconds(12.34e-6), "12.3 µs");
  EXPECT_EQ(text_of_seconds(999.4e-6), "999 µs");
  EXPECT_EQ(text_of_seconds(999.6e-6), "1.00 ms");  // never "1000 µs"
  EXPECT_EQ(text_of_seconds(9.996e-3), "10.0 ms");
  EXPECT_EQ(text_of_seconds(123.4), "123 s");
  EXPECT_EQ(text_of_seconds(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Units, WaitsAreReadAsClocks) {
  EXPECT_EQ(text_of_wait(12.34), "12.3 s");
  EXPECT_EQ(text_of_wait(59.97), "1 min 00 s");
  EXPECT_EQ(text_of_wait(245), "4 min 05 s");
  EXPECT_EQ(text_of_wait(12000), "3 h 20 min");
  EXPECT_EQ(text_of_wait(-1), "-");
  EXPECT_EQ(text_of_wait(1e300), "-");
}

// The text of a setting in a table can be used as input.
TEST(Table, ShowsValuesOfSettingsExactlyAndNumbersOfOursShort) {
  const RowSet rows{{"size", "size"}, {{123456.5, 123456.5}, {0.00012345, 0.00012345}, {Value(), Value()}}};
  EXPECT_EQ(text_table(rows, {.settings = 1}),
            "      size       size\n"
            "  123456.5     123456\n"
            "0.00012345  0.0001234\n"
            "         -          -\n");
}

TEST(Table, ShowsLongTextsWholeWhereTheyWouldLookAlike) {
  const std::string same(70, 'x'), other(70, 'y');
  const RowSet rows{{"a", "b"}, {{same + "1", other}, {same + "2", other}}};
  EXPECT_EQ(text_table(rows), "a" + std::string(72, ' ') + "b\n" + same + "1  " + std::string(59, 'y') +
                                  "…\n" + same + "2  " + std::string(59, 'y') + "…\n");
  EXPECT_EQ(shortened_apart({same + "1", other, same + "1"}, 60),
            (std::vector<std::string>{std::string(59, 'x') + "…", std::string(59, 'y') + "…",
                                      std::string(59, 'x') + "…"}));
}

// The winner of a row, and what it is compared with, are named whole.
TEST(Table, ShowsSettingsWhole) {
  const std::string file = "/data/" + std::string(100, 'x'), other = "file=/data/" + std::string(100, 'y');
  const std::string text =
      text_table({{"file", "runner_up", "note"}, {{file, other, file}}}, {.settings = 1});
  EXPECT_EQ(text.substr(text.find('\n') + 1), file + "  " + other + "  " + file.substr(0, 59) + "…\n");
}

TEST(Units, NumbersHaveFourDigits) {
  EXPECT_EQ(text_of_number(35.1249), "35.12");
  EXPECT_EQ(text_of_number(1834.4), "1834");
  EXPECT_EQ(text_of_number(123456.7), "123457");
  EXPECT_EQ(text_of_number(0.05), "0.05");
  EXPECT_EQ(text_of_number(-2.5), "-2.5");
  EXPECT_EQ(text_of_number(1e-7), "1.000e-07");
  EXPECT_EQ(text_of_number(0), "0");
}

TEST(Units, BytesAndCounts) {
  EXPECT_EQ(text_of_bytes(0), "0 B");
  EXPECT_EQ(text_of_bytes(1023), "1023 B");
  EXPECT_EQ(text_of_bytes(1.5 * 1024 * 1024 * 1024), "1.5 GiB");
  EXPECT_EQ(text_of_count(999), "999");
  EXPECT_EQ(text_of_count(1234567), "1,234,567");
}

TEST(Table, NumbersStandRightTextsLeftAndNullIsADash) {
  const RowSet rows{{"variant", "m", "median_s", "gflops", "times_better"},
                    {{"blas", 64, 12.34e-6, 35.1249, 2.5}, {"µ", 1024, 1.0, Value(), Value()}}};
  EXPECT_EQ(text_table(rows),
            "variant     m   median  gflops  times_better\n"
            "blas       64  12.3 µs   35.12         2.50x\n"
            "µ        1024   1.00 s       -             -\n");
}

// Two columns for each Chinese character, none for the accent over the e.
TEST(Table, ColumnsLineUpInAnyScript) {
  const RowSet rows{{"name", "n"}, {{"矩阵", 1}, {"e\u0301", 2}, {"abcd", 3}, {"🚀", 4}}};
  EXPECT_EQ(text_table(rows), "name  n\n矩阵  1\ne\u0301     2\nabcd  3\n🚀    4\n");
  EXPECT_EQ(shortened("矩阵矩阵", 6), "矩阵…");
  EXPECT_EQ(shortened("矩阵", 4), "矩阵");
  EXPECT_EQ(text_width("\xFF\xE7\x9F"), 3u) << "bytes that are no UTF-8";
}

TEST(Table, ARateBySecondsIsNoTime) {
  const RowSet rows{{"items_per_s", "items_per_s_low", "wait_s"}, {{230455.0, 8868.5, 0.5}}};
  EXPECT_EQ(text_table(rows),
            "items_per_s  items_per_s_low    wait\n"
            "     230455             8868  500 ms\n");
}

TEST(Table, LongTablesAndCellsAreCut) {
  RowSet rows{{"a"}, {}};
  for (int i = 0; i < 1234; ++i) rows.rows.push_back({Value("0123456789")});
  EXPECT_EQ(text_table(rows, {.rows_max = 2, .cell_max = 5}), "a\n0123…\n0123…\n... and 1,232 more rows\n");
}

TEST(Table, NoRowsIsTheHeaderAndControlCharactersAreSpaces) {
  EXPECT_EQ(text_table({{"a", "b"}, {}}), "a  b\n");
  EXPECT_EQ(text_table({{"a"}, {{Value("x\n\x1B[31my")}}}), "a\nx  [31my\n");
}

TEST(Table, EmptyColumnsCanBeDropped) {
  const RowSet rows{{"a", "b"}, {{1, Value()}, {2, Value()}}};
  EXPECT_EQ(text_table(rows, {.drop_empty_columns = true}), "a\n1\n2\n");
}

TEST(Table, ListsKeepLinesOfAValueTogether) {
  EXPECT_EQ(text_list({{"median_s", 0.5}, {"environment", "A=1\nB=2"}, {"empty", ""}}, "  "),
            "  median_s     500 ms\n"
            "  environment  A=1\n"
            "               B=2\n"
            "  empty        \n");
}

TEST(Units, RestsAreWholeSecondsAndAtLeastOne) {
  EXPECT_EQ(text_of_rest(0), "1 s");
  EXPECT_EQ(text_of_rest(0.2), "1 s");
  EXPECT_EQ(text_of_rest(26.4), "27 s");
  EXPECT_EQ(text_of_rest(59), "59 s");
  EXPECT_EQ(text_of_rest(59.1), "1 min 00 s");
  EXPECT_EQ(text_of_rest(245), "4 min 05 s");
  EXPECT_EQ(text_of_rest(-1), "-");
  EXPECT_EQ(text_of_rest(99 * 3600), "99 h 00 min");
  EXPECT_EQ(text_of_rest(12 * 86400), "12 days");
  EXPECT_EQ(text_of_rest(1358152 * 3600.0), "more than a year");
}

TEST(Units, RatesHaveAtMostThreeDigits) {
  EXPECT_EQ(text_of_rate(0), "0/s");
  EXPECT_EQ(text_of_rate(1.5783), "1.58/s");
  EXPECT_EQ(text_of_rate(0.012345), "0.0123/s");
  EXPECT_EQ(text_of_rate(999.4), "999/s");
  EXPECT_EQ(text_of_rate(999.6), "1,000/s");
  EXPECT_EQ(text_of_rate(12345), "12,300/s");
  EXPECT_EQ(text_of_rate(std::numeric_limits<double>::infinity()), "-/s");
}

TEST(Units, MomentsAreIso8601InUtc) {
  EXPECT_EQ(text_of_moment(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(text_of_moment(951782399.9), "2000-02-28T23:59:59Z");  // date -u -d @951782399
  EXPECT_EQ(text_of_moment(951782400), "2000-02-29T00:00:00Z");
  EXPECT_EQ(text_of_moment(-1), "-");
  EXPECT_EQ(text_of_moment(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Table, WrappingBreaksBetweenWordsOnly) {
  EXPECT_EQ(wrapped("aa bb cc", 5), "aa bb\ncc");
  EXPECT_EQ(wrapped("aa bb cc", 4), "aa\nbb\ncc");
  EXPECT_EQ(wrapped("a muchtoolong b", 5), "a\nmuchtoolong\nb");
  EXPECT_EQ(wrapped("two\nlines stay", 10), "two\nlines stay");
  EXPECT_EQ(wrapped("µµ µµ", 5), "µµ µµ");  // columns, not bytes
  EXPECT_EQ(wrapped("", 5), "");
}

}  // namespace
}  // namespace kernsweep
