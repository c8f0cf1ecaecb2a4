// Whether the earlier software would measure now: by content, with a new lookup of each name.
#include "worker/software_check.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "shared/base/content_hash.hpp"
#include "shared/base/installation.hpp"
#include "shared/lists/source_lines.hpp"

namespace kernsweep::worker {
namespace {

class SoftwareChecking : public ::testing::Test {
 protected:
  SoftwareChecking() {
    path_ = (std::filesystem::temp_directory_path() / "kernsweep-check-XXXXXX").string();
    if (!mkdtemp(path_.data())) std::abort();
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(path_);
  }
  ~SoftwareChecking() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }

  static void write(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  }
  static std::string hash_of(const std::string& content) {
    return content_hash(content.data(), content.size()).hex();
  }
  // A job has read this file with this content, which it now has.
  void source(const std::string& role, const std::string& name, const std::string& path,
              const std::string& content) {
    write(path, content);
    add_source({role, name, path, content.size(), hash_of(content)});
  }
  void add_source(const SourceLine& line) { sources_ += text_of(line) + "\n"; }
  std::string changed(const std::string& libraries = "", const std::string& version = version_text()) {
    wire::SoftwareCheck asked;
    asked.set_version(version);
    asked.set_libraries(libraries);
    asked.set_sources(sources_);
    return check_.changed(asked);
  }

  std::string path_;
  std::filesystem::path before_;
  std::string sources_, found_;
  std::vector<std::pair<std::string, SearchVariables>> looked_for_;
  SoftwareCheck check_{{"./p.so"}, [this](const std::string& name, const SearchVariables& variables) {
                         looked_for_.emplace_back(name, variables);
                         return found_;
                       }};
};

TEST_F(SoftwareChecking, WhatIsBuiltHoldsIfTheSameBytesAreBuiltNow) {
  BuildHashes now;
  std::set<std::string> asked;
  SoftwareCheck check({}, nullptr, [&](const std::set<std::string>& commands) {
    asked = commands;
    return now;
  });
  const std::string build = "gcc -DA='\t' a.c -o {out}";
  add_source({"build", build, "", 4, hash_of("file")});
  source("built", "{build}", "./built", "file");
  source("built_from", "./a.c", "./a.c", "text");
  add_source({"built_with", "CFLAGS", "-O2", 0, ""});
  add_source({"compiler", "gcc", "/gone/gcc", 1, hash_of("x")});
  const auto changed_now = [&](const std::string& hash) {
    now = hash.empty() ? BuildHashes() : BuildHashes{{build, hash}};
    wire::SoftwareChecks questions;
    questions.add_checks()->set_version(version_text());
    questions.mutable_checks(0)->set_sources(sources_);
    check.begin(questions);
    return check.changed(questions.checks(0));
  };
  EXPECT_EQ(changed_now(hash_of("file")), "");
  EXPECT_EQ(asked, std::set<std::string>{build});
  write("./a.c", "another text");
  EXPECT_EQ(changed_now(hash_of("file")), "") << "the same bytes are the same program";
  EXPECT_EQ(changed_now(hash_of("other")), "the build makes another file now: ./a.c has changed");
  write("./a.c", "text");
  EXPECT_EQ(changed_now(hash_of("other")), "the build makes another file now");
  EXPECT_EQ(changed_now(""), "it cannot be built now, to compare");
  EXPECT_EQ(changed(), "it cannot be built now, to compare") << "nothing may be built";
}

TEST_F(SoftwareChecking, WhatIsThereAsItWasIsTheSame) {
  source("pack", "p", "./p.so", "pack");
  source("word", "--file=d.txt", "./d.txt", "data");
  source("input", "a", "./a.npy", "numbers");
  source("depends", "t.txt", "./t.txt", "tables");
  EXPECT_EQ(changed(), "");
}

TEST_F(SoftwareChecking, AnEditIsToldByThePathOfTheFile) {
  source("word", "d.txt", "./d.txt", "data");
  write("./d.txt", "DATA");
  EXPECT_EQ(changed(), "./d.txt has changed");
  std::filesystem::remove("./d.txt");
  EXPECT_EQ(changed(), "./d.txt is gone, or cannot be read any more");
}

TEST_F(SoftwareChecking, AnotherVersionOfOursMeasuresOtherwise) {
  EXPECT_EQ(changed("", "0.0.9"), "Kernsweep 0.0.9 measured it, this is " + version_text());
}

TEST_F(SoftwareChecking, EachLibraryThatWasLoadedCounts) {
  write("./l.so", "one");
  const std::string line = "./l.so\tl.so\t-\t3\t" + hash_of("one") + "\t-";
  EXPECT_EQ(changed(line), "");
  write("./l.so", "two");
  EXPECT_EQ(changed(line), "./l.so has changed");
  EXPECT_EQ(changed("./l.so\tl.so\t-\t3\t-\t-"), "./l.so has changed") << "its content was not known";
}

TEST_F(SoftwareChecking, TheNameOfALibraryIsLookedUpAnewWithTheVariablesOfTheSweep) {
  source("library", "libblas.so.3", "./one.so", "one");
  add_source({"variable", "LD_LIBRARY_PATH", "/opt/lib", 0, ""});
  found_ = "./one.so";
  EXPECT_EQ(changed(), "");
  EXPECT_EQ(looked_for_.back().first, "libblas.so.3");
  EXPECT_EQ(looked_for_.back().second.at("LD_LIBRARY_PATH"), "/opt/lib");
  write("./two.so", "two");
  found_ = "./two.so";  // the link leads elsewhere now; the old file is as it was
  EXPECT_EQ(changed(), "./two.so has changed");
  found_.clear();
  EXPECT_EQ(changed(), "libblas.so.3 is not found any more");
}

TEST_F(SoftwareChecking, AProgramIsLookedForInThePathOfTheSweep) {
  std::filesystem::create_directory("bin");
  std::filesystem::create_directory("other");
  source("program", "prog", "./bin/prog", "program");
  std::filesystem::permissions("./bin/prog", std::filesystem::perms::owner_all);
  add_source({"variable", "PATH", "./other:./bin", 0, ""});
  EXPECT_EQ(changed(), "");
  write("./other/prog", "another");
  EXPECT_EQ(changed(), "") << "it cannot be executed";
  std::filesystem::permissions("./other/prog", std::filesystem::perms::owner_all);
  EXPECT_EQ(changed(), "./other/prog has changed");
}

TEST_F(SoftwareChecking, WhatAProgramIsLinkedWithCountsByContent) {
  source("program", "./prog", "./prog", "#!./interpreter\n");
  source("linked", "./interpreter", "./interpreter", "one");
  EXPECT_EQ(changed(), "");
  write("./interpreter", "two");
  EXPECT_EQ(changed(), "./interpreter has changed");
}

TEST_F(SoftwareChecking, WhatAProgramIsLinkedWithNowWasLinkedWithItBefore) {
  source("program", "./prog", "./prog", "#!./interpreter\n");
  write("./interpreter", "one");
  EXPECT_EQ(changed(), "./interpreter is loaded now, too");
}

TEST_F(SoftwareChecking, AProgramThatEnvStartsIsLookedUpAsEnvDoes) {
  std::filesystem::create_directory("bin");
  source("started", "env -C bin PATH=. prog", "./bin/./prog", "#!./interpreter\n");
  std::filesystem::permissions("./bin/prog", std::filesystem::perms::owner_all);
  source("linked", "./interpreter", "./bin/./interpreter", "one");
  EXPECT_EQ(changed(), "");
  write("./bin/interpreter", "two");
  EXPECT_EQ(changed(), "bin/./interpreter has changed");
  write("./bin/interpreter", "one");
  write("./bin/prog", "#!./another\n");
  EXPECT_EQ(changed(), "bin/./prog has changed");
  std::filesystem::remove("./bin/prog");
  check_.begin();
  EXPECT_EQ(changed(), "env -C bin PATH=. prog is not found any more");
}

TEST_F(SoftwareChecking, WhatWasLinkedAndIsNotAnyMoreIsMissed) {
  source("word", "./prog", "./prog", "data");
  source("linked", "libk.so", "./libk.so", "one");
  EXPECT_EQ(changed(), "libk.so is not found any more");
}

TEST_F(SoftwareChecking, OfALibraryThatWasClosedTheContentIsNotKnown) {
  add_source({"closed", "a library", "", 0, ""});
  EXPECT_EQ(changed(), "the content of a library is not known");
}

TEST_F(SoftwareChecking, AModuleThatStandsBeforeTheOldOneIsAnother) {
  std::filesystem::create_directory("lib");
  source("module", "m", std::filesystem::absolute("lib/m.py").string(), "x = 1");
  EXPECT_EQ(changed(), "");
  write("./m.py", "x = 1");
  EXPECT_EQ(changed(), "the module m is another file now");
}

TEST_F(SoftwareChecking, APackThatNoJobWouldUseIsAnother) {
  source("pack", "p", "./q.so", "pack");
  EXPECT_EQ(changed(), "the pack ./q.so is not used here any more");
}

}  // namespace
}  // namespace kernsweep::worker
