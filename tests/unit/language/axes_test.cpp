// Axes: their values and the kinds of these.
#include <gmock/gmock.h>

#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Axes, FourLinesAreACompleteSweep) {
  const auto e = Expansion::parse("sweep: 1\nname: n\nkernel: gemm\naxes: {m: [1, 2]}\n", "s.yaml", {});
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_EQ(e->raw_points(), 2u);
  EXPECT_EQ(e->raw_jobs(), 40u);  // twenty processes at most of so few points
  EXPECT_TRUE(e->unfiltered());
}

TEST(Axes, JsonIsASweepFileTooEvenIndentedWithTabs) {
  const auto e = Expansion::parse(
      "{\n\t\"sweep\": 1,\n\t\"name\": \"n\",\n\t\"kernel\":\"gemm\",\n\t\"axes\": {\"m\": [1, 2], \"d\": "
      "[\"f32\"]}\n}",
      "s.json", {});
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(points_of(*e), ElementsAre("m=1 d=f32", "m=2 d=f32"));
  EXPECT_EQ(kind_in(*e, "m"), "integer");
}

TEST(Axes, AKindIsDecidedOverAllValuesOfAnAxis) {
  const auto e =
      expansion_of("axes: {i: [1, 2], f: [1, 2.5], b: [true, false], t: [1, auto], n: [null, 4]}");
  EXPECT_EQ(kind_in(e, "i"), "integer");
  EXPECT_EQ(kind_in(e, "f"), "float");
  EXPECT_EQ(kind_in(e, "b"), "boolean");
  EXPECT_EQ(kind_in(e, "t"), "text");
  EXPECT_EQ(kind_in(e, "n"), "null");
  EXPECT_THAT(points_of(expansion_of("axes: {n: [null, 4]}")), ElementsAre("", "n=4"));
}

TEST(Axes, WordsThatOtherYamlReadersConvertStayAsWritten) {
  EXPECT_THAT(points_of(expansion_of("axes: {a: [on, no, 1e-4, 12:30, 0x10, Null, 010]}")),
              ElementsAre("a=on", "a=no", "a=1e-4", "a=12:30", "a=0x10", "a=Null", "a=010"));
}

TEST(Axes, QuotesMakeTextOfEverything) {
  EXPECT_EQ(kind_in(expansion_of("axes: {a: ['1', '2']}"), "a"), "text");
  EXPECT_EQ(kind_in(expansion_of("axes: {a: [1, '2']}"), "a"), "text");
  EXPECT_EQ(kind_in(expansion_of("axes: {a: ['null']}"), "a"), "text");
}

TEST(Axes, TheEnvironmentHoldsTextWhateverItLooksLike) {
  EXPECT_EQ(kind_in(expansion_of("axes: {env.N: [1, 2]}"), "env.N"), "text");
  EXPECT_EQ(kind_in(expansion_of("axes: {env.N: {pow2: [0, 2]}}"), "env.N"), "text");
  EXPECT_EQ(kind_in(expansion_of("axes: {env.N: [null]}"), "env.N"), "null");
}

TEST(Axes, OneScalarIsOneValue) {
  EXPECT_THAT(points_of(expansion_of("axes: {a: 5}")), ElementsAre("a=5"));
}

TEST(Axes, RangesIncludeBothEnds) {
  EXPECT_THAT(points_of(expansion_of("axes: {a: {range: [1, 3]}}")), ElementsAre("a=1", "a=2", "a=3"));
  EXPECT_THAT(points_of(expansion_of("axes: {a: {range: [-4, 4], step: 4}}")),
              ElementsAre("a=-4", "a=0", "a=4"));
  EXPECT_THAT(points_of(expansion_of("axes: {a: {range: [32, 128], mul: 2}}")),
              ElementsAre("a=32", "a=64", "a=128"));
  EXPECT_THAT(points_of(expansion_of("axes: {a: {range: [7, 7]}}")), ElementsAre("a=7"));
}

TEST(Axes, RangesOfFractionsCountInDecimalSteps) {
  // 3 * 0.1 is 0.30000000000000004 in binary; the axis says 0.3. 0 to 1 in tenths has 11 values.
  const auto points = points_of(expansion_of("axes: {a: {range: [0, 1], step: 0.1}}"));
  ASSERT_EQ(points.size(), 11u);
  EXPECT_EQ(points[3], "a=0.3");
  EXPECT_EQ(points[10], "a=1.0");
  // 0.3 / 0.1 is 2.9999999999999996.
  EXPECT_EQ(points_of(expansion_of("axes: {a: {range: [0, 0.3], step: 0.1}}")).size(), 4u);
  EXPECT_THAT(points_of(expansion_of("axes: {a: {range: [1, 2.25], mul: 1.5}}")),
              ElementsAre("a=1.0", "a=1.5", "a=2.25"));
}

TEST(Axes, WholeNumbersAreExactToTheEndsOf64Bits) {
  // 2^63-1 is not a double: arithmetic in doubles would lose the last digit.
  EXPECT_THAT(points_of(expansion_of("axes: {a: {range: [9223372036854775805, 9223372036854775807]}}")),
              ElementsAre("a=9223372036854775805", "a=9223372036854775806", "a=9223372036854775807"));
  EXPECT_THAT(points_of(expansion_of("axes: {a: {range: [-9223372036854775808, 9223372036854775807], "
                                     "step: 9223372036854775807}}")),
              ElementsAre("a=-9223372036854775808", "a=-1", "a=9223372036854775806"));
  EXPECT_THAT(
      points_of(expansion_of("axes: {a: {range: [4611686018427387904, 9223372036854775807], mul: 2}}")),
      ElementsAre("a=4611686018427387904"));
}

TEST(Axes, PowersOfTwoAreGivenByExponents) {
  EXPECT_THAT(points_of(expansion_of("axes: {a: {pow2: [0, 4]}}")),
              ElementsAre("a=1", "a=2", "a=4", "a=8", "a=16"));
  EXPECT_THAT(points_of(expansion_of("axes: {a: {pow2: [1, 5, 2]}}")), ElementsAre("a=2", "a=8", "a=32"));
  EXPECT_THAT(points_of(expansion_of("axes: {a: {pow2: [62, 62]}}")), ElementsAre("a=4611686018427387904"));
}

TEST(Axes, ARangeThatMissesItsEndSaysSo) {
  EXPECT_THAT(expansion_of("axes: {a: {range: [0, 10], step: 4}}").notes(),
              ElementsAre("s.yaml:4:19: the range of 'a' ends at 8 and misses 10"));
  EXPECT_THAT(expansion_of("axes: {a: {range: [1, 10], mul: 2}}").notes(),
              ElementsAre("s.yaml:4:19: the range of 'a' ends at 8 and misses 10"));
  EXPECT_THAT(expansion_of("axes: {a: {pow2: [0, 3, 2]}}").notes(),
              ElementsAre("s.yaml:4:18: the range of 'a' ends at 4 and misses 8"));
  EXPECT_THAT(expansion_of("axes: {a: {range: [0, 8], step: 4}, b: {range: [0, 1], step: 0.1}}").notes(),
              IsEmpty());
}

TEST(Axes, ARecordAxisUnfoldsIntoColumnsThatBelongTogether) {
  const auto e = expansion_of("axes: {shape: [{label: a, m: 1, n: 2}, {n: 4, label: b, m: 3}], t: [1, 2]}");
  EXPECT_THAT(points_of(e), ElementsAre("label=a m=1 n=2 t=1", "label=a m=1 n=2 t=2", "label=b m=3 n=4 t=1",
                                        "label=b m=3 n=4 t=2"));
  EXPECT_EQ(e.sweep().columns[1].origin, Column::Origin::record);
  EXPECT_EQ(e.sweep().columns[3].origin, Column::Origin::axis);
}

TEST(Axes, ATableIsARecordAxisBesideTheSweep) {
  const Folder folder;
  folder.write("problems/p.csv", "# a comment\nlabel,m,lib,x\n1,4,\"a, \"\"b\"\"\",0.5\r\n\n2,8,,2\n");
  const auto sweep = folder.write("s.yaml", with_head("axes: {shape: {table: problems/p.csv}}"));
  const auto e = Expansion::read(sweep, {});
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(points_of(*e), ElementsAre("label=1 m=4 lib=a, \"b\" x=0.5", "label=2 m=8 x=2.0"));
  EXPECT_EQ(kind_in(*e, "label"), "text");  // a label is a name
}

TEST(Axes, ATableIsAlsoFoundByItsNameBesideTheSweep) {
  const Folder folder;
  folder.write("p.csv", "m\n4\n");
  const auto e =
      Expansion::read(folder.write("s.yaml", with_head("axes: {s: {table: far/away/p.csv}}")), {});
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(points_of(*e), ElementsAre("m=4"));
}

TEST(Axes, ATableIsRefusedForTextWithoutAFile) {
  const auto e = Expansion::parse(with_head("axes: {s: {table: /etc/passwd}}"), "", {});
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().message, "sweep:4:19: tables are read only for a sweep that is a file");
}

std::string table_error(const std::string& content) {
  const Folder folder;
  const auto table = folder.write("p.csv", content);
  const auto e = Expansion::read(folder.write("s.yaml", with_head("axes: {s: {table: p.csv}}")), {});
  if (e) return "";
  const auto& message = e.error().message;
  const auto at = message.find("p.csv");
  return at == std::string::npos ? message : message.substr(at);
}

TEST(Axes, ABadTableSaysFileAndLine) {
  EXPECT_EQ(table_error("m,n\n1,2\n3\n"), "p.csv:3:1: 1 cells, but the table has 2 columns");
  EXPECT_EQ(table_error("m,n\n1,2,3\n"), "p.csv:2:1: 3 cells, but the table has 2 columns");
  EXPECT_EQ(table_error("m,,k\n1,2,3\n"), "p.csv:1:3: a column without a name");
  EXPECT_EQ(table_error("m,m\n1,2\n"), "p.csv:1:3: column 'm' appears twice");
  EXPECT_EQ(table_error("# m\n"), "p.csv:1:1: an empty table; its first line names the columns");
  EXPECT_EQ(table_error("m,n\n"), "p.csv:1:1: a table without rows");
  const std::string apart =
      ", not commas; save the table with commas (a cell that has one in double quotes)";
  EXPECT_EQ(table_error("m;n\n1,5;2\n"), "p.csv:1:1: the columns are separated by semicolons" + apart);
  EXPECT_EQ(table_error("# m\n\nm\tn\n1\t2\n"), "p.csv:3:1: the columns are separated by tabs" + apart);
  EXPECT_EQ(table_error("m|n\n1|2\n"), "p.csv:1:1: the columns are separated by '|'" + apart);
  for (const char* lines : {"m,n\r1,2\r", "# m\rm\r1", "m\r1\n"})
    EXPECT_EQ(table_error(lines),
              "p.csv:1:1: the lines end with a carriage return alone; save the table "
              "with line feeds (LF)");
  EXPECT_EQ(
      table_error("m,n\n30,4096\n30,4O96\n"),
      "p.csv:3:4: column 'n' holds numbers, but '4O96' is none; put its first value in quotes for text");
  EXPECT_EQ(table_error("m\n\"1\n"), "p.csv:2:1: a quote that is not closed in its line");
  EXPECT_EQ(table_error("m\n\xff\n"), "p.csv:2:1: byte 0xff is not UTF-8; save the file as UTF-8");
}

TEST(Axes, AMissingTableIsAnErrorAtItsPlaceInTheSweep) {
  const Folder folder;
  const auto sweep = folder.write("s.yaml", with_head("axes:\n  s: {table: none.csv}"));
  const auto e = Expansion::read(sweep, {});
  ASSERT_FALSE(e);
  EXPECT_EQ(e.error().message,
            sweep + ":5:14: table " + folder.path("none.csv") + ": there is no such file");
}

// The float next to it would be measured in its place.
TEST(Axes, AWholeNumberThatFractionsWouldRoundIsRefused) {
  const std::string why =
      "'n' has fractions, next to which 9007199254740993 would become 9007199254740992.0; write "
      "9007199254740992.0 if that is meant, or give 'n' whole numbers only";
  EXPECT_EQ(error_of("axes: {n: [0.5, 9007199254740993]}"), "s.yaml:4:17: " + why);
  EXPECT_EQ(error_of("axes: {s: [{n: 9007199254740993}, {n: 0.5}]}"), "s.yaml:4:16: " + why);
  EXPECT_EQ(table_error("n,m\n9007199254740993,1\n0.5,2\n"), "p.csv:2:1: " + why);
  EXPECT_EQ(error_of("axes: {n: [1]}", Replacements{{"n=[9007199254740993,0.5]"}, {}, "", "", false}),
            "on the command line, -a 'n=[9007199254740993,0.5]': " + why);
  EXPECT_EQ(error_of("axes: {n: [0.5]}\ninclude: [{n: 9007199254740993}]"), "s.yaml:5:15: " + why);
  EXPECT_EQ(error_of("axes: {m: [1]}\ninclude: [{m: 2, n: 0.5}, {m: 3, n: 9007199254740993}]"),
            "s.yaml:5:37: " + why);
  EXPECT_EQ(error_of("axes: {n: [0.5]}\nexclude: [{n: 9007199254740993}]"), "s.yaml:5:15: " + why);
  EXPECT_EQ(
      error_of("axes: {n: {range: [9007199254740993, 9007199254740995], step: 0.5}}"),
      "s.yaml:4:19: axis 'n': a range with fractions has 12 digits, and 9007199254740993 would become "
      "9007199254740000.0; list its values");
  EXPECT_EQ(
      error_of("axes: {n: [0.5, 9223372036854775807]}"),
      "s.yaml:4:17: 'n' has fractions, next to which 9223372036854775807 would become "
      "9223372036854775808.0; write 9223372036854775808.0 if that is meant, or give 'n' whole numbers "
      "only");
  EXPECT_EQ(error_of("axes: {n: [0.5, 9007199254740992, 9007199254740994], m: [9007199254740993]}"), "");
}

TEST(Axes, ValuesThatStandTwiceAreRefused) {
  EXPECT_EQ(error_of("axes: {a: [1, 2, 1]}"),
            "s.yaml:4:18: value '1' appears twice in axis 'a'; remove one");
  EXPECT_EQ(error_of("axes: {a: [1e5, 2, 1E5]}"),
            "s.yaml:4:20: '1E5' is the same value as '1e5' in axis 'a'; remove one");
  // Notes do not distinguish points: both rows would be one job.
  EXPECT_EQ(error_of("axes:\n  s:\n  - {label: x, m: 1}\n  - {label: y, m: 1}"),
            "s.yaml:7:5: axis 's': this row measures the same as the one at s.yaml:6:5 (`label` and "
            "`count` are notes and do not distinguish points); remove one");
}

TEST(Axes, AHugeRangeCostsNothing) {
  const auto e = expansion_of("axes: {a: {range: [0, 999999999]}, b: [1, 2]}");
  EXPECT_EQ(e.raw_points(), 2'000'000'000u);
  Point point;
  e.point_at(1'999'999'999, point);
  EXPECT_EQ(text_of(e, point), "a=999999999 b=2");
}

}  // namespace
}  // namespace kernsweep::sweep_test
