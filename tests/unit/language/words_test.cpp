// Which words of numbers a program gets, and what a database holds of them.
#include <gmock/gmock.h>

#include "language/check/explain.hpp"
#include "language/space/spelling.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

const std::string kHead = "sweep: 1\nname: n\ncommand: 'c {v} {w}'\n";

Expansion words_of(const std::string& rest, const Replacements& given = {},
                   const std::vector<TextFile>* tables = nullptr) {
  auto made = Expansion::parse(kHead + rest, "s.yaml", given, tables);
  if (!made) throw std::runtime_error(made.error().message);
  return std::move(*made);
}

// What the program of each point gets.
Texts passed_by(const Expansion& expansion) {
  Texts out;
  for (const std::string& point : points_of(expansion)) out.push_back(point.substr(point.find("=c ") + 3));
  return out;
}

Texts passed(const std::string& values) {
  return passed_by(words_of("axes: {v: " + values + ", w: [x]}"));
}

Texts stored(const Expansion& expansion) {
  Texts out;
  Point point;
  for (std::uint64_t i = 0; i < expansion.raw_points(); ++i) {
    expansion.point_at(i, point);
    const Value value = expansion.sweep().columns[0].stored(point.values[0]);
    out.push_back(std::string(value.kind_name()) + " " + value.to_text());
  }
  return out;
}

Texts stored(const std::string& values) {
  return stored(words_of("axes: {v: " + values + ", w: [x]}"));
}

std::string key_of(const Expansion& expansion, std::uint64_t position) {
  Point point;
  expansion.point_at(position, point);
  return expansion.key_of(point, {position, Cache::hot, 0}).hex();
}

TEST(WordsOfNumbers, ReachAProgramAsTheyWereWritten) {
  EXPECT_THAT(passed("[3.8, 3.10, 3.1]"), ElementsAre("3.8 x", "3.10 x", "3.1 x"));
  EXPECT_THAT(passed("[007, 7, +7, 0]"), ElementsAre("007 x", "7 x", "+7 x", "0 x"));
  EXPECT_THAT(passed("[.5, 1.50, 2, 5.]"), ElementsAre(".5 x", "1.50 x", "2 x", "5. x"))
      << "a fraction changes no other word";
  EXPECT_THAT(passed("[1e-5, 1E-05, -2.5e-3]"), ElementsAre("1e-5 x", "1E-05 x", "-2.5e-3 x"));
  EXPECT_THAT(passed("3.10"), ElementsAre("3.10 x"));
  EXPECT_THAT(passed("[true, false]"), ElementsAre("true x", "false x"));
}

TEST(WordsOfNumbers, WithAnExponentAreDigitsWhereTheNumberIsWhole) {
  EXPECT_THAT(passed("[1e5, 2.5E+3, -1e+02]"), ElementsAre("100000 x", "2500 x", "-100 x"));
  EXPECT_THAT(passed("[9007199254740991e0, 1e15, 1e16]"),
              ElementsAre("9007199254740991 x", "1000000000000000 x", "1e16 x"));
  EXPECT_THAT(passed("[1.5, 1e5]"), ElementsAre("1.5 x", "100000 x"));
}

TEST(WordsOfNumbers, OfAHashAreText) {
  EXPECT_THAT(stored("[4e00012, 12e0003]"), ElementsAre("text 4e00012", "text 12e0003"));
  EXPECT_THAT(stored("[1e-05, 1e+00]"), ElementsAre("float 1e-05", "integer 1"))
      << "as C and Python print numbers";
}

TEST(WordsOfNumbers, ThatAreComputedAreDigits) {
  EXPECT_THAT(passed("{range: [1, 1000000], mul: 1000.0}"), ElementsAre("1 x", "1000 x", "1000000 x"));
  EXPECT_THAT(passed("{range: [1, 2], step: 0.5}"), ElementsAre("1 x", "1.5 x", "2 x"));
  EXPECT_THAT(passed_by(words_of("axes: {v: [1], n: [300000, 1]}\nderive: {w: n / 2}")),
              ElementsAre("1 150000", "1 0.5"));
  const Expansion variable = words_of("axes: {v: [1], w: [2], env.N: {range: [1, 1000000], mul: 1000.0}}");
  EXPECT_EQ(points_of(variable).back(), "v=1 w=2 env.N=1000000 command=c 1 2");
}

TEST(WordsOfNumbers, ThatAreComputedAreDigitsWhereTheyAreExact) {
  EXPECT_THAT(passed("{range: [1e15, 1e18], mul: 10}"),
              ElementsAre("1000000000000000 x", "10000000000000000 x", "100000000000000000 x",
                          "1000000000000000000 x"));
  EXPECT_THAT(passed_by(words_of("axes: {v: [1], n: [1e16]}\nderive: {w: n * 2.0}")),
              ElementsAre("1 20000000000000000"));
  EXPECT_THAT(passed_by(words_of("axes: {v: [1], n: [1]}\nderive: {w: n * 1152921504606846976.0}")),
              ElementsAre("1 1152921504606846976"));
  EXPECT_THAT(passed_by(words_of("axes: {v: [1], n: [1e22, 1e23]}\nderive: {w: n * 1.0}")),
              ElementsAre("1 10000000000000000000000", "1 1e+23"))
      << "no float is 1e23";
  const Expansion variable = words_of("axes: {v: [1], w: [2], env.N: {range: [1e15, 1e17], mul: 10}}");
  EXPECT_EQ(points_of(variable).back(), "v=1 w=2 env.N=100000000000000000 command=c 1 2");
}

// A derived column that only names another one has its values; one that computes has digits.
TEST(WordsOfNumbers, PassThroughADerivedColumnThatRepeatsThem) {
  const std::string axes = "axes: {n: [3.10, 007, 9007199254740993]}\n";
  const Expansion repeated = words_of(axes + "derive: {w: v, v: n}");
  EXPECT_THAT(passed_by(repeated),
              ElementsAre("3.10 3.10", "007 007", "9007199254740993 9007199254740993"));
  EXPECT_THAT(repeated.notes(), testing::IsEmpty());
  EXPECT_TRUE(repeated.sweep().columns[1].as_text);
  EXPECT_THAT(passed_by(words_of(axes + "derive: {w: v, v: n}\nexclude: [{w: 3.10}]")),
              ElementsAre("007 007", "9007199254740993 9007199254740993"));
  const Expansion computed = words_of("axes: {n: [3.10, 007]}\nderive: {w: n + 1, v: 'min(n, 7)'}");
  EXPECT_EQ(passed_by(computed).front(), "3.1 4.1");
  const Expansion both = words_of("axes: {v: [3.10, 007]}\nderive: {w: 'max(v, 5)'}");
  EXPECT_THAT(both.notes(),
              ElementsAre("s.yaml:5:13: 'w' is computed, so a program gets 7 where 'v' is written as 007"));
}

TEST(WordsOfNumbers, ThatStayTextBecauseOfAnotherValueAreNoted) {
  const auto notes = [](const std::string& values) {
    return words_of("axes: {v: " + values + ", w: [x]}").notes();
  };
  EXPECT_THAT(
      notes("[1e5, 18446744073709551615]"),
      ElementsAre("s.yaml:4:12: a program gets 1e5 as it is, not 100000, because the axis has text, too; "
                  "write the digits ('v')"));
  EXPECT_THAT(notes("['1e5', auto, 1.50, 007]"), testing::IsEmpty());
}

TEST(WordsOfNumbers, AreTheSameByTableRecordIncludeAndCommandLine) {
  const std::vector<TextFile> tables = {{"t.csv", "v,w\n3.10,007\n3.1,1e3\n"}};
  EXPECT_THAT(passed_by(words_of("axes: {t: {table: t.csv}}", {}, &tables)),
              ElementsAre("3.10 007", "3.1 1000"));
  const std::string records =
      "axes: {t: [{v: 3.10, w: 007}, {v: 3.1, w: 8}]}\ninclude: [{v: 3.10, w: 1e3}, {v: 3.10, w: 07}]";
  EXPECT_THAT(passed_by(words_of(records)), ElementsAre("3.10 007", "3.1 8", "3.10 1000", "3.10 07"));
  Replacements typed;
  typed.axes = {"v=[3.9,3.10]", "w=1e5"};
  EXPECT_THAT(passed_by(words_of("axes: {v: [1], w: [x]}", typed)),
              ElementsAre("3.9 100000", "3.10 100000"));
}

// Quoted or listed text of the file means the same on the command line.
TEST(WordsOfNumbers, StayTextOnTheCommandLineWhereTheyAreTextInTheFile) {
  Replacements typed;
  typed.axes = {"v=[3.9,3.10]"};
  const auto kind = [&](const std::string& values) {
    Point point;
    const Expansion expansion = expansion_of("axes: {v: " + values + "}", typed);
    expansion.point_at(1, point);
    return std::string(point.values[0].kind_name()) + " " + point.values[0].to_text();
  };
  EXPECT_EQ(kind("['3.8', '3.9']"), "text 3.10");
  EXPECT_EQ(kind("{values: [3.8, \"x\"], when: true}"), "text 3.10");
  EXPECT_EQ(kind("[auto, 3.9]"), "text 3.10");
  EXPECT_EQ(kind("[auto]"), "float 3.1");
  EXPECT_EQ(kind("[3.8]"), "float 3.1");
}

TEST(WordsOfNumbers, AreNumbersForExpressionsAndKernels) {
  const Expansion here = words_of("axes: {v: [3.10, 1e2, 007], w: [1.50]}\nconstraints: [v + w < 60]");
  EXPECT_THAT(passed_by(here), ElementsAre("3.10 1.50", "007 1.50"));
  Point point;
  const Expansion kernel = expansion_of("axes: {v: [3.10, 1e5], w: [007]}");
  kernel.point_at(1, point);
  EXPECT_EQ(point.values[0], Value(1e5));
  EXPECT_EQ(point.values[1], Value(7));
}

TEST(WordsOfNumbers, BeyondTheExactOnesAreFoundAsTheyWereWritten) {
  const Expansion here = words_of(
      "axes: {v: [0.5, 12345678901234567, 9007199254740993], w: [x]}\n"
      "constraints: ['v == 0.5 or v == 12345678901234567']");
  EXPECT_THAT(passed_by(here), ElementsAre("0.5 x", "12345678901234567 x"));
}

TEST(WordsOfNumbers, AreStoredWhereTheNumberDoesNotSayThem) {
  EXPECT_THAT(stored("[3.8, 3.10]"), ElementsAre("text 3.8", "text 3.10"));
  EXPECT_THAT(stored("[7, 007]"), ElementsAre("text 7", "text 007"));
  EXPECT_THAT(stored("[1e-5, .5, 1, 1e5, 100000.5]"),
              ElementsAre("float 1e-05", "float 0.5", "integer 1", "integer 100000", "float 100000.5"));
  EXPECT_THAT(stored("[1, 1.0]"), ElementsAre("text 1", "text 1.0")) << "two values of one number";
  EXPECT_THAT(stored("[0.00001, 1e-5]"), ElementsAre("text 0.00001", "text 1e-5"));
  EXPECT_THAT(stored("[1, 2, null]"), ElementsAre("integer 1", "integer 2", "null null"));
}

TEST(WordsOfNumbers, OfOneNumberAreTwoValuesOfACommandOnly) {
  EXPECT_FALSE(parsed("axes: {v: [3.1, 3.10]}"));
  EXPECT_FALSE(Expansion::parse(kHead + "axes: {v: [1e5, 100000], w: [x]}", "s.yaml", {}))
      << "the program gets the same word";
  const std::string claim =
      "axes: {v: [3.1, 3.10], w: [x]}\nexclude: [{v: 3.1}]\n"
      "claims: [{name: c, at_most: {median_s: 1}, where: v == 3.1},"
      " {name: d, faster: {v: 3.10}, than: {v: 3.1}}]";
  const Expansion here = words_of(claim);
  EXPECT_THAT(passed_by(here), ElementsAre("3.10 x"));
  Point point;
  here.point_at(1, point);
  EXPECT_TRUE(here.claim_sides(0, point).first) << "expressions compare numbers";
  EXPECT_TRUE(here.claim_sides(1, point).first);
  EXPECT_FALSE(here.claim_sides(1, point).second) << "claims compare words";
}

TEST(WordsOfNumbers, ThatDifferFromTheFileAreNoted) {
  const auto notes = [](const std::string& rest) { return words_of(rest).notes(); };
  EXPECT_THAT(notes("axes: {v: [1e5, 2e5, 3], w: [x]}"),
              ElementsAre("s.yaml:4:12: a program gets 1e5 as 100000 ('v', and 1 value more likewise)"));
  EXPECT_THAT(notes("axes: {v: [3.10, 007, 1e-5, null, true, 4e00012], w: [x]}"), ElementsAre());
  EXPECT_THAT(
      notes("axes: {v: ['', x], w: [null, 1]}"),
      ElementsAre("s.yaml:4:12: a program gets '' as an empty word; null leaves the word out ('v')"));
  EXPECT_EQ(check_report(words_of("axes: {v: ['', x], w: [null, 1]}")).axes.at(0).shown, "'', x");
  EXPECT_THAT(notes("axes: {v: [1], w: [2]}\ninclude: [{v: 1e3, w: 2}]"),
              ElementsAre("s.yaml:5:15: a program gets 1e3 as 1000 ('v')"));
  const Expansion kernel = expansion_of("axes: {v: [3.10]}\nverify: {reference: {command: './r {v}'}}");
  EXPECT_THAT(kernel.notes(), ElementsAre("s.yaml:4:12: a program gets 3.10 as 3.1 ('v')"));
}

// A claim names a value as the file does, where another spelling of the axis makes its values words.
TEST(WordsOfNumbers, AreNamedByClaimsAsTheyAreWritten) {
  const std::string head = "sweep: 1\nname: p\ncommand: ./echo.sh {v}\naxes: {v: [1e5, 3.10, 3.1]}\n";
  const auto claims = [&](const std::string& value) {
    return Expansion::parse(head + "claims: [{name: c, faster: {v: " + value + "}, than: {v: 3.1}}]",
                            "s.yaml", {})
        .has_value();
  };
  EXPECT_TRUE(claims("1e5"));
  EXPECT_TRUE(claims("100000"));
  EXPECT_TRUE(claims("3.10"));
  EXPECT_FALSE(claims("'1e5'"));
  EXPECT_FALSE(claims("3.100"));
}

// Words that are written as a number is keep the keys of numbers.
TEST(WordsOfNumbers, LeaveKeysOfJobsAsTheyWere) {
  const std::string head =
      "sweep: 1\nname: p\ncommand: ./echo.sh {v} {n}\nmeasure: {processes: 3, samples: {min: 10}}\n";
  const auto of = [&](const std::string& axes) {
    return Expansion::parse(head + axes, "s.yaml", {}).value();
  };
  const Expansion plain = of("axes: {v: [3.8, 0.5], n: [1, 2]}");
  EXPECT_FALSE(plain.sweep().respelled);
  EXPECT_EQ(key_of(plain, 0), "d860a6a9126e44ebe127d9ea03499ead");
  EXPECT_EQ(key_of(plain, 3), "aa2a650b6b30af1ae8e1c4d54ad96a52");
  const Expansion other = of("axes: {v: [3.8, 3.10], n: [1, 2.5]}");
  EXPECT_TRUE(other.sweep().respelled);
  EXPECT_NE(key_of(other, 2), key_of(other, 0));
  EXPECT_EQ(key_of(other, 0), key_of(plain, 0)) << "the program gets 3.8 and 1 of both";
}

}  // namespace
}  // namespace kernsweep::sweep_test
