#include "worker/process/run_to_exit.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

constexpr Duration kPlenty = std::chrono::seconds(60);

// `script` for the shell, which starts what it needs from the usual folders.
Heard heard_from(const std::string& script, Duration limit = kPlenty) {
  Launch start;
  start.program = "/bin/sh";
  start.arguments = {"-c", script};
  start.environment = {"PATH=/usr/bin:/bin"};
  start.capture_output = true;
  auto child = launch(start);
  if (!child) return {};
  return hear_out(*child, limit);
}

TEST(HearOut, GivesAllThatWasWrittenAndTheEnding) {
  const Heard heard = heard_from("echo one; echo two; exit 3");
  EXPECT_TRUE(heard.in_time);
  EXPECT_EQ(heard.output, "one\ntwo\n");
  ASSERT_TRUE(heard.ending);
  EXPECT_EQ(describe(*heard.ending), "exited with status 3");
}

// A pipe holds 64 KiB: without a reader of its errors the child would never come to its answer.
TEST(HearOut, ErrorsAreReadAwayHoweverMany) {
  const Heard heard = heard_from("head -c 1000000 /dev/zero >&2; echo done");
  EXPECT_TRUE(heard.in_time);
  EXPECT_EQ(heard.output, "done\n");
}

TEST(HearOut, MoreThanOneReadHoldsIsWhole) {
  EXPECT_EQ(heard_from("head -c 1000000 /dev/zero").output.size(), 1'000'000u);
}

TEST(HearOut, AChildThatClosesItsErrorsFirstIsHeardOut) {
  EXPECT_EQ(heard_from("exec 2>&-; head -c 200000 /dev/zero").output.size(), 200'000u);
}

TEST(HearOut, WhatWasSaidBeforeASignalIsKept) {
  const Heard heard = heard_from("echo last; kill -SEGV $$");
  EXPECT_TRUE(heard.in_time);
  EXPECT_EQ(heard.output, "last\n");
  ASSERT_TRUE(heard.ending);
  EXPECT_EQ(describe(*heard.ending), "killed by SIGSEGV (Segmentation fault)");
}

TEST(HearOut, AfterTheLimitItsWholeGroupIsKilled) {
  const Heard heard = heard_from("tail -f /dev/null & tail -f /dev/null", std::chrono::milliseconds(1));
  EXPECT_FALSE(heard.in_time);
  ASSERT_TRUE(heard.ending);
  EXPECT_EQ(describe(*heard.ending), "killed by SIGKILL (Killed)");
}

// What it leaves behind holds its output open and might say more.
TEST(HearOut, AnOutputThatStaysOpenIsNotHeardOut) {
  const Heard heard = heard_from("tail -f /dev/null & echo early", std::chrono::milliseconds(500));
  EXPECT_FALSE(heard.in_time);
}

}  // namespace
}  // namespace kernsweep
