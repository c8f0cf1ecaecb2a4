// Values in the form in which answers print them: -a, --only, exclude, include and claims take them.
#include <gmock/gmock.h>

#include "shared/text/command_line.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

// What the program of each point gets.
Texts run_by(const std::string& rest, const Replacements& given = {}) {
  const auto made = Expansion::parse("sweep: 1\nname: n\ncommand: c {f} {t}\n" + rest, "s.yaml", given);
  if (!made) return {made.error().message};
  Texts out;
  for (const std::string& point : points_of(*made)) out.push_back(point.substr(point.find("=c ") + 3));
  return out;
}

Texts with_axis(const std::string& rest, const std::string& axis) {
  Replacements typed;
  typed.axes = {axis};
  return run_by(rest, typed);
}

Texts with_only(const std::string& rest, const std::string& only) {
  Replacements typed;
  typed.only = only;
  return run_by(rest, typed);
}

const std::string kTruths = "axes: {f: [true, false], t: [x]}\n";

TEST(TypedBack, TruthsAsADatabaseHoldsThem) {
  for (const char* one : {"1", "true"}) {
    const std::string word = one;
    EXPECT_THAT(with_axis(kTruths, "f=" + word), ElementsAre("true x"));
    EXPECT_THAT(with_axis(kTruths, "f=[" + word + ", null, 0]"), ElementsAre("true x", "x", "false x"));
    EXPECT_THAT(with_only(kTruths, "f == " + word), ElementsAre("true x"));
    EXPECT_THAT(run_by(kTruths + "exclude: [{f: " + word + "}]"), ElementsAre("false x"));
    EXPECT_THAT(run_by("axes: {f: [false, null], t: [x]}\ninclude: [{f: " + word + ", t: x}]"),
                ElementsAre("false x", "x", "true x"));
    EXPECT_THAT(run_by(kTruths + "claims: [{name: c, faster: {f: " + word + "}, than: {f: false}}]"),
                ElementsAre("true x", "false x"));
  }
  EXPECT_THAT(with_axis(kTruths, "f=[1, 2]"), ElementsAre("1 x", "2 x")) << "2 is no truth";
  EXPECT_THAT(with_axis("axes: {f: [0, 1], t: [x]}", "f=1"), ElementsAre("1 x"));
}

TEST(TypedBack, TextWithoutItsQuotes) {
  const std::string file = "axes: {f: ['3.9', '3.10', 'true'], t: [x, -O2]}\n";
  EXPECT_THAT(with_axis(file, "f=3.10"), ElementsAre("3.10 x", "3.10 -O2"));
  EXPECT_THAT(with_only(file, "f == 3.10 and t == x"), ElementsAre("3.10 x"));
  EXPECT_THAT(with_only(file, "f in [3.9, true] and t != x"), ElementsAre("3.9 -O2", "true -O2"));
  EXPECT_THAT(with_only(file, "f == '3.10' and t == \"x\""), ElementsAre("3.10 x"));
  EXPECT_THAT(run_by(file + "exclude: [{f: 3.10}, {f: true}]"), ElementsAre("3.9 x", "3.9 -O2"));
}

// A dash and null are text where the file has them as text; answers print null as a dash.
TEST(TypedBack, DashesAndNull) {
  EXPECT_THAT(with_axis("axes: {f: ['-', x], t: [x]}", "f=-"), ElementsAre("- x"));
  EXPECT_THAT(with_axis("axes: {f: [y, x], t: [x]}", "f=-"), ElementsAre("- x"));
  EXPECT_THAT(with_axis("axes: {f: ['-', null], t: [x]}", "f=[-, null]"), ElementsAre("- x", "x"));
  EXPECT_THAT(with_axis("axes: {f: [null, y], t: [x]}", "f=-"), ElementsAre("x"));
  EXPECT_THAT(with_axis("axes: {f: [null, true], t: [x]}", "f=[-, 1]"), ElementsAre("x", "true x"));
  for (const std::string text : {"null", "~"}) {
    EXPECT_THAT(with_axis("axes: {f: ['" + text + "', x], t: [x]}", "f=" + text),
                ElementsAre((text == "~" ? "'~'" : text) + " x"));
    EXPECT_THAT(with_axis("axes: {f: [1, x], t: [x]}", "f=" + text), ElementsAre("x"));
    EXPECT_THAT(with_axis("axes: {f: ['" + text + "', null], t: [x]}", "f=" + text), ElementsAre("x"));
  }
}

TEST(TypedBack, ANumberMeansTheOneValueThatIsTheSame) {
  const std::string file = "axes: {f: ['1e5', '.5', '007', '07', y], t: [.5, 1e3, 07]}\n";
  const auto without = [&](const std::string& f) {
    return run_by(file + "exclude: [{f: " + f + "}]").size();
  };
  const auto claimed = [&](const std::string& f, const std::string& t) {
    return run_by(file + "claims: [{name: c, faster: {f: " + f + ", t: " + t + "}, than: {f: y}}]");
  };
  for (const char* f : {"1e5", "100000", "1e+5", "0.5", "007", "'007'"}) {
    EXPECT_EQ(without(f), 12U) << f;
    EXPECT_EQ(claimed(f, "0.50").size(), 15U) << f;
    EXPECT_EQ(claimed(f, "7").size(), 15U) << f;
  }
  EXPECT_EQ(run_by(file + "exclude: [{t: 0.5}, {t: 7}]").size(), 5U);
  EXPECT_THAT(with_only(file, "f == 100000 and t == 0.5"), ElementsAre("1e5 .5"));
  EXPECT_THAT(with_only(file, "f in [0.50, 1e5] and t == 1000"), ElementsAre("1e5 1000", ".5 1000"));
  EXPECT_THAT(with_only(file, "f == 7.0"), ElementsAre(IsGolden()));
  EXPECT_THAT(run_by(file + "exclude: [{f: 7}]"), ElementsAre(IsGolden()));
  EXPECT_THAT(claimed("7", "7"), ElementsAre(IsGolden()));
  EXPECT_THAT(claimed("'100000'", "7"), ElementsAre(IsGolden())) << "in quotes it is that text";
}

// A number is equal to its numbers, and its text to the spelling that a program gets.
TEST(TypedBack, ANumberWithLeadingZeros) {
  const std::string file = "axes: {f: [1.50, 2, 7, 007, -01], t: [x]}\n";
  for (const char* value : {"007", "\"007\"", "'007'"}) {
    const std::string f = value;
    EXPECT_THAT(with_axis(file, "f=" + f), ElementsAre("007 x")) << f;
    EXPECT_THAT(with_only(file, "f == " + f), ElementsAre("007 x")) << f;
    EXPECT_THAT(with_only(file, "f in [1.50, " + f + "] and t == x"), ElementsAre("1.50 x", "007 x")) << f;
    EXPECT_THAT(with_only(file, "f != " + f), ElementsAre("1.50 x", "2 x", "7 x", "-01 x")) << f;
    EXPECT_THAT(run_by(file + "exclude: [{f: " + f + "}]"), ElementsAre("1.50 x", "2 x", "7 x", "-01 x"));
  }
  EXPECT_THAT(with_only(file, "f == -01"), ElementsAre("-01 x"));
  EXPECT_THAT(with_only(file, "f==7"), ElementsAre("7 x", "007 x")) << "by number";
  EXPECT_THAT(run_by(file + "constraints: ['\"007\" != f', 'f not in [\"1.50\"]']"),
              ElementsAre("2 x", "7 x", "-01 x"));
  EXPECT_THAT(with_only("axes: {f: [7, 007], t: [x]}", "f == 007"), ElementsAre("007 x"));
  EXPECT_THAT(with_only(file, "f <= 007"), ElementsAre(IsGolden()));
  EXPECT_THAT(with_only(file, "f == 08"), ElementsAre(IsGolden())) << "not one of its values";
}

const std::string kOdd =
    "axes: {f: ['', ' ', '!t', '&a', '|', '>', '---', '[1]', \"'q'\", 'a #b', 'trailing ', 'x=1', 'a,b', "
    "-v, é, "
    "'a:b', '~', 'x y', \"new\\nline\"], t: [x]}\n";

TEST(TypedBack, TextThatYamlWouldReadOtherwise) {
  for (const std::string text : {"!t", "&a", "|", ">", "---", "[1]", "'q'", "a #b", "trailing ", "x=1",
                                 "a,b", "-v", "é", "a:b", "~", "x y", "", " "})
    EXPECT_THAT(with_axis(kOdd, "f=" + text), ElementsAre(quoted_word(text) + " x")) << text;
  EXPECT_THAT(with_axis(kOdd, "f=new line"), ElementsAre("'new\nline' x")) << "as it is printed";
  EXPECT_THAT(with_axis(kOdd, "f=[!t]"), ElementsAre(IsGolden())) << "a list is YAML";
  EXPECT_THAT(with_axis("axes: {f: ['', null], t: [x]}", "f="), ElementsAre("'' x"));
}

TEST(TypedBack, TextThatYamlReadsOtherwiseIsRefusedWithItsQuotes) {
  std::string out;
  for (const std::string text :
       {"!t", "&a", "*a", "|", ">", "---", "", " ", "a #b", "'a' #b", "- a", "it's: {", "[1"})
    out += text + "\n" + with_axis("axes: {f: [x], t: [x]}", "f=" + text).front() + "\n";
  EXPECT_THAT(out, IsGolden());
  EXPECT_THAT(with_axis("axes: {f: [x], t: [x]}", "f='a #b'"), ElementsAre("'a #b' x"));
  EXPECT_THAT(with_axis("axes: {f: [x], t: [x]}", "f='it''s'"), ElementsAre("'it'\\''s' x"));
  EXPECT_THAT(with_axis("axes: {f: [x], t: [x]}", "f= 4 "), ElementsAre("4 x"));
}

TEST(TypedBack, OddTextInOnlyWithoutQuotes) {
  for (const std::string text : {"!t", "x=1", "a,b", "-v", "é", "a:b", "~", "x y"}) {
    EXPECT_THAT(with_only(kOdd, "f == " + text), ElementsAre(quoted_word(text) + " x")) << text;
    EXPECT_EQ(with_only(kOdd, "t == x and f != " + text).size(), 18U) << text;
  }
  EXPECT_THAT(with_only(kOdd, "(f in [a:b, x=1] or f==new line) and true"),
              ElementsAre("x=1 x", "a:b x", "'new\nline' x"));
  EXPECT_THAT(with_only(kOdd, "f == x=2"), ElementsAre(IsGolden()));
  EXPECT_THAT(with_only(kOdd, "f == x= and t == x"), ElementsAre(IsGolden()));
}

// Answers print null as a dash.
TEST(TypedBack, ADashIsNullWhereThereIsNone) {
  for (const std::string value : {"3", "y"}) {
    const std::string axes = "axes: {t: [x], f: [" + value + ", null]}\n";
    EXPECT_THAT(with_only(axes, "f == -"), ElementsAre("x"));
    EXPECT_THAT(run_by(axes + "exclude: [{f: -}]"), ElementsAre(value + " x"));
  }
  EXPECT_THAT(with_only("axes: {f: ['-', null], t: [x]}", "f == -"), ElementsAre("- x"));
  EXPECT_THAT(run_by("axes: {f: ['-', null], t: [x]}\nexclude: [{f: -}]"), ElementsAre("x"));
}

TEST(TypedBack, NamesOfColumnsStayNames) {
  EXPECT_THAT(with_only("axes: {f: [t, x], t: [x, y]}", "f == t"), ElementsAre("x x"));
  EXPECT_THAT(with_only("axes: {f: ['2', '22'], t: [2, 1]}", "len(f) == 2 and t == 2"),
              ElementsAre("22 2"));
}

}  // namespace
}  // namespace kernsweep::sweep_test
