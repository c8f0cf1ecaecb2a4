// Sweeps with `command:` and `python:`: the column that says what is run, and what is refused.
#include <gmock/gmock.h>

#include <set>

#include "language/check/catalogue_check.hpp"
#include "language/check/explain.hpp"
#include "language/check/problem.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;

Result<Expansion> program_of(const std::string& line, const std::string& rest) {
  return Expansion::parse("sweep: 1\nname: n\n" + line + "\n" + rest, "s.yaml", {});
}
std::string error_in(const std::string& line, const std::string& rest) {
  const auto e = program_of(line, rest);
  return e ? "" : e.error().message;
}
std::string key_of(const std::string& line, const std::string& rest, std::uint64_t position = 0) {
  const auto e = program_of(line, rest);
  if (!e) return e.error().message;
  Point point;
  e->point_at(position, point);
  return e->key_of(point, {position, Cache::hot, 0}).hex();
}

TEST(CommandSweep, EachPointSaysWhatItRuns) {
  const auto e = program_of("command: './bench --n={n} {flag} -d {double}'",
                            "axes: {n: [1, 2], flag: [null, -v]}\nderive: {double: 2 * n}");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_EQ(e->sweep().kernel, "command");
  EXPECT_EQ(e->sweep().program, "./bench --n={n} {flag} -d {double}");
  EXPECT_THAT(points_of(*e), ElementsAre("n=1 double=2 command=./bench --n=1 -d 2",
                                         "n=1 flag=-v double=2 command=./bench --n=1 -v -d 2",
                                         "n=2 double=4 command=./bench --n=2 -d 4",
                                         "n=2 flag=-v double=4 command=./bench --n=2 -v -d 4"));
}

TEST(CommandSweep, SeveralCommandsAreAnAxisOfTheirNames) {
  const auto e = program_of("commands: {fast: './a {n}', slow: [./b, '{n} {m}'], 'no place': c}",
                            "axes: {n: [1], m: {values: [2], when: command == \"slow\"}}");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_EQ(e->sweep().kernel, "command");
  EXPECT_EQ(e->sweep().program, "./a {n} | ./b '{n} {m}' | c");
  EXPECT_THAT(points_of(*e), ElementsAre("command=fast n=1 command.line=./a 1",
                                         "command=slow n=1 m=2 command.line=./b '1 2'",
                                         "command=no place n=1 command.line=c"));
  EXPECT_THAT(e->notes(), testing::IsEmpty());
  EXPECT_THAT(points_of(*program_of("commands: {1: 'a {command}'}", "axes: {}")),
              ElementsAre("command=1 command.line=a 1"));
}

TEST(CommandSweep, WhatIsWrongWithSeveralIsSaid) {
  for (const char* line : {"commands: ls", "commands: {}", "commands: {a: }", "commands: {a: 'b {x}'}",
                           "commands: {a: b}\ncommand: c", "commands: {'': b}", "kernel: gemm\nsetup: a",
                           "python: a:b\ncleanup: a", "command: a\nsetup: make {x}"})
    EXPECT_THAT(error_in(line, "axes: {n: [1]}"), IsGolden());
  EXPECT_THAT(error_in("commands: {a: b}", "axes: {command: [1]}"), IsGolden());
}

TEST(CommandSweep, SetupAndCleanupArePartOfTheJob) {
  const std::string axes = "axes: {n: [1, 2]}";
  const auto e = program_of("command: ./a\nsetup: make n={n}\ncleanup: [rm, 'a b']", axes);
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(e->notes(), testing::IsEmpty());
  EXPECT_THAT(points_of(*e),
              ElementsAre("n=1 command=./a command.setup=make n=1 command.cleanup=rm 'a b'",
                          "n=2 command=./a command.setup=make n=2 command.cleanup=rm 'a b'"));
  EXPECT_NE(key_of("command: ./a", axes), key_of("command: ./a\nsetup: b", axes));
}

TEST(CommandSweep, RowsOfOneRunArePointsThatDoNotCompete) {
  const std::string metrics = "command: a\nmetrics: {rows_by: n, values: {seconds: {csv: t}}}";
  const auto e = program_of(metrics, "axes: {n: [x, y]}");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(e->notes(), testing::IsEmpty());
  EXPECT_THAT(points_of(*e),
              ElementsAre("n=x command=a command.metrics=value seconds\ncsv t\n command.row=n=x",
                          "n=y command=a command.metrics=value seconds\ncsv t\n command.row=n=y"));
  EXPECT_EQ(problem_names(e->sweep(), Catalogue{}), std::vector<std::string>{"n"});
  // No program gets the values that a row has; without one of its own, setup does.
  const std::string axes = "axes: {n: ['', 0x10, 1, a], m: ['', '$b', 1]}\n";
  const std::string by_both =
      "command: a\nmetrics: {rows_by: n, row: {k: '{m}'}, values: {seconds: {csv: t}}}";
  EXPECT_THAT(program_of(by_both, axes)->notes(), testing::IsEmpty());
  EXPECT_THAT(program_of(by_both, axes + "derive: {d: m}")->notes(), testing::IsEmpty());
  EXPECT_THAT(
      program_of(by_both, axes + "setup: b {n}")->notes(),
      ElementsAre("s.yaml:5:12: a program gets '' as an empty word; null leaves the word out ('n')"));
  EXPECT_THAT(error_in(metrics, "axes: {m: [x]}"), IsGolden());
  EXPECT_THAT(error_in(metrics, "axes: {n: [x]}\nverify: {distrust: true}"), IsGolden());
}

TEST(CommandSweep, WhatAMessageAddsIsNoPartOfTheJob) {
  const std::string axes = "axes: {n: [1]}", values = "values: {seconds: {json: /t}}";
  const std::string key = key_of("command: a\nmetrics: {" + values + "}", axes);
  EXPECT_EQ(key_of("command: a\nmetrics: {hint: say so, " + values + "}", axes), key);
  EXPECT_NE(key_of("command: a\nmetrics: {rows: /r, " + values + "}", axes), key);
  EXPECT_NE(key_of("command: a\nmetrics: {from: stderr, " + values + "}", axes), key);
  EXPECT_NE(key_of("command: a", axes), key);
}

// A forgotten placeholder would be a table of times of one command.
TEST(CommandSweep, AnAxisThatItDoesNotUseIsNoted) {
  const auto notes = [](const std::string& rest) {
    const auto e = program_of("command: b {n}", rest);
    EXPECT_TRUE(e) << e.error().message;
    return e ? e->notes() : std::vector<std::string>();
  };
  EXPECT_THAT(
      notes("axes: {n: [1, 2], level: [1, 9]}"),
      ElementsAre("s.yaml:4:19: the command does not use the axis 'level', so all its values run the same "
                  "one; write {level} where it belongs"));
  for (const char* rest :
       {"axes: {n: [1, 2]}", "axes: {n: [1], level: [1]}", "axes: {n: [1], threads: [1, 2]}",
        "axes: {n: [1], env.LEVEL: [1, 2]}", "axes: {n: [1], on: [{m: 1, label: a}, {m: 2, label: b}]}",
        "axes: {n: {values: [1, 2], when: level == 1}, level: [1, 2]}",
        "axes: {n: [1, 2], level: [1, 9]}\nzip: {both: [n, level]}",
        "axes: {n: [1, 2], level: [1, 9]}\nconstraints: [level > n]"})
    EXPECT_THAT(notes(rest), testing::IsEmpty()) << rest;
  const auto derived = program_of("command: b {double}", "axes: {n: [1, 2]}\nderive: {double: 2 * n}");
  ASSERT_TRUE(derived);
  EXPECT_THAT(derived->notes(), testing::IsEmpty());
}

TEST(CommandSweep, AListGivesTheWordsOneByOne) {
  const auto e = program_of("command: [./bench, '-m={m}', a b, 7]", "axes: {m: [x y]}");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(points_of(*e), ElementsAre("m=x y command=./bench '-m=x y' 'a b' 7"));
  EXPECT_EQ(e->sweep().program, "./bench '-m={m}' 'a b' 7");
}

TEST(CommandSweep, IncludedPointsAreFilledInToo) {
  const auto e = program_of("command: b {n}", "axes: {n: [1]}\ninclude: [{n: 9}]");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(points_of(*e), ElementsAre("n=1 command=b 1", "n=9 command=b 9"));
}

TEST(CommandSweep, RulesMayReadWhatIsRun) {
  const auto e = program_of("command: b {n}",
                            "axes: {n: [1, 2, 3]}\nconstraints: ['\"2\" not in command']\n"
                            "exclude: [{command: b 3}]");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(points_of(*e), ElementsAre("n=1 command=b 1"));
}

TEST(CommandSweep, UnknownPlacesNameTheirNeighbour) {
  EXPECT_THAT(error_in("command: b {thraeds}", "axes: {threads: [1]}"), IsGolden());
  EXPECT_THAT(error_in("command: b {shape}", "axes: {shape: [{m: 1, n: 2}]}"), IsGolden());
  EXPECT_THAT(error_in("command: [b, '{x}']", "axes: {y: [1]}"), IsGolden());
}

TEST(CommandSweep, ANulInAValueIsRefused) {
  const std::string why =
      "has a NUL character, which no word of a command and no variable can hold; pass such data in a file";
  EXPECT_EQ(error_in("command: b {n}", "axes: {n: [a, \"a\\0b\"]}"), "s.yaml:4:15: a value of 'n' " + why);
  EXPECT_EQ(error_in("command: b {n}", "axes: {n: [a]}\ninclude: [{n: \"\\0\"}]"),
            "s.yaml:5:15: a value of 'n' " + why);
  EXPECT_EQ(error_in("kernel: command", "axes: {command: [a, \"a\\0b\"]}"),
            "s.yaml:4:21: a value of 'command' " + why);
  EXPECT_EQ(error_in("kernel: gemm", "axes: {env.X: [\"\\0\"]}"), "s.yaml:4:16: a value of 'env.X' " + why);
  EXPECT_EQ(error_in("kernel: gemm", "axes: {x: [\"\\0\"]}"), "");
}

TEST(CommandSweep, WhatIsNoCommandIsRefusedWhereItStands) {
  EXPECT_EQ(error_in("command: \"b 'c\"", "axes: {a: [1]}"),
            "s.yaml:3:10: in 'b 'c': column 3: ' is not closed");
  EXPECT_EQ(error_in("command: [b, '{']", "axes: {a: [1]}"),
            "s.yaml:3:14: in '{': a { that is not closed; write {{ for the character");
  EXPECT_EQ(error_in("command: [b, [c]]", "axes: {a: [1]}"),
            "s.yaml:3:14: a word of command is text, not a list");
  EXPECT_EQ(error_in("command: [b, null]", "axes: {a: [1]}"),
            "s.yaml:3:14: a word of command is text, not null");
  EXPECT_EQ(error_in("command: {b: c}", "axes: {a: [1]}"),
            "s.yaml:3:10: command takes text or a list of words, not a mapping");
  EXPECT_THAT(error_in("kernel: {command: echo}", "axes: {a: [1]}"), IsGolden());
  EXPECT_THAT(error_in("kernel: {family: gemm, m: 3}", "axes: {a: [1]}"), IsGolden());
  EXPECT_EQ(error_in("command: []", "axes: {a: [1]}"), "s.yaml:3:10: command: it names no program");
  EXPECT_THAT(error_in("command:", "axes: {a: [1]}"), IsGolden());
}

TEST(CommandSweep, TakesTheNameOfItsColumn) {
  EXPECT_THAT(error_in("command: b", "axes: {command: [1]}"), IsGolden());
  EXPECT_THAT(error_in("command: b", "axes: {a: [1]}\ninclude: [{a: 2, command: x}]"), IsGolden());
  EXPECT_EQ(error_in("kernel: gemm", "axes: {command: [1]}"), "") << "elsewhere the name is free";
}

TEST(CommandSweep, HasNoVariants) {
  EXPECT_THAT(error_in("command: b {variant}", "axes: {variant: [x]}"), IsGolden());
}

TEST(CommandSweep, KeysFollowWhatIsRun) {
  std::set<std::string> keys;
  keys.insert(key_of("command: b {n}", "axes: {n: [1]}"));
  keys.insert(key_of("command: b -v {n}", "axes: {n: [1]}"));
  keys.insert(key_of("command: c {n}", "axes: {n: [1]}"));
  keys.insert(key_of("command: b 1", "axes: {n: [2]}"));  // the same command, at another point
  keys.insert(key_of("python: b:f", "axes: {n: [1]}"));
  keys.insert(key_of("python: b:g", "axes: {n: [1]}"));
  EXPECT_EQ(keys.size(), 6u);
  // Written otherwise, run alike.
  EXPECT_EQ(key_of("command: b {n}", "axes: {n: [1]}"), key_of("command: [b, '{n}']", "axes: {n: [1]}"));
  EXPECT_EQ(key_of("command: b {n}", "axes: {n: [1]}"), key_of("command: b  '1'", "axes: {n: [1]}"));
  // A note that is passed on is not a note.
  EXPECT_NE(key_of("command: b {label}", "axes: {r: [{label: x, n: 1}]}"),
            key_of("command: b {label}", "axes: {r: [{label: y, n: 1}]}"));
  EXPECT_EQ(key_of("command: b", "axes: {r: [{label: x, n: 1}]}"),
            key_of("command: b", "axes: {r: [{label: y, n: 1}]}"));
}

TEST(CommandSweep, TheReportShowsTheTemplate) {
  const auto e = program_of("command: b {n}", "axes: {n: [1, 2]}");
  ASSERT_TRUE(e);
  EXPECT_THAT(to_text(check_report(*e)), IsGolden());
  EXPECT_THAT(to_text(check_report(*program_of("python: b:f", "axes: {n: [1, 2]}"))), IsGolden());
  EXPECT_THAT(to_json(check_report(*e)), IsGolden());
}

TEST(PythonSweep, EachPointNamesTheFunction) {
  const auto e = program_of("python: bench.inner:Sorter.make", "axes: {n: [1, 2]}");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_EQ(e->sweep().kernel, "python");
  EXPECT_THAT(points_of(*e),
              ElementsAre("n=1 python=bench.inner:Sorter.make", "n=2 python=bench.inner:Sorter.make"));
}

TEST(PythonSweep, WhatNamesNoFunctionIsRefused) {
  for (const char* text : {"bench", "'bench:'", ":sort", "'a b:c'", "bench.py:sort()", "a:b:c", "3:f",
                           "a..b:c", "./bench:f", "''", "[bench, sort]", "{a: b}", "null"}) {
    const std::string error = error_in(std::string("python: ") + text, "axes: {n: [1]}");
    EXPECT_THAT(error, IsGolden()) << text;
  }
}

TEST(PythonSweep, BracesAreNoPlaces) {
  EXPECT_NE(error_in("python: 'bench:{f}'", "axes: {f: [x]}"), "");
}

CatalogueFamily family_called(const std::string& name) {
  CatalogueFamily family;
  family.name = name;
  family.any_parameters = true;
  family.parameters = {{name, "text", {}, true, ""}};
  family.variants = {{name, {}, true, ""}};
  return family;
}

TEST(CatalogueCheck, ACommandNeedsThePackAndTakesAnyAxis) {
  const auto e = program_of("command: ls {anything}", "axes: {anything: [1], threads: [1]}");
  ASSERT_TRUE(e);
  EXPECT_TRUE(check_against(e->sweep(), *e, Catalogue{{family_called("command")}}));
  const auto missing = check_against(e->sweep(), *e, Catalogue{{family_called("python")}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "s.yaml:3:10: `command:` needs the pack 'command', which is not here; see "
            "docs/reference/programs.md");
}

TEST(CatalogueCheck, WholeCommandsMayBeAnAxisOfTheFamily) {
  const auto e = program_of("kernel: command", "axes: {command: [ls -l, ls -a]}");
  ASSERT_TRUE(e);
  EXPECT_TRUE(check_against(e->sweep(), *e, Catalogue{{family_called("command")}}));
}

// A place in a whole command would reach the program as braces, and all values of the axis would run alike.
TEST(CommandSweep, WholeCommandsHaveNoPlaces) {
  const auto error = [](const std::string& rest) { return error_in("kernel: command", rest); };
  const std::string out = error("axes: {command: ['a -n {n}', b], n: [1, 2]}") + "\n" +
                          error("axes: {command: [a], n: [1]}\ninclude: [{command: 'b {n}', n: 2}]") +
                          "\n" + error("axes: {on: [{command: 'sh -c \"a ${m} 0.{m}\"', m: 1}]}");
  EXPECT_THAT(out, IsGolden());
  for (const char* command :
       {"awk {print} f", "sh -c 'for n in 1; do echo ${n}; done'", "python3 -c 'print(f\"{{n}}\")'"})
    EXPECT_EQ(error("axes:\n  n: [1]\n  command:\n    - |-\n      " + std::string(command)), "") << command;
  const auto e = program_of("kernel: command", "axes: {command: [a, b], n: [1, 2], threads: [1, 2]}");
  ASSERT_TRUE(e);
  EXPECT_THAT(
      e->notes(),
      ElementsAre("s.yaml:4:25: the command does not use the axis 'n', so all its values run the same one; "
                  "write `command: TEXT` in place of `kernel: command`, with {n} where it belongs"));
}

TEST(Operands, EachPointSaysWhatTheyAre) {
  const auto e = program_of("python: m:f",
                            "axes: {n: [1, 2], dtype: [f32]}\nderive: {double: 2 * n}\n"
                            "operands: {x: '{dtype}[{n}, {double}]', w: 'f64[3] normal(0, 1) constant'}");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(
      points_of(*e),
      ElementsAre("n=1 dtype=f32 double=2 python=m:f operand.x=f32[1, 2] operand.w=f64[3] normal(0, "
                  "1) constant",
                  "n=2 dtype=f32 double=4 python=m:f operand.x=f32[2, 4] operand.w=f64[3] normal(0, "
                  "1) constant"));
}

TEST(Operands, OfFunctionsThatAreAnAxisToo) {
  const auto e =
      program_of("kernel: python", "axes: {python: [m:f, m:g], n: [2]}\noperands: {x: 'f32[{n}]'}");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_THAT(points_of(*e),
              ElementsAre("python=m:f n=2 operand.x=f32[2]", "python=m:g n=2 operand.x=f32[2]"));
}

TEST(Operands, ArePartOfTheKey) {
  const std::string axes = "axes: {n: [1]}\noperands: {x: ";
  EXPECT_NE(key_of("python: m:f", axes + "'f32[{n}]'}"), key_of("python: m:f", axes + "'f64[{n}]'}"));
  EXPECT_EQ(key_of("python: m:f", axes + "'f32[{n}]'}"), key_of("python: m:f", axes + "'f32[1]'}"));
}

TEST(Operands, ThatCannotBeAreRefused) {
  const std::string axes = "axes: {n: [1, 2]}\n";
  for (const char* operands : {"[x]", "{x: [1]}", "{3x: 'f32[1]'}", "{a.b: 'f32[1]'}", "{x: 'f32[n]'}",
                               "{x: 'f32[{m}]'}", "{n: 'f32[{n}]'}", "{x: 'f32[{n]'}",
                               "{a: 'u8[1]', b: 'u8[1]', c: 'u8[1]', d: 'u8[1]', e: 'u8[1]', f: 'u8[1]', "
                               "g: 'u8[1]', h: 'u8[1]', i: 'u8[1]'}"})
    EXPECT_THAT(error_in("python: m:f", axes + "operands: " + operands), IsGolden()) << operands;
  EXPECT_THAT(error_in("command: b {n}", axes + "operands: {x: 'f32[1]'}"), IsGolden());
  EXPECT_THAT(error_in("kernel: gemm", axes + "operands: {x: 'f32[1]'}"), IsGolden());
}

// `check` finds errors of only some points, unless these are not measured.
TEST(Operands, OfEachPointThatIsMeasuredAreChecked) {
  CatalogueFamily family;
  family.name = "python";
  family.any_parameters = true;
  family.variants.push_back({.name = "python"});
  const auto checked = [&](const std::string& rest) {
    const auto e = program_of("python: m:f", rest);
    EXPECT_TRUE(e) << e.error().message;
    const Status good = check_against(e->sweep(), *e, Catalogue{{family}});
    return good ? std::string() : good.error().message;
  };
  const std::string rest = "axes: {n: [1, -1]}\noperands: {x: 'f32[{n}]'}\n";
  EXPECT_THAT(checked(rest), IsGolden());
  EXPECT_EQ(checked(rest + "constraints: [n > 0]"), "");
}

}  // namespace
}  // namespace kernsweep::sweep_test
