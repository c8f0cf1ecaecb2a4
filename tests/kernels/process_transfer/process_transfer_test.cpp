// A tensor that is passed to another process arrives complete, and no process is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "kernels/cpu/process_transfer/pool.hpp"
#include "kernels/cpu/process_transfer/receiver.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

const ks_family& transfer() {
  static const ks_family& family = family_of(open_pack("process_transfer"), "process_transfer");
  return family;
}

// Nothing, less and more than a pipe holds, and what no buffer divides.
constexpr int kElements[] = {0, 1, 1023, 65536, 300007, 2000000};

TEST(ProcessTransfer, EveryWayHandsOverEachElement) {
  for (const std::string& variant : names_of_variants(transfer()))
    for (const int n : kElements)
      for (const bool read : {false, true})
        EXPECT_EQ(
            mismatch_with_reference(transfer(), variant, settings({{"n", n}, {"read", read}}), {.runs = 3}),
            "")
            << variant << " " << n;
}

TEST(ProcessTransfer, NoProcessIsLeftBehind) {
  for (const std::string& variant : names_of_variants(transfer()))
    EXPECT_EQ(measure(transfer(), variant, settings({{"n", 1000}})).status, KS_OK) << variant;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// The one child of a process; -1: there is none.
pid_t child_of(pid_t parent) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::string line;
    std::getline(std::ifstream(entry.path() / "stat"), line);  // PID (NAME) STATE PARENT ...
    const auto name_end = line.rfind(") ");
    if (name_end != std::string::npos && std::atoi(line.c_str() + name_end + 4) == parent)
      return std::atoi(line.c_str());
  }
  return -1;
}

TEST(ProcessTransfer, APythonPoolEndsWithAKilledSlot) {
  using process_transfer::Channel;
  Channel ready(Channel::Kind::pipe);
  const pid_t slot = fork();
  if (slot == 0) {
    const process_transfer::SharedMemory memory(2 * 8 + process_transfer::kPoolTextBytes);
    const process_transfer::Receiver program(process_transfer::pool_command(8, false), memory.file());
    const std::byte byte{};
    if (!program.wait() || !ready.send({&byte, 1})) _exit(1);
    pause();
    _exit(1);
  }
  ready.close_sender();
  std::byte byte{};
  ASSERT_TRUE(ready.receive({&byte, 1})) << "the pool is not ready";
  const pid_t program = child_of(slot);
  ASSERT_GT(program, 0);
  const pid_t of_pool = child_of(program);
  ASSERT_GT(of_pool, 0);
  const auto end_of = [](pid_t process) {  // glibc 2.36 has pidfd_open for C only
    return pollfd{static_cast<int>(syscall(SYS_pidfd_open, process, 0)), POLLIN, 0};
  };
  pollfd ends[] = {end_of(program), end_of(of_pool)};
  kill(slot, SIGKILL);
  EXPECT_EQ(waitpid(slot, nullptr, 0), slot);
  for (pollfd& end : ends) {
    EXPECT_EQ(poll(&end, 1, 60000), 1) << "a process is left behind";
    close(end.fd);
  }
}

// The reason on a host whose only program of the name is `text`; none: there is no program.
std::string said_with_python(const std::optional<std::string>& text) {
  std::string folder = std::filesystem::temp_directory_path() / "python.XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  if (text) {
    std::ofstream(folder + "/python3") << *text;
    chmod((folder + "/python3").c_str(), S_IRWXU);
  }
  std::string said = in_child([&] {
    setenv("PATH", folder.c_str(), 1);
    const Measured measured = measure(transfer(), "python_pool", settings({{"n", 10}}));
    return measured.status == KS_UNSUPPORTED ? measured.why : "it is supported";
  });
  std::filesystem::remove_all(folder);
  const auto at = said.find(folder);
  return at == std::string::npos ? said : said.replace(at, folder.size(), "FOLDER");
}

TEST(ProcessTransfer, APythonThatIsNoneIsUnsupported) {
  EXPECT_EQ(said_with_python(std::nullopt), "the program 'python3' is in no folder of PATH (FOLDER)");
  EXPECT_EQ(said_with_python("#!/bin/sh\nexit 1\n"), "python3 has ended before it was ready");
  EXPECT_EQ(said_with_python("#!/bin/none\n"), "python3 has ended before it was ready");
}

TEST(ProcessTransfer, APythonPoolTellsItsPython) {
  EXPECT_THAT(measure(transfer(), "python_pool", settings({{"n", 10}})).runtime,
              ::testing::MatchesRegex("Python 3[.].* file=/.*"));
}

TEST(ProcessTransfer, AnEndThatIsGoneIsSaidAndEndsNobody) {
  using process_transfer::Channel;
  const std::vector<std::byte> bytes(100);
  for (const Channel::Kind kind : {Channel::Kind::pipe, Channel::Kind::unix_socket})
    EXPECT_EQ(in_child([&] {
                signal(SIGPIPE, SIG_DFL);
                Channel channel(kind);
                channel.close_receiver();
                return std::string(channel.send(bytes) ? "sent" : "gone");
              }),
              "gone");
}

TEST(ProcessTransfer, WhatIsOnlyToldMovesNothing) {
  const Settings set = settings({{"n", 1000}});
  EXPECT_EQ(work_of(transfer(), set).bytes, 4000);
  EXPECT_EQ(measure(transfer(), "shared", set).work->bytes, 0);
  EXPECT_FALSE(measure(transfer(), "shared", with(set, {{"read", true}})).work.has_value());
}

TEST(ProcessTransfer, WhatCannotBeIsRefused) {
  std::string why;
  EXPECT_EQ(can_run(transfer(), "pipe", settings({{"n", -1}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(why, "n is -1; it must be 0 to 2^32");
  EXPECT_EQ(measure(transfer(), "pipe", settings({{"n", 100000}}), {.bytes_max = 4096}).status,
            KS_OUT_OF_MEMORY);
}

}  // namespace
}  // namespace kernsweep::testing
