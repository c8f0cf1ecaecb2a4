#include "transport/socket.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <random>
#include <string>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/transport/listening.hpp"
#include "tests/unit/transport/raw.hpp"
#include "transport/endpoints.hpp"

namespace kernsweep {
namespace {

using testing_transport::kPatience;
using testing_transport::local_address;
using testing_transport::next;
using testing_transport::RawDealer;
using testing_transport::RawRouter;
using testing_transport::Stranger;

using namespace std::chrono_literals;

Result<Socket> tcp_router() {
  return Socket::router("tcp://127.0.0.1:*");
}

class Transport : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto bound = Socket::router(GetParam() ? "tcp://127.0.0.1:*" : local_address());
    ASSERT_TRUE(bound) << bound.error().message;
    router_.emplace(std::move(*bound));
    auto connected = Socket::dealer(router_->endpoint());
    ASSERT_TRUE(connected) << connected.error().message;
    dealer_.emplace(std::move(*connected));
  }
  std::optional<Socket> router_;
  std::optional<Socket> dealer_;
};

// An address of each version reaches a socket that is bound to all of them.
TEST(AllAddresses, AreThoseOfBothVersions) {
  auto router = Socket::router("tcp://*:*");
  ASSERT_TRUE(router) << router.error().message;
  const std::string port = router->endpoint().substr(router->endpoint().rfind(':'));
  std::vector<std::string> hosts = {"127.0.0.1", "localhost"};
  // Else the system has no version 6.
  if (router->endpoint().starts_with("tcp://[::]")) hosts.push_back("[::1]");
  for (const std::string& host : hosts) {
    auto dealer = Socket::dealer("tcp://" + host + port);
    ASSERT_TRUE(dealer) << dealer.error().message;
    ASSERT_TRUE(dealer->send(host));
    const auto arrived = next(*router);
    ASSERT_TRUE(arrived) << host;
    EXPECT_EQ(arrived->bytes, host);
  }
}

TEST_P(Transport, CarriesMessagesBothWays) {
  ASSERT_TRUE(dealer_->send("hello"));
  const auto hello = next(*router_);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->bytes, "hello");
  EXPECT_FALSE(hello->peer.empty());
  ASSERT_TRUE(router_->send_to(hello->peer, "welcome"));
  const auto welcome = next(*dealer_);
  ASSERT_TRUE(welcome);
  EXPECT_EQ(welcome->bytes, "welcome");
  EXPECT_EQ(welcome->peer, "");
  EXPECT_FALSE(router_->receive());
  EXPECT_FALSE(dealer_->receive());
}

TEST_P(Transport, KeepsTheOrderAndEveryByte) {
  std::string binary(100'000, '\0');
  for (std::size_t i = 0; i < binary.size(); ++i) binary[i] = static_cast<char>(i * 31);
  const std::vector<std::string> sent = {"", std::string(1, '\0'), binary, "last"};
  for (const std::string& bytes : sent) ASSERT_TRUE(dealer_->send(bytes));
  for (const std::string& bytes : sent) {
    const auto received = next(*router_);
    ASSERT_TRUE(received);
    EXPECT_TRUE(received->bytes == bytes) << bytes.size();
  }
}

TEST_P(Transport, TellsPeersApart) {
  auto second = Socket::dealer(router_->endpoint());
  ASSERT_TRUE(second);
  ASSERT_TRUE(dealer_->send("first"));
  const auto from_first = next(*router_);
  ASSERT_TRUE(second->send("second"));
  const auto from_second = next(*router_);
  ASSERT_TRUE(from_first && from_second);
  EXPECT_NE(from_first->peer, from_second->peer);
  ASSERT_TRUE(router_->send_to(from_second->peer, "to the second"));
  EXPECT_EQ(next(*second)->bytes, "to the second");
  EXPECT_FALSE(dealer_->receive());
}

TEST_P(Transport, SendingToAPeerThatIsGoneIsRefused) {
  ASSERT_TRUE(dealer_->send("hello"));
  const auto hello = next(*router_);
  ASSERT_TRUE(hello);
  dealer_.reset();
  // The router learns it when it next looks; until then messages are queued.
  const Instant deadline = monotonic_now() + kPatience;
  Poll poll;
  poll.add(*router_);
  bool sent = true;
  while (sent && monotonic_now() < deadline) {
    poll.wait(1ms);
    sent = router_->send_to(hello->peer, "are you there?");
  }
  EXPECT_FALSE(sent);
}

TEST_P(Transport, SendingToAPeerThatNeverWasIsRefused) {
  EXPECT_FALSE(router_->send_to("nobody", "hello"));
  EXPECT_FALSE(router_->send_to("", "hello"));
  ASSERT_TRUE(dealer_->send("the router still works"));
  EXPECT_TRUE(next(*router_));
}

TEST_P(Transport, MessagesOfAnotherNumberOfFramesAreDropped) {
  RawDealer rude(router_->endpoint());
  rude.send({"two", "frames"});
  rude.send({"", "three", "frames"});
  rude.send({"one"});
  const auto received = next(*router_);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, "one");
  EXPECT_FALSE(router_->receive());
  EXPECT_EQ(router_->refusals().unreadable, 2U);
  const auto dropped = router_->take_dropped();
  ASSERT_EQ(dropped.size(), 2U);
  for (const Dropped& one : dropped) EXPECT_EQ(one.peer, received->peer);
  EXPECT_TRUE(router_->take_dropped().empty());
}

TEST_P(Transport, WhoReadsSeesToOtherThingsHoweverMuchIsDropped) {
  RawDealer rude(router_->endpoint());
  for (int i = 0; i < 1000; ++i) rude.send({"two", "frames"});
  rude.send({"one"});
  Poll poll;
  poll.add(*router_);
  std::optional<Received> received;
  const Instant until = monotonic_now() + kPatience;
  while (!received && monotonic_now() < until) {
    poll.wait(until - monotonic_now());
    received = router_->receive();
    EXPECT_LE(router_->take_dropped().size(), 256U);
  }
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, "one");
  EXPECT_EQ(router_->refusals().unreadable, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Over, Transport, testing::Bool(),
                         [](const auto& over) { return over.param ? "Tcp" : "Ipc"; });

TEST(Dealer, DropsMessagesOfSeveralFramesToo) {
  const std::string address = local_address();
  RawRouter rude(address);
  auto dealer = Socket::dealer(address);
  ASSERT_TRUE(dealer);
  ASSERT_TRUE(dealer->send("hello"));
  const std::string peer = rude.take();
  rude.send(peer, {"two", "frames"});
  rude.send(peer, {"one"});
  const auto received = next(*dealer);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, "one");
}

TEST(Dealer, FindsARouterThatComesLater) {
  const std::string address = local_address();
  auto dealer = Socket::dealer(address);
  ASSERT_TRUE(dealer);
  ASSERT_TRUE(dealer->send("early"));
  auto router = Socket::router(address);
  ASSERT_TRUE(router) << router.error().message;
  const auto received = next(*router);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, "early");
}

// No peer reads, so the queue fills; the caller keeps what was rejected.
TEST(Dealer, AFullQueueIsReportedAndDoesNotBlock) {
  auto dealer = Socket::dealer(local_address());
  ASSERT_TRUE(dealer);
  int sent = 0;
  while (sent < 1'000'000 && dealer->send("x")) ++sent;
  EXPECT_LT(sent, 1'000'000);
  EXPECT_GE(sent, 1000);
}

TEST(Router, TellsThePortThatTheSystemChose) {
  auto router = tcp_router();
  ASSERT_TRUE(router);
  EXPECT_THAT(router->endpoint(), testing::MatchesRegex("tcp://127\\.0\\.0\\.1:[0-9]+"));
  EXPECT_NE(router->endpoint(), "tcp://127.0.0.1:0");
}

TEST(Router, AnAddressInUseIsSaidWithWhatToDo) {
  auto first = tcp_router();
  ASSERT_TRUE(first);
  const auto second = Socket::router(first->endpoint());
  ASSERT_FALSE(second);
  std::string message = second.error().message;
  const auto at = message.find(first->endpoint());
  ASSERT_NE(at, std::string::npos) << message;
  EXPECT_THAT(message.replace(at, first->endpoint().size(), "<endpoint>"), IsGolden());
}

TEST(Router, ListensOnNamesAndInterfaces) {
  for (const char* host : {"localhost", "lo"}) {
    const auto router = Socket::router("tcp://" + std::string(host) + ":*");
    ASSERT_TRUE(router) << router.error().message;
    EXPECT_THAT(router->endpoint(), testing::StartsWith("tcp://127.0.0.1:"));
  }
  EXPECT_EQ(endpoint_to_bind("tcp://[::1]:7777"), "tcp://[::1]:7777");
  EXPECT_EQ(endpoint_to_bind("tcp://127.0.0.1:7777"), "tcp://127.0.0.1:7777");
  EXPECT_EQ(endpoint_to_bind("ipc://@localhost"), "ipc://@localhost");
}

TEST(Router, AnAddressOfAnotherMachineIsSaid) {
  const auto router = Socket::router("tcp://192.0.2.1:7777");  // TEST-NET-1, RFC 5737: unassigned
  ASSERT_FALSE(router);
  EXPECT_THAT(router.error().message, IsGolden());
}

TEST(Endpoints, ThatMakeNoSenseAreRefusedWithTheForm) {
  for (const std::string bad :
       {"", "7777", "127.0.0.1:7777", "http://127.0.0.1:7777", "tcp:/127.0.0.1:7777"}) {
    for (const bool routes : {true, false}) {
      const auto socket = routes ? Socket::router(bad) : Socket::dealer(bad);
      ASSERT_FALSE(socket) << bad;
      EXPECT_THAT(socket.error().message, IsGolden()) << bad;
    }
  }
  for (const std::string bad :
       {"tcp://127.0.0.1", "tcp://127.0.0.1:", "tcp://127.0.0.1:port", "tcp://127.0.0.1:70000"}) {
    const auto socket = Socket::router(bad);
    ASSERT_FALSE(socket) << bad;
    EXPECT_THAT(socket.error().message, IsGolden());
  }
}

// The router continues to serve its own peers. libzmq takes what does not begin like ZMTP 3 for ZMTP 1 and
// may deliver pieces of noise as messages; their readers reject them (tests/fuzz).
TEST(Router, SurvivesStrangersThatSpeakNoProtocol) {
  auto router = tcp_router();
  ASSERT_TRUE(router);
  std::mt19937 random(1);
  std::string noise(20'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  const std::string greeting("\xFF\0\0\0\0\0\0\0\x01\x7F\x03", 11);      // as far as ZMTP 3, then nonsense
  const std::string huge("\xFF\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0", 10);  // ZMTP 1: a frame of 2^63 bytes
  for (const std::string& words :
       {noise, greeting + noise, greeting, huge + noise, std::string("GET / HTTP/1.1\r\n\r\n")}) {
    Stranger stranger(router->endpoint());
    stranger.say(words);
    auto dealer = Socket::dealer(router->endpoint());
    ASSERT_TRUE(dealer);
    ASSERT_TRUE(dealer->send("sense"));
    auto received = next(*router);
    while (received && received->bytes != "sense") received = next(*router);
    ASSERT_TRUE(received) << "the router no longer hears its own peers";
    EXPECT_TRUE(router->send_to(received->peer, "answer"));
    const auto answer = next(*dealer);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->bytes, "answer");
  }
}

TEST(PollTest, SeesSocketsAndDescriptorsByTheirPosition) {
  auto router = tcp_router();
  ASSERT_TRUE(router);
  auto dealer = Socket::dealer(router->endpoint());
  ASSERT_TRUE(dealer);
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  Poll poll;
  poll.add(*dealer);
  poll.add_readable(ends[0]);
  poll.add(*router);
  EXPECT_EQ(poll.wait(Duration::zero()), 0);
  // Connections that begin end a wait, too, and make nothing readable.
  const auto wait = [&] {
    const Instant until = monotonic_now() + kPatience;
    int count = 0;
    while (count == 0 && monotonic_now() < until) {
      (void)dealer->connected();
      (void)router->lost_peers();
      count = poll.wait(kPatience);
    }
    return count;
  };

  ASSERT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_EQ(wait(), 1);
  EXPECT_FALSE(poll.readable(0));
  EXPECT_TRUE(poll.readable(1));
  EXPECT_FALSE(poll.readable(2));

  char byte;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  ASSERT_TRUE(dealer->send("hello"));
  EXPECT_EQ(wait(), 1);
  EXPECT_FALSE(poll.readable(1));
  EXPECT_TRUE(poll.readable(2));

  ASSERT_TRUE(router->receive());
  close(ends[1]);  // the end of a pipe is something to read, too: that is how the death of a process shows
  EXPECT_EQ(wait(), 1);
  EXPECT_TRUE(poll.readable(1));

  poll.clear();
  poll.add(*router);
  EXPECT_EQ(poll.wait(Duration::zero()), 0);
  EXPECT_FALSE(poll.readable(0));
  close(ends[0]);
}

TEST(PollTest, EndsWhenItsTimeIsOver) {
  auto router = tcp_router();
  ASSERT_TRUE(router);
  Poll poll;
  poll.add(*router);
  const Instant start = monotonic_now();
  EXPECT_EQ(poll.wait(20ms), 0);
  EXPECT_GE(monotonic_now() - start, 20ms);
}

// libzmq takes a negative limit for "forever": a deadline that has just passed would hang the caller.
TEST(PollTest, ALimitInThePastOnlyLooks) {
  auto router = tcp_router();
  ASSERT_TRUE(router);
  Poll poll;
  poll.add(*router);
  EXPECT_EQ(poll.wait(-5s), 0);
  EXPECT_EQ(poll.wait(-1ns), 0);
}

}  // namespace
}  // namespace kernsweep
