// Commands that a shell would read in another way than they are run.
#include <gmock/gmock.h>

#include "language/space/expansion.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

std::string notes_of(const std::string& line, const std::string& rest = "axes: {n: [1]}") {
  const auto made = Expansion::parse("sweep: 1\nname: s\n" + line + "\n" + rest, "s.yaml", {});
  if (!made) return "error: " + made.error().message + "\n";
  std::string out;
  for (const std::string& note : made->notes()) out += note + "\n";
  return out;
}

TEST(ShellCharacters, AreNotedWithTheWayToWriteThem) {
  std::string out;
  for (const char* command : {"./sum < data.txt",
                              "./sum | tail -1",
                              "./a {n} > out.txt 2>&1",
                              "cd sub && ./a {n}",
                              "./a;./b",
                              "./a &",
                              "./a --in=$HOME/data",
                              "./a \\\"${TMPDIR}\\\"",
                              "./a `nproc`",
                              "./a $(nproc) {n}",
                              "./a *.c",
                              "./a src/*",
                              "./a data.*",
                              "./a data-*",
                              "./a ~root/x",
                              "./a {{a,b}}.txt",
                              "./a {n} # the second",
                              "~/bin/a {n}",
                              "FOO=1 BAR='a b' ./a {n} >x",
                              "FOO=1",
                              "OMP_NUM_THREADS={n} ./a"})
    out += std::string(command) + "\n" + notes_of("command: \"" + std::string(command) + "\"");
  out += notes_of("command: [./sum, <, data.txt, '{n}']") + notes_of("command: [FOO=$X, ./sum, $HOME/x]");
  EXPECT_THAT(out, IsGolden());
}

// What a shell would read as two commands.
TEST(ShellCharacters, LinesAreNoted) {
  std::string out;
  for (const char* rest :
       {"command: |\n  ./show {n}\n  ./show done",
        "command: '{build} {n}'\nsetup: |\n  ./b\n  ./c\ncleanup: \"./d\\n./e\"\nbuild: |\n  "
        "cc {n} -o {out}\n  strip {out}",
        "command: ./a {n}\nverify: {reference: {command: \"./b\\n./c\"}}",
        "commands: {a: \"./a {n}\\n\\n./b\"}"})
    out += notes_of(rest);
  out += notes_of("kernel: command", "axes: {command: [\"./a\\n./b\"]}");
  EXPECT_THAT(out, IsGolden());
  for (const char* command :
       {"|\n  ./a {n} \\\n    b\n", ">\n  ./a {n}\n  b\n", "\"sh -c './a {n}\\n./b'\"",
        "[sh, -c, \"./a {n}\\n./b\"]", "\"\\n./a {n}\\n\""})
    EXPECT_EQ(notes_of("command: " + std::string(command)), "") << command;
}

TEST(ShellCharacters, PatternsAreThoseOfNamesWithAnEnding) {
  std::string out;
  for (const char* command : {"./a [ab].log", "./a data.tx?", "./a ?.log", "./a src/x[0-9].c", "./a a.[ch]",
                              "./a x{{1..3}}", "./a {{a..c}}.o"})
    out += notes_of("command: " + std::string(command));
  EXPECT_THAT(out, IsGolden());
  for (const char* command :
       {"./a x[12] what? [1,2] 1.5? http://a.b/c?d -x=[a].b '[ab].log' (a|b)?.c {{..}}"})
    EXPECT_EQ(notes_of("command: >-\n  " + std::string(command)).find("names of files"), std::string::npos);
}

TEST(ShellCharacters, OfFindAreItsOwn) {
  EXPECT_EQ(notes_of("command: find . -exec ls {{}} ;"), "");
  EXPECT_EQ(notes_of("command: find . -exec ls {{}} ; -name '*.c'"), "");
  EXPECT_EQ(notes_of("command: [find, ., -exec, ls, '{{}}', ;]"), "");
  EXPECT_NE(notes_of("command: find . -exec ls {{}} ; ./a"), "");
  EXPECT_NE(notes_of("command: find . ; ./a -exec"), "");
}

// Advice that can be followed: check takes what it says, and a shell then does what was meant.
TEST(ShellCharacters, HaveAdviceThatWorks) {
  std::string out;
  for (const char* command : {"A= ./show", "A=$HOME ./x", "A=~/b B=1 ./x", "[A=$HOME, ./x]",
                              "[./show, $HOME, '*.log', 'a b', 'c;d', '>', 'x y.log']"})
    out += notes_of("command: " + std::string(command));
  out += notes_of("command: ./show {n}", "axes: {n: ['2>/dev/null']}");
  out += notes_of("command: ./show {n}", "axes: {n: ['a | b', '*.log', $HOME/x]}");
  EXPECT_THAT(out, IsGolden());
  EXPECT_EQ(error_of("axes: {m: [1], env.A: ['']}"), "");
}

TEST(ShellCharacters, OfABuildAreNotedToo) {
  std::string out;
  for (const char* command : {"gcc -O{n} k.c -o {out} > log.txt", "make && cp a.out {out}",
                              "CC=clang make OUT={out}", "gcc -march={n} $CFLAGS k.c -o {out}",
                              "sh -c 'make && cp a.out {out}'", "env CC=clang make OUT={out}"})
    out += std::string(command) + "\n" +
           notes_of("build: \"" + std::string(command) + "\"", "command: '{build} {n}'\naxes: {n: [1]}");
  out += notes_of("build: gcc {n} k.c -o {out}", "command: '{build}'\naxes: {n: [$FLAGS]}");
  EXPECT_THAT(out, IsGolden());
}

// Debian's sh is dash, which has none of these.
TEST(ShellCharacters, OfBashAreForBash) {
  std::string out;
  for (const char* command :
       {"./a <<< abc", "./a <(sort b)", "./a > >(tail)", "./a |& tail", "./a &> log", "./a $'a\\tb'",
        "./a --sep=$'\\t'", "[[ -e a ]] && ./a", "./a ${{x/b/c}}", "./a ${{x:1}}",
        "./a ${{x##*/}} ${{x:-1}}", "./a '<(' ${{y}} '$[['", "./a << abc", "./a ${x/b/c}"})
    out += std::string(command) + "\n" + notes_of("command: >-\n  " + std::string(command));
  out += notes_of("command: [./a, <<<, abc]") + notes_of("command: [./a, '|&', tail]");
  out += notes_of("kernel: command", "axes: {command: [./a <<< b, ./b]}");
  EXPECT_THAT(out, IsGolden());
  EXPECT_EQ(notes_of("command: ./a \"$\"HOME x\\$HOME"), "");
}

TEST(ShellCharacters, OfReferencesAndVariablesToo) {
  const std::string head = "kernel: gemm", axes = "axes: {m: [1], env.X: [$HOME/x, a:~/b]}\n";
  EXPECT_THAT(
      notes_of(head, axes +
                         "verify: {reference: {command: './ref < a'}}\n"
                         "overrides: [{when: m == 1, set: {verify.reference: {command: 'A=1 ./b $B'}}}]"),
      IsGolden());
  EXPECT_THAT(notes_of("command: ./a {n}", "axes: {n: [$HOME/x, 5]}"), IsGolden());
  EXPECT_EQ(notes_of("command: sh -c './a {n}'", "axes: {n: [$HOME/x, 5]}"), "");
}

// A shell that builds reads the values that are its own; the program gets the others as they are.
TEST(ShellCharacters, InValuesAreReadByTheShellThatGetsThem) {
  const std::string built = "build: sh -c 'cc {flag} {both} a.c -o {out}'\ncommand: '{build} {n} {both}'";
  EXPECT_EQ(notes_of(built, "axes: {flag: [$CFLAGS], n: [1], both: [1]}"), "");
  EXPECT_NE(notes_of(built, "axes: {flag: [-g], n: [$HOME/x], both: [1]}"), "");
  EXPECT_NE(notes_of(built, "axes: {flag: [-g], n: [1], both: [$HOME/x]}"), "");
}

// A value that a command names outside of quotes is read as a word of the command would be.
TEST(ShellCharacters, InValuesOfAxesAreNoted) {
  std::string out;
  for (const char* values : {"['< data.txt', x]", "['*.c', 'a/*', x]", "['a|b']", "[{n: '&', m: 1}]"})
    out +=
        std::string(values) + "\n" + notes_of("command: ./a {n}", "axes: {n: " + std::string(values) + "}");
  EXPECT_THAT(out, IsGolden());
  for (const char* command : {"./a '{n}'", "[./a, '{n}']", "sh -c './a {n}'"})
    EXPECT_EQ(notes_of("command: " + std::string(command), "axes: {n: ['a|b', '*.c', '< x']}"), "")
        << command;
  EXPECT_EQ(notes_of("command: ./a {n}",
                     "axes: {n: ['[1,2]', 'http://a/b?c&d=1', 'a#b', '#1', 'a[12]', 'what?', 'a[', 5]}"),
            "");
}

// `kernel: command` has whole commands as values.
TEST(ShellCharacters, OfWholeCommandsToo) {
  std::string out;
  for (const char* axes :
       {"axes: {command: ['./sum < a', ./sum]}", "axes: {command: {values: [./a $X, './b | c', ./d]}}",
        "axes: {which: [{command: A=1 ./a, label: x}, {command: ./b, label: y}]}",
        "axes: {command: [./a]}\ninclude: [{command: './b > c'}]", "axes: {command: [sh -c './a < b']}"})
    out += std::string(axes) + "\n" + notes_of("kernel: command", axes);
  EXPECT_THAT(out, IsGolden());
}

TEST(ShellCharacters, InQuotesOrForAShellAreNone) {
  for (const char* command : {"awk '{{print $1}}' 'a|b' file", R"(sh -c "echo $HOME | tail -1")",
                              R"(taskset 1 /bin/bash -ec './a < b')", R"(grep \| a\;b \$X)",
                              "./a '*.c' a~b ~x-y $1 a=b", "./a -DA=[1] x[12] what? #1 a#1 2*3 1.5*2 a.*b",
                              "./a * --include=*.c http://a/*?b=1&c=2", "env FOO=1 ./a", "./a --x=FOO=1"})
    EXPECT_EQ(notes_of("command: >-\n  " + std::string(command)), "") << command;
  EXPECT_EQ(notes_of("command: [perl, -e, 'print $x > 1; a | b']"), "");
  EXPECT_EQ(notes_of("command: [sh, -c, './a < b']"), "");
  EXPECT_EQ(notes_of("command: ./a", "axes: {n: [1], env.X: [a~/b, 5$]}\nverify: {reference: {file: a*}}"),
            notes_of("command: ./a", "axes: {n: [1], env.X: [a, b]}\nverify: {reference: {file: a}}"));
}

}  // namespace
}  // namespace kernsweep::sweep_test
