// What a command starts through shells, scripts and modules, by the texts alone.
#include "shared/lists/started_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace kernsweep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class StartedFilesTest : public ::testing::Test {
 protected:
  StartedFilesTest() : folder_(::testing::TempDir() + "started_" + std::to_string(getpid())) {
    for (const char* each : {"bench", "build/bench", "build/other", "bin/helper"})
      write(each, "\177ELF", true);
  }
  ~StartedFilesTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text, bool runs = false) const {
    const std::filesystem::path path = folder_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    if (runs) chmod(path.c_str(), S_IRWXU);
  }

  // In the folder; the files outside of it are left out.
  StartedFiles started(std::vector<std::string> words) {
    words.insert(words.begin(), {"env", "-C", folder_});
    const Launched by = launched_by(words, {"PATH=/usr/bin:/bin", "HOME=/", "BENCH_OF_HOST=build/bench"});
    StartedFiles out =
        started_files(by, by.at < by.words.size() ? path_of_program(by, by.words[by.at]) : "");
    std::erase_if(out.files, [&](const StartedFile& each) { return !each.path.starts_with(folder_); });
    return out;
  }
  // The paths in the folder of what a text starts and reads; "?TEXT" of what is not known.
  std::vector<std::string> files(const std::string& text, const std::string& shell = "sh") {
    const StartedFiles found = started({shell, "-c", text});
    std::vector<std::string> out;
    for (const StartedFile& each : found.files)
      out.push_back(std::filesystem::path(each.path.substr(folder_.size() + 1)).lexically_normal());
    for (const std::string& each : found.unknown) out.push_back("?" + each);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  std::string folder_;
};

TEST_F(StartedFilesTest, AreLookedForInEachFolderOfTheText) {
  for (const char* text :
       {"cd build; ./bench", "cd build && ./bench | cat", "(cd build; ./bench)",
        "cd ./build/../build\n./bench", "pushd build >/dev/null; ./bench", "(cd bin); build/bench",
        "cd bin; cd ../build; ./bench", "env -C build ./bench", "cd build & wait; build/bench",
        "timeout 5 sh -c 'cd build && ./bench'", "cd bin; pushd ../build; popd; cd ../build; ./bench"}) {
    EXPECT_THAT(files(text, "bash"), Contains("build/bench")) << text;
    EXPECT_THAT(started({"bash", "-c", text}).unknown, IsEmpty()) << text;
  }
  EXPECT_THAT(files("[ -d build ] && cd build; ./bench"), ElementsAre("bench", "build/bench"));
  EXPECT_THAT(files("cd $(cat list); ./bench"), Contains("?cd"));
  EXPECT_THAT(files("cd nowhere; ./bench"), Contains("?cd"));
  EXPECT_THAT(files("f() { ./bench; }; cd build; f"), ElementsAre("bench", "build/bench"));
  EXPECT_THAT(files("$BENCH_THAT_NOTHING_SETS"), ElementsAre("?$BENCH_THAT_NOTHING_SETS"));
}

TEST_F(StartedFilesTest, AreThoseOfTheValuesOfTheirWords) {
  for (const char* text : {"$PWD/build/bench",
                           "${PWD}/build/bench",
                           "`pwd`/build/bench",
                           "\"$(pwd)\"/build/bench",
                           "${BENCH:-build/bench}",
                           "$BENCH_OF_HOST",
                           "B=build; $B/bench",
                           "f() { $B; }; B=build/bench; f",
                           "build/ben*",
                           "for b in build/*nch; do $b; done",
                           "export B=build/bench; \"$B\"",
                           ": ${B:=build/bench}; $B",
                           "eval 'build/bench'",
                           "exec build/bench",
                           "command build/bench",
                           "x=1 build/bench",
                           "while true; do build/bench; done",
                           "trap 'build/bench' EXIT",
                           "[[ a == $(build/bench) ]]",
                           "PATH=build:$PATH; other() { bench; }; other",
                           "PATH=$PWD/build:$PATH bench",
                           "$EMPTY build/bench"})
    EXPECT_THAT(files(text, "bash"), ElementsAre("build/bench")) << text;
  EXPECT_THAT(files("B=build/bench; if [ $x ]; then B=build/other; fi; $B"),
              ElementsAre("build/bench", "build/other"));
  EXPECT_THAT(files("case $(uname) in Darwin) bin/helper;; *) build/bench;; esac"),
              ElementsAre("bin/helper", "build/bench"));
}

TEST_F(StartedFilesTest, AreAlsoThoseOfScriptsAndSourcedFiles) {
  write("run.sh", "#!/bin/sh\ncd build\n./bench\n", true);
  write("own.sh", "#!/bin/bash\nD=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\n\"$D/build/bench\"\n",
        true);
  write("inc.sh", "f() { build/bench; }\n");
  write("vars.sh", "BIN=build/bench\n");
  write("deep/run.sh", "cd \"$(dirname \"$0\")/../build\" && exec ./bench\n", true);
  EXPECT_THAT(files("./run.sh"), ElementsAre("bench", "build/bench", "run.sh"));
  EXPECT_THAT(files("setarch -R ./own.sh"), ElementsAre("build/bench", "own.sh"));
  EXPECT_THAT(files(". ./inc.sh; f"), ElementsAre("build/bench", "inc.sh"));
  EXPECT_THAT(files("source ./vars.sh; $BIN", "bash"), ElementsAre("build/bench", "vars.sh"));
  EXPECT_THAT(files("deep/run.sh"), ElementsAre("bench", "build/bench", "deep/run.sh"));
  EXPECT_THAT(files("sh deep/run.sh"), ElementsAre("bench", "build/bench", "deep/run.sh"));
  write("long.sh", "#!/bin/sh\n" + std::string(1 << 16, '\n'), true);
  EXPECT_THAT(files("./long.sh"), ElementsAre("?./long.sh", "long.sh"));
}

TEST_F(StartedFilesTest, KeepTheFolderAndTheVariablesOfTheirPrograms) {
  const auto names = [&](const std::string& text) {
    std::vector<std::string> out;
    for (const StartedFile& each : started({"sh", "-c", text}).files) out.push_back(each.name);
    return out;
  };
  const Launched with = launched_of_name(names("cd build; LD_LIBRARY_PATH=lib build/bench")[0], {});
  EXPECT_THAT(with.environment, Contains("LD_LIBRARY_PATH=lib"));
  const Launched by = launched_of_name(names("cd bin; PATH=.:$PATH helper")[0], {"PATH=/usr/bin"});
  EXPECT_EQ(path_of_program(by, by.words[by.at]), folder_ + "/bin/./helper");
}

TEST_F(StartedFilesTest, AreUnknownWhereTheTextDoesNotNameThem) {
  for (const char* text : {"$(cat list)",
                           "read b < list; $b",
                           "make -s",
                           "cmake --build build",
                           "cat run.sh | sh",
                           "no_such_program_here",
                           "./none",
                           ". ./none",
                           "eval \"$(cat list)\"",
                           "'x",
                           "B=$(cat list); \"$B/bench\"",
                           "cargo run",
                           "xargs make",
                           "B=build/bench.x; ${B%.x}",
                           "A=(build/bench -x); \"${A[@]}\"",
                           "f() { \"$1\"; }; f build/bench",
                           "set -- build/bench x; \"$@\"",
                           "B=$(dirname build/x)/bench; $B",
                           "sh <<X\nbuild/bench\nX",
                           "cat <<X\n$(build/bench)\nX",
                           "PATH=$(cat list); bench"})
    EXPECT_THAT(started({"bash", "-c", text}).unknown, Not(IsEmpty())) << text;
  EXPECT_THAT(started({"make", "-C", "build"}).unknown, ElementsAre("make"));
  EXPECT_THAT(started({"env", "-S", "sh -c 'x'"}).unknown, ElementsAre("env"));
  EXPECT_EQ(
      text_of_unknown({"make", "$x"}),
      "what `make`, `$x` run is not known, so the result is never reused; list its files under depends");
  EXPECT_EQ(text_of_unknown({}), "");
}

TEST_F(StartedFilesTest, AreKnownInCommonTexts) {
  write("list", "a\n");
  for (const char* text : {"echo a | cat | wc -l",
                           "for i in 1 2; do echo $i; done",
                           "i=0; while [ $i -lt 3 ]; do i=$((i + 1)); done",
                           "for ((i = 0; i < 3; i++)); do echo; done",
                           "if ! test -f x; then printf '%s\\n' x; elif true; then :; fi",
                           "cat <<'X' | sort\nit's $(none\nX",
                           "cat <<X\nit's\nX",
                           "case $x in a|b) ;; (c*) echo;; *) true ;; esac",
                           "{ echo a; echo b; } > /dev/null 2>&1",
                           "true && ! false || echo no # comment's",
                           "exec 3>&1; echo >&3",
                           "set -euo pipefail; trap - EXIT; shopt -s nullglob",
                           "[[ $a =~ ^(x|y)$ && -f b ]] || true",
                           "awk '{print $1}' list",
                           "x=$(wc -c < list); echo $((x * 2)) ${#x} ${x//a/b}",
                           "diff <(sort list) <(cat list)",
                           "seq 3 | while read -r n; do echo \"$n\"; done",
                           "sleep 0 & wait $!",
                           "printf 'a\\n' >> log; cat log",
                           "time sleep 0",
                           "time -p sleep 0",
                           "until true; do sleep 1; done",
                           "local x=1; unset x; shift",
                           "function f { echo \"$@\"; }; f a b",
                           "echo {1..3} \"a b\" $'x' \\; ~",
                           "cd /tmp && ls -l",
                           "alias x=y; umask 022"})
    EXPECT_THAT(started({"bash", "-c", text}).unknown, IsEmpty()) << text;
  EXPECT_THAT(files("cat < list > out; wc -l list"), ElementsAre("list"));
  EXPECT_THAT(files("echo >> list; wc -l < list"), IsEmpty()) << "its own state";
}

TEST_F(StartedFilesTest, OfPythonAreTheScriptAndTheModule) {
  write("mm.py", "");
  write("part/pack/__main__.py", "");
  EXPECT_THAT(files("python3 -m mm x"), ElementsAre("mm.py"));
  EXPECT_THAT(files("python3 -Xdev -um mm"), ElementsAre("mm.py"));
  EXPECT_THAT(files("PYTHONPATH=part python3 -m pack"), ElementsAre("part/pack/__main__.py"));
  EXPECT_THAT(files("python3 -W ignore mm.py"), ElementsAre("mm.py"));
  EXPECT_THAT(files("python3 -c pass mm.py"), IsEmpty());
}

TEST_F(StartedFilesTest, EndForAnyText) {
  std::string nested, loops;
  for (int i = 0; i < 3'000; ++i) nested += "$(";
  for (int i = 0; i < 40; ++i) loops += "while x; do ";
  for (const std::string& text :
       {nested, "(" + nested, "\"" + nested, loops, std::string(5'000, '('), std::string(5'000, '{'),
        std::string("f() { f; f; f; }; f"), std::string("a=x; for i in 1 2; do a=$a$a; done; $a"),
        std::string("<<"), std::string("<<X"), std::string("\\"), std::string("${"),
        std::string("case x in")})
    (void)files(text);
}

}  // namespace
}  // namespace kernsweep
