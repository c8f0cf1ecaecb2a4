// A tensor that is handed to another process arrives whole, and nobody is left behind.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <vector>

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
  EXPECT_EQ(why, "n is -1; it must be 0 to 4294967296");
  EXPECT_EQ(measure(transfer(), "pipe", settings({{"n", 100000}}), {.bytes_max = 4096}).status,
            KS_OUT_OF_MEMORY);
}

}  // namespace
}  // namespace kernsweep::testing
