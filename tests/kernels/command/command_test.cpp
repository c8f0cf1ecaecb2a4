// The pack `command` through its interface, with programs that every Debian has.
#include <gmock/gmock.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ks_family& command() {
  return family_of(open_pack("command"), "command");
}

Measured ran(const std::string& line, int runs = 1) {
  HostOptions options;
  options.runs = runs;
  return measure(command(), "command", settings({{"command", line.c_str()}, {"unused", 3}}), options);
}

std::string output_of(const Measured& measured) {
  std::string text;
  for (const double byte : measured.values) text += static_cast<char>(byte);
  return text;
}

TEST(Command, IsAFamilyWithOneVariantAndNoReference) {
  EXPECT_EQ(command().any_params, 1);
  EXPECT_EQ(command().reference, nullptr);
  EXPECT_THAT(names_of_variants(command()), ElementsAre("command"));
}

TEST(Command, WhatItPrintsIsTheOutput) {
  const Measured measured = ran("printf '%s|' one 'two three' ''");
  ASSERT_EQ(measured.status, KS_OK) << measured.why;
  EXPECT_EQ(measured.dtype, KS_U8);
  EXPECT_EQ(output_of(measured), "one|two three||");
}

TEST(Command, EachRunStandsAlone) {
  EXPECT_EQ(output_of(ran("echo once", 3)), "once\n");
}

TEST(Command, StdinIsEmptyAndStderrIsNoOutput) {
  const Measured measured = ran("sh -c 'cat; echo lost >&2; echo kept'");
  ASSERT_EQ(measured.status, KS_OK) << measured.why;
  EXPECT_EQ(output_of(measured), "kept\n");
}

// 0 1 2 are a shell's; 3 is the folder that ls reads.
TEST(Command, NoDescriptorOfTheHostIsHandedOn) {
  const Measured measured = ran("ls /proc/self/fd");
  EXPECT_EQ(output_of(measured), "0\n1\n2\n3\n");
}

TEST(Command, AStatusThatIsNotZeroIsAFailureWithItsLastWords) {
  const Measured measured = ran("sh -c 'echo first >&2; echo bad thing >&2; exit 7'");
  EXPECT_EQ(measured.status, KS_FAILED);
  EXPECT_EQ(measured.failed_in, "run");
  EXPECT_EQ(measured.why,
            "the command exited with status 7; its first line on stderr: first; its last line on stderr: "
            "bad thing");
}

TEST(Command, ASignalIsAFailureByName) {
  const Measured measured = ran("sh -c 'kill -TERM $$'");
  EXPECT_EQ(measured.status, KS_FAILED);
  EXPECT_EQ(measured.why, "the command was killed by SIGTERM (Terminated)");
}

TEST(Command, AMissingProgramIsRefusedBeforeItIsRun) {
  const Measured measured = ran("no-such-program-here --at all");
  EXPECT_EQ(measured.status, KS_FAILED);
  EXPECT_EQ(measured.failed_in, "prepare");
  EXPECT_THAT(measured.why, HasSubstr("'no-such-program-here' is in no folder of PATH"));
}

TEST(Command, WhatIsNoCommandLineIsRefusedAsAParameter) {
  std::string why;
  EXPECT_EQ(can_run(command(), "command", settings({{"command", "echo 'a"}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(command(), "command", settings({{"command", " "}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(command(), "command", {}, why), KS_BAD_PARAMETER);
}

TEST(Command, TimeIsThatOfTheProcess) {
  const Measured measured = ran("sleep 0.05");
  ASSERT_EQ(measured.status, KS_OK) << measured.why;
  ASSERT_TRUE(measured.elapsed);
  EXPECT_GE(*measured.elapsed, 0.05);
}

TEST(Command, ARunThatWasStoppedIsRepeated) {
  char file[] = "/tmp/kernsweep_runs_XXXXXX";
  const int descriptor = mkstemp(file);
  ASSERT_GE(descriptor, 0);
  const std::string runs = file;
  const Measured measured = ran("sh -c 'echo x >> " + runs + "; [ $(wc -l < " + runs +
                                ") != 1 ] || { (sleep 0.7; kill -CONT $$) & kill -STOP $$; }'");
  EXPECT_EQ(measured.status, KS_OK) << measured.why;
  EXPECT_EQ(lseek(descriptor, 0, SEEK_END), 4) << "two lines";
  ASSERT_TRUE(measured.elapsed);
  EXPECT_LT(*measured.elapsed, 0.7);
  close(descriptor);
  unlink(file);
}

TEST(Command, ATimeThatIsNotPrintedAtTheBeginOfALineOfStdoutIsRefused) {
  for (const char* line : {"echo took kernsweep: seconds=1", "echo Kernsweep: seconds=1",
                           "sh -c 'echo kernsweep: seconds=1 >&2'"}) {
    const Measured measured = ran(line);
    EXPECT_EQ(measured.status, KS_FAILED) << line;
    EXPECT_THAT(measured.why, IsGolden());
  }
}

// A thread of this process computes on the only core that the program gets.
TEST(Command, SaysHowLongTheProgramHadNoCore) {
  cpu_set_t before, one;
  CPU_ZERO(&one);
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::atomic<bool> over = false;
  std::thread other([&over] {
    while (!over) {
    }
  });
  const std::string counts = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
  const Measured alone = ran("dash -c '" + counts + "'"), several = ran("dash -c '(" + counts + "); true'");
  over = true;
  other.join();
  sched_setaffinity(0, sizeof before, &before);
  ASSERT_TRUE(alone.waited && alone.elapsed) << alone.why;
  EXPECT_GT(*alone.waited, 0.2 * *alone.elapsed);
  EXPECT_LE(*alone.waited, *alone.elapsed);
  ASSERT_TRUE(several.waited) << several.why;
  EXPECT_LT(*several.waited, 0) << "what its second process waited is not known";
}

TEST(Command, ItsOwnSecondsTakeTheirPlace) {
  const Measured measured = ran("printf 'a\\nkernsweep: seconds=12.5 flops=3e6\\nb\\n'", 2);
  ASSERT_EQ(measured.status, KS_OK) << measured.why;
  EXPECT_EQ(measured.elapsed, 12.5);
  EXPECT_EQ(output_of(measured), "a\nb\n");
  ASSERT_TRUE(measured.work);
  EXPECT_EQ(measured.work->flops, 3e6);
  EXPECT_EQ(measured.work->bytes, 0);
  EXPECT_FALSE(ran("true").work) << "who says nothing has done nothing";
}

TEST(Command, GarbageForKernsweepIsAFailureThatQuotesIt) {
  const Measured measured = ran("echo 'kernsweep: seconds=soon'");
  EXPECT_EQ(measured.status, KS_FAILED);
  EXPECT_THAT(measured.why, IsGolden());
}

// Prints its seconds in every second run, which a file counts.
TEST(Command, TimesOfTwoKindsAreNotMixed) {
  const std::string mark = ::testing::TempDir() + "kernsweep_mixed_mark_" + std::to_string(getpid());
  std::remove(mark.c_str());
  const Measured measured = ran(
      "sh -c 'if rm \"$0\" 2>&-; then echo; else echo kernsweep: seconds=1; : > \"$0\"; fi' " + mark, 2);
  std::remove(mark.c_str());
  EXPECT_EQ(measured.status, KS_FAILED);
  EXPECT_THAT(measured.why, IsGolden());
}

TEST(Command, MuchOutputDoesNotBlockItAndTheEndIsKept) {
  const Measured measured = ran("sh -c 'seq 1 300000; head -c 70000 /dev/zero >&2'");
  ASSERT_EQ(measured.status, KS_OK) << measured.why;
  const std::string text = output_of(measured);
  EXPECT_EQ(text.size(), 64u << 10);
  EXPECT_TRUE(text.ends_with("299999\n300000\n"));
}

TEST(Command, WhatItLeavesInTheBackgroundIsNotWaitedFor) {
  const Measured measured = ran("sh -c 'sleep 30 & echo started'");
  ASSERT_EQ(measured.status, KS_OK) << measured.why;
  EXPECT_LT(*measured.elapsed, 25);
  EXPECT_EQ(output_of(measured), "started\n");
}

TEST(Command, AScriptWithoutAFirstLineSaysWhatItLacks) {
  const std::string path = ::testing::TempDir() + "kernsweep_bare_script_" + std::to_string(getpid());
  std::FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("exit 0\n", file);
  std::fclose(file);
  ASSERT_EQ(measure(command(), "command", settings({{"command", ("chmod +x " + path).c_str()}})).status,
            KS_OK);
  const Measured measured = ran(path);
  std::remove(path.c_str());
  EXPECT_EQ(measured.status, KS_FAILED);
  EXPECT_THAT(measured.why, IsGolden());
}

TEST(Command, TellsWhichFileItWas) {
  EXPECT_THAT(ran("true").runtime, HasSubstr("/true"));
}

}  // namespace
}  // namespace kernsweep::testing
