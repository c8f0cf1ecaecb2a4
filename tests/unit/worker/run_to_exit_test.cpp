#include "worker/process/run_to_exit.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

constexpr Duration kPlenty = std::chrono::seconds(60);

// `script` for the shell, which starts what it needs from the usual folders.
ExitedProcess run_script(const std::string& script, Duration limit = kPlenty) {
  Launch start;
  start.program = "/bin/sh";
  start.arguments = {"-c", script};
  start.environment = {"PATH=/usr/bin:/bin"};
  start.capture_output = true;
  auto child = launch(start);
  if (!child) return {};
  return run_to_exit(*child, limit);
}

TEST(RunToExit, GivesAllThatWasWrittenAndTheEnding) {
  const ExitedProcess exited = run_script("echo one; echo two; exit 3");
  EXPECT_TRUE(exited.in_time);
  EXPECT_EQ(exited.output, "one\ntwo\n");
  ASSERT_TRUE(exited.ending);
  EXPECT_EQ(describe(*exited.ending), "exited with status 3");
}

// A pipe holds 64 KiB: without a reader of its errors the child would never come to its answer.
TEST(RunToExit, ErrorsAreReadAwayHoweverMany) {
  const ExitedProcess exited = run_script("head -c 1000000 /dev/zero >&2; echo done");
  EXPECT_TRUE(exited.in_time);
  EXPECT_EQ(exited.output, "done\n");
}

TEST(RunToExit, MoreThanOneReadHoldsIsWhole) {
  EXPECT_EQ(run_script("head -c 1000000 /dev/zero").output.size(), 1'000'000u);
}

TEST(RunToExit, AChildThatClosesItsErrorsFirstIsHeardOut) {
  EXPECT_EQ(run_script("exec 2>&-; head -c 200000 /dev/zero").output.size(), 200'000u);
}

TEST(RunToExit, WhatWasSaidBeforeASignalIsKept) {
  const ExitedProcess exited = run_script("echo last; kill -SEGV $$");
  EXPECT_TRUE(exited.in_time);
  EXPECT_EQ(exited.output, "last\n");
  ASSERT_TRUE(exited.ending);
  EXPECT_EQ(describe(*exited.ending), "killed by SIGSEGV (Segmentation fault)");
}

TEST(RunToExit, AfterTheLimitItsWholeGroupIsKilled) {
  const ExitedProcess exited =
      run_script("tail -f /dev/null & tail -f /dev/null", std::chrono::milliseconds(1));
  EXPECT_FALSE(exited.in_time);
  ASSERT_TRUE(exited.ending);
  EXPECT_EQ(describe(*exited.ending), "killed by SIGKILL (Killed)");
}

// A process that it leaves keeps its output open and might write more.
TEST(RunToExit, AnOutputThatStaysOpenIsNotHeardOut) {
  const ExitedProcess exited = run_script("tail -f /dev/null & echo early", std::chrono::milliseconds(500));
  EXPECT_FALSE(exited.in_time);
}

}  // namespace
}  // namespace kernsweep
