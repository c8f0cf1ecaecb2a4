// Where a program is searched, and the message if it cannot be started.
#include "shared/lists/executable.hpp"
#include "tests/golden_text/golden_text.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kernsweep::command {
namespace {

class ExecutableTest : public ::testing::Test {
 protected:
  ExecutableTest()
      : path_(std::getenv("PATH") ? std::getenv("PATH") : ""), before_(std::filesystem::current_path()) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("kernsweep_executable_") + test->name() + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "a");
    std::filesystem::create_directories(folder_ / "b");
    std::filesystem::current_path(folder_);
  }
  ~ExecutableTest() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
    setenv("PATH", path_.c_str(), 1);
  }
  void make(const std::string& name, bool executable) const {
    std::ofstream(folder_ / name) << "#!/bin/sh\n";
    const auto all = std::filesystem::perms::owner_all;
    const auto read = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    std::filesystem::permissions(folder_ / name, executable ? all : read);
  }
  void look_in(const std::string& folders) const { setenv("PATH", folders.c_str(), 1); }
  std::string in(const std::string& name) const { return (folder_ / name).string(); }

  std::string path_;
  std::filesystem::path before_, folder_;
};

TEST_F(ExecutableTest, WithASlashCountsFromTheWorkingDirectory) {
  make("a/it", true);
  EXPECT_EQ(find_executable("a/it").path, "a/it");
  EXPECT_EQ(find_executable("./a/it").path, "./a/it");
  EXPECT_EQ(find_executable(in("a/it")).path, in("a/it"));
}

TEST_F(ExecutableTest, WithoutASlashTheFirstInPathThatMayBeExecutedCounts) {
  make("a/it", false);
  make("b/it", true);
  look_in(in("nowhere") + ":" + in("a") + ":" + in("b"));
  EXPECT_EQ(find_executable("it").path, in("b/it"));
}

TEST_F(ExecutableTest, AProgramThatALinkNowLeadsToIsResolvedAgain) {
  make("a/it", true);
  make("b/it", true);
  const auto resolved = [&](const std::string& target) {
    std::filesystem::remove("it");
    std::filesystem::create_symlink(target, "it");
    return std::filesystem::path(real_path(find_executable("./it")));
  };
  EXPECT_EQ(resolved("a/it"), std::filesystem::canonical("a/it"));
  EXPECT_EQ(resolved("b/it"), std::filesystem::canonical("b/it"));
}

TEST_F(ExecutableTest, AMissingProgramSaysWhereItWasLookedFor) {
  const auto with_slash = find_executable("./it");
  EXPECT_EQ(with_slash.path, "");
  EXPECT_THAT(with_slash.reason, ::testing::HasSubstr("'./it' is not there, seen from " +
                                                      std::filesystem::current_path().string()));
  look_in(in("a"));
  EXPECT_THAT(find_executable("it").reason, IsGolden());
  make("it", true);
  EXPECT_THAT(find_executable("it").reason, IsGolden());
}

TEST_F(ExecutableTest, WhatIsThereButNoProgramSaysSo) {
  make("it", false);
  EXPECT_THAT(find_executable("./it").reason, IsGolden());
  EXPECT_THAT(find_executable("./a").reason, IsGolden());
  EXPECT_THAT(find_executable("/dev/null").reason, IsGolden());
  EXPECT_THAT(find_executable("./it/x").reason, IsGolden());
}

TEST_F(ExecutableTest, OtherExecutablesAreThoseOfTheFoldersThatAreSearched) {
  make("a/one", true);
  make("a/two", false);
  make("b/three", true);
  const std::string path = in("a") + ":" + in("nowhere") + ":" + in("b");
  EXPECT_THAT(other_executables("it", path.c_str()), ::testing::UnorderedElementsAre("one", "three"));
  EXPECT_THAT(other_executables("./a/it", path.c_str()), ::testing::ElementsAre("./a/one"));
  EXPECT_THAT(other_executables("it", nullptr), ::testing::IsEmpty());
}

TEST_F(ExecutableTest, NoNameAndNoPathAreNoPrograms) {
  EXPECT_THAT(find_executable("").reason, IsGolden());
  unsetenv("PATH");
  EXPECT_THAT(find_executable("sh").reason, IsGolden());
}

}  // namespace
}  // namespace kernsweep::command
