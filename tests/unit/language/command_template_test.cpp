// Commands as text: words, quotes, places for values.
#include "language/file/command_template.hpp"

#include <gmock/gmock.h>

#include "language/check/explain.hpp"
#include "language/space/expansion.hpp"
#include "shared/text/command_line.hpp"

namespace kernsweep {
namespace {

// The command line with each name's value taken from `values`, in the order of names().
std::string filled(std::string_view text, const std::vector<Value>& values = {}) {
  const auto made = CommandTemplate::of_text(text);
  if (!made) return "error: " + made.error().message;
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < made->names().size(); ++i) columns.push_back(i);
  return made->fill(columns, values);
}

TEST(CommandTemplate, BlanksSeparateWords) {
  EXPECT_EQ(filled("ls"), "ls");
  EXPECT_EQ(filled("  ls\t-l\n  a "), "ls -l a");
}

TEST(CommandTemplate, QuotesKeepBlanksAndJoinWhatTheyTouch) {
  EXPECT_EQ(filled("a 'b c' \"d e\" f\\ g"), "a 'b c' 'd e' 'f g'");
  EXPECT_EQ(filled("a b'c 'd\" e\"f"), "a 'bc d ef'");
  EXPECT_EQ(filled("a '' \"\""), "a '' ''") << "empty words are words";
}

// Shell Command Language, 2.2: in double quotes a \ is itself but before $ ` " \ and a newline.
TEST(CommandTemplate, BackslashesMeanWhatAShellMeans) {
  EXPECT_EQ(filled(R"(a \\ \' \" \n)"), R"(a '\' ''\''' '"' n)");
  EXPECT_EQ(filled(R"(a "\$\`\"\\\n")"), R"(a '$`"\\n')");
  EXPECT_EQ(filled(R"(a '\n')"), R"(a '\n')");
  EXPECT_EQ(filled("a b\\\nc \"d\\\ne\""), "a bc de") << "a line that goes on";
  EXPECT_EQ(filled("a \\\n  b \\\n\\\n c"), "a b c") << "no empty words";
}

TEST(CommandTemplate, NothingElseOfAShellMeansAnything) {
  EXPECT_EQ(filled("a * $HOME ~ | b > c; d & `e` #f"), "a '*' '$HOME' '~' '|' b '>' 'c;' d '&' '`e`' '#f'");
}

TEST(CommandTemplate, WhatIsNotClosedIsAnErrorWithItsColumn) {
  EXPECT_EQ(filled("ab 'c"), "error: column 4: ' is not closed");
  EXPECT_EQ(filled("\"c\\\""), "error: column 1: \" is not closed");
  EXPECT_EQ(filled("a \\"), "error: a \\ at the end keeps nothing; write \\\\");
}

TEST(CommandTemplate, ACommandNamesAProgram) {
  EXPECT_EQ(filled(""), "error: it names no program");
  EXPECT_EQ(filled("  \n"), "error: it names no program");
  EXPECT_EQ(filled("'' a"), "error: it names no program");
}

TEST(CommandTemplate, PlacesTakeNumbersInDigitsOrByTheirWord) {
  EXPECT_EQ(filled("a {b} -c={d}{e} {f}", {std::int64_t{5}, true, 0.5, "x"}), "a 5 -c=true0.5 x");
  EXPECT_EQ(filled("a {n} {n}{n}", {2.0}), "a 2 22") << "a name may be asked for often";
  EXPECT_EQ(filled("a {b} {c} {d} {e}", {1e5, -2.5e15, 0.00001, 1e23}),
            "a 100000 -2500000000000000 0.00001 1e+23");
  EXPECT_EQ(filled("a {b} {c}", {Value::spelled(3.1, "3.10"), Value::spelled(7, "007")}), "a 3.10 007");
}

TEST(CommandTemplate, AValueNeverBecomesSeveralWordsOrAQuote) {
  EXPECT_EQ(filled("a {b} '{b}'", {"it's $x; y"}), R"(a 'it'\''s $x; y' 'it'\''s $x; y')");
  EXPECT_EQ(filled("a {b}", {""}), "a ''");
}

TEST(CommandTemplate, ANullLeavesOutAWordThatIsNothingElse) {
  EXPECT_EQ(filled("a {b} c", {Null{}}), "a c");
  EXPECT_EQ(filled("a -b={b} {b}{b} c", {Null{}}), "a -b= '' c");
  EXPECT_EQ(filled("{a} b", {Null{}}), "'' b") << "or an argument would be run as the program";
}

TEST(CommandTemplate, DoubledBracesAreBraces) {
  EXPECT_EQ(filled("awk '{{print $1}}'"), "awk '{print $1}'");
  EXPECT_EQ(filled("a {{{b}}}", {7}), "a '{7}'");
  EXPECT_EQ(filled("a {{b}}"), "a '{b}'");
}

TEST(CommandTemplate, BracesThatMeanNothingAreErrors) {
  EXPECT_EQ(filled("a }"), "error: a } that closes nothing; write }} for the character");
  EXPECT_EQ(filled("a {b"), "error: a { that is not closed; write {{ for the character");
  EXPECT_EQ(filled("a {b{c}"), "error: a { that is not closed; write {{ for the character");
  EXPECT_EQ(filled("a {b c}"), "error: a { that is not closed; write {{ for the character")
      << "words are split first";
  EXPECT_EQ(filled("a {}"),
            "error: {} names nothing; write {{}} "
            "for the characters, or the name of an axis, as {threads}");
}

TEST(CommandTemplate, WordsOfAListAreNotSplit) {
  const auto made = CommandTemplate::of_words({"a b", "'c' {d}", "\\"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->fill(std::vector<std::uint32_t>{0}, {Value("e f")}), R"('a b' ''\''c'\'' e f' '\')");
}

TEST(CommandTemplate, NoWordHoldsANul) {
  EXPECT_FALSE(CommandTemplate::of_words({std::string("a\0b", 3)}));
}

// `build`: a column whose {out} stays, next to commands whose {build} stays.
using Texts = std::vector<std::string>;

// The texts of a column at all points; "null" for none.
Texts column_of_sweep(const std::string& text, std::string_view name) {
  const auto sweep = Expansion::parse("sweep: 1\nname: b\n" + text, "b.yaml", {});
  if (!sweep) return {sweep.error().message};
  Texts out;
  const auto& columns = sweep->sweep().columns;
  const auto found = std::ranges::find(columns, name, &Column::name);
  if (found == columns.end()) return {"no column"};
  Point point;
  for (std::uint64_t position = 0; position < sweep->raw_points(); ++position) {
    sweep->point_at(position, point);
    const Value& value = point.values[static_cast<std::size_t>(found - columns.begin())];
    out.push_back(value.is_null() ? "null" : value.to_text());
  }
  return out;
}

constexpr const char* kOne =
    "build: gcc -O{o} 'my k.c' -o {out}\ncommand: '{build} {n} --x={build}.y'\naxes: {n: 1, o: [2, 3]}\n";

TEST(BuildsOfASweep, KeepTheirPlacesForTheHostThatMeasures) {
  EXPECT_EQ(column_of_sweep(kOne, kBuildColumn),
            (Texts{"gcc -O2 'my k.c' -o {out}", "gcc -O3 'my k.c' -o {out}"}));
  EXPECT_EQ(column_of_sweep(kOne, "command"),
            (Texts{"{build} 1 --x={build}.y", "{build} 1 --x={build}.y"}));
}

TEST(BuildsOfASweep, AreOfTheCommandsThatUseThem) {
  const std::string two =
      "build: gcc -O{o} k.c -o {out}\ncommands: {mine: '{build}', theirs: ./r}\n"
      "axes: {o: {values: [2, 3], when: command == \"mine\"}}\n";
  EXPECT_EQ(column_of_sweep(two, kBuildColumn),
            (Texts{"gcc -O2 k.c -o {out}", "gcc -O3 k.c -o {out}", "null"}));
  const std::string by_setup =
      "build: gcc k.c -o {out}\nsetup: '{build} x'\ncommand: cat x\naxes: {n: 1}\n";
  EXPECT_EQ(column_of_sweep(by_setup, kBuildColumn), Texts{"gcc k.c -o {out}"});
}

TEST(BuildsOfASweep, GetTheWordsOfTheFile) {
  EXPECT_EQ(
      column_of_sweep("build: gcc -DV={v} -o {out}\ncommand: '{build}'\naxes: {v: [007, 3.10, 1e5]}\n",
                      kBuildColumn),
      (Texts{"gcc -DV=007 -o {out}", "gcc -DV=3.10 -o {out}", "gcc -DV=100000 -o {out}"}));
}

TEST(BuildsOfASweep, GiveTheirFileToAFunction) {
  const std::string of_function = "build: gcc -DV={v} -o {out}\npython: m:f\naxes: {v: [1, 2]}\n";
  EXPECT_EQ(column_of_sweep(of_function, kBuiltColumn), (Texts{"{build}", "{build}"}));
  EXPECT_EQ(column_of_sweep(of_function, kBuildColumn),
            (Texts{"gcc -DV=1 -o {out}", "gcc -DV=2 -o {out}"}));
}

TEST(BuildsOfASweep, AreCountedByCheck) {
  const auto sweep = Expansion::parse(
      "sweep: 1\nname: b\nbuild: gcc -O{o} k.c -o {out}\ncommand: '{build} "
      "{n}'\naxes: {n: [1, 2, 3], o: [2, 3]}\n",
      "b.yaml", {});
  ASSERT_TRUE(sweep);
  const CheckReport report = check_report(*sweep);
  EXPECT_EQ(report.points, 6U);
  EXPECT_EQ(report.builds, 2U);
  EXPECT_EQ(report.first_build, "gcc -O2 k.c -o {out}");
}

TEST(BuildsOfASweep, AnotherBuildIsAnotherJob) {
  const auto sweep = Expansion::parse(std::string("sweep: 1\nname: b\n") + kOne, "b.yaml", {});
  ASSERT_TRUE(sweep);
  Point first, second;
  sweep->point_at(0, first);
  sweep->point_at(1, second);
  EXPECT_NE(sweep->key_of(first, sweep->job_at(0)), sweep->key_of(second, sweep->job_at(0)));
}

}  // namespace
}  // namespace kernsweep
