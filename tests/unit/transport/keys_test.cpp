// Which peers may connect; others get no answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/unit/transport/listening.hpp"
#include "tests/unit/transport/raw.hpp"
#include "transport/socket.hpp"

namespace kernsweep {
namespace {

using testing_transport::kPatience;
using testing_transport::next;
using testing_transport::Stranger;

using namespace std::chrono_literals;

// A router whose table allows one worker and one client.
class Keys : public testing::Test {
 protected:
  void SetUp() override {
    allow({{worker_, "node-1", KeyRole::worker}, {client_, "desk", KeyRole::client}});
    auto bound = Socket::router("tcp://127.0.0.1:*", &server_keys_);
    ASSERT_TRUE(bound) << bound.error().message;
    router_.emplace(std::move(*bound));
  }

  struct Allowed {
    KeyPair pair;
    std::string name;
    KeyRole role;
  };
  void allow(const std::vector<Allowed>& keys) {
    std::vector<AllowedKey> list;
    for (const Allowed& key : keys) list.push_back({key.pair.public_key, {key.name, key.role}});
    allowed_->replace(list);
  }

  Socket dial(const KeyPair& own, std::optional<CurveKey> server = std::nullopt) {
    const PeerKeys keys{server.value_or(public_of(server_keys_.secret)), own};
    return std::move(Socket::dealer(router_->endpoint(), &keys).value());
  }

  // Runs the router until it has counted; messages that come meanwhile are a failure.
  bool counted(std::uint64_t RefusalCounts::*which, std::uint64_t at_least) {
    const Instant deadline = monotonic_now() + kPatience;
    Poll poll;
    poll.add(*router_);
    while (router_->refusals().*which < at_least && monotonic_now() < deadline) {
      EXPECT_FALSE(router_->receive());
      poll.wait(5ms);
    }
    return router_->refusals().*which >= at_least;
  }

  const KeyPair worker_ = make_key_pair();
  const KeyPair client_ = make_key_pair();
  std::shared_ptr<AllowedKeys> allowed_ = std::make_shared<AllowedKeys>();
  ServerKeys server_keys_{make_key_pair().secret_key, allowed_};
  std::optional<Socket> router_;
};

TEST_F(Keys, TheRightKeySpeaksAndIsToldByNameAndRole) {
  Socket worker = dial(worker_);
  Socket client = dial(client_);
  ASSERT_TRUE(worker.send("from the worker"));
  const auto first = next(*router_);
  ASSERT_TRUE(first && first->key);
  EXPECT_EQ(first->bytes, "from the worker");
  EXPECT_EQ(first->key->name, "node-1");
  EXPECT_EQ(first->key->role, KeyRole::worker);
  ASSERT_TRUE(client.send("from the client"));
  const auto second = next(*router_);
  ASSERT_TRUE(second && second->key);
  EXPECT_EQ(second->key->name, "desk");
  EXPECT_EQ(second->key->role, KeyRole::client);
  ASSERT_TRUE(router_->send_to(first->peer, "answer"));
  const auto answer = next(worker);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->bytes, "answer");
  EXPECT_FALSE(answer->key);
  EXPECT_TRUE(worker.connected());
}

TEST_F(Keys, AnUnknownKeyIsCountedAndNotHeard) {
  Socket stranger = dial(make_key_pair());
  ASSERT_TRUE(stranger.send("let me in"));
  EXPECT_TRUE(counted(&RefusalCounts::unknown_key, 1));
  EXPECT_FALSE(stranger.receive());
  EXPECT_FALSE(stranger.connected());
  EXPECT_EQ(router_->refusals().no_handshake, 0U);
}

// Nothing is said to a stranger, so it tries again; once its key is allowed it is let in.
TEST_F(Keys, AKeyThatIsAllowedLaterIsLetInWhereItWaits) {
  const KeyPair late = make_key_pair();
  Socket dealer = dial(late);
  ASSERT_TRUE(dealer.send("may I?"));
  ASSERT_TRUE(counted(&RefusalCounts::unknown_key, 1));
  allow({{late, "late", KeyRole::worker}});
  const auto received = next(*router_);
  ASSERT_TRUE(received && received->key);
  EXPECT_EQ(received->bytes, "may I?");
  EXPECT_EQ(received->key->name, "late");
}

TEST_F(Keys, WhoeverExpectsAnotherServerSpeaksToNobody) {
  Socket worker = dial(worker_, make_key_pair().public_key);
  ASSERT_TRUE(worker.send("for another coordinator"));
  EXPECT_TRUE(counted(&RefusalCounts::no_handshake, 1));
  EXPECT_FALSE(worker.connected());
}

TEST_F(Keys, WhoeverSpeaksInTheClearIsCountedAndNotHeard) {
  auto plain = Socket::dealer(router_->endpoint());
  ASSERT_TRUE(plain);
  ASSERT_TRUE(plain->send("in the clear"));
  EXPECT_TRUE(counted(&RefusalCounts::no_handshake, 1));
}

TEST_F(Keys, ADealerWithKeysSaysNothingInTheClear) {
  auto open = Socket::router("tcp://127.0.0.1:*");
  ASSERT_TRUE(open);
  const PeerKeys keys{public_of(server_keys_.secret), worker_};
  auto dealer = Socket::dealer(open->endpoint(), &keys);
  ASSERT_TRUE(dealer);
  ASSERT_TRUE(dealer->send("secret"));
  // The router accepts only peers with its encryption until then.
  auto plain = Socket::dealer(open->endpoint());
  ASSERT_TRUE(plain);
  ASSERT_TRUE(plain->send("plain"));
  const auto received = next(*open);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, "plain");
  EXPECT_FALSE(open->receive());
  EXPECT_FALSE(dealer->connected());
}

TEST_F(Keys, ARevokedKeyIsNotHeardOnTheConnectionThatItHas) {
  Socket worker = dial(worker_);
  Socket client = dial(client_);
  ASSERT_TRUE(worker.send("before"));
  ASSERT_TRUE(next(*router_));
  allow({{client_, "desk", KeyRole::client}});
  ASSERT_TRUE(worker.send("after"));
  ASSERT_TRUE(counted(&RefusalCounts::revoked, 1));
  ASSERT_TRUE(client.send("still here"));
  const auto received = next(*router_);
  ASSERT_TRUE(received && received->key);
  EXPECT_EQ(received->key->name, "desk");
}

TEST_F(Keys, ARevokedKeyCannotConnectAnew) {
  allow({{client_, "desk", KeyRole::client}});
  Socket worker = dial(worker_);
  ASSERT_TRUE(worker.send("again"));
  EXPECT_TRUE(counted(&RefusalCounts::unknown_key, 1));
}

TEST_F(Keys, SeveralAddressesShareOneTableWhateverTheirKind) {
  const std::string local = testing_transport::local_address();
  const Status bound = router_->bind(local, &server_keys_);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(router_->endpoints().size(), 2U);
  const PeerKeys keys{public_of(server_keys_.secret), worker_};
  auto here = Socket::dealer(local, &keys);
  ASSERT_TRUE(here);
  ASSERT_TRUE(here->send("from here"));
  const auto received = next(*router_);
  ASSERT_TRUE(received && received->key);
  EXPECT_EQ(received->bytes, "from here");
  EXPECT_EQ(received->key->name, "node-1");
}

TEST_F(Keys, TwoSecretsAreServedSideBySideUntilOneIsUnbound) {
  const std::string old_address = router_->endpoint();
  const ServerKeys fresh{make_key_pair().secret_key, allowed_};
  Socket old_worker = dial(worker_);
  ASSERT_TRUE(old_worker.send("old"));
  ASSERT_TRUE(next(*router_));
  ASSERT_TRUE(router_->bind("tcp://127.0.0.1:*", &fresh));
  Socket new_worker = dial(worker_, public_of(fresh.secret));
  ASSERT_TRUE(new_worker.send("new"));
  ASSERT_TRUE(next(*router_));
  ASSERT_TRUE(old_worker.send("still"));
  ASSERT_TRUE(next(*router_));
  router_->unbind(old_address);
  EXPECT_EQ(router_->endpoints().size(), 1U);
  const Instant deadline = monotonic_now() + kPatience;
  Poll poll;
  poll.add(*router_);
  while (old_worker.connected() && monotonic_now() < deadline) {  // the router's thread has its part in it
    EXPECT_FALSE(router_->receive());
    poll.wait(1ms);
  }
  EXPECT_FALSE(old_worker.connected());
  ASSERT_TRUE(new_worker.send("after"));
  const auto received = next(*router_);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, "after");
}

TEST_F(Keys, TheEndOfAConnectionIsToldWithThePeerThatHadIt) {
  std::optional<Socket> worker = dial(worker_);
  Socket client = dial(client_);
  ASSERT_TRUE(worker->send("here"));
  const auto first = next(*router_);
  ASSERT_TRUE(first);
  ASSERT_TRUE(client.send("too"));
  ASSERT_TRUE(next(*router_));
  EXPECT_THAT(router_->lost_peers(), testing::IsEmpty());
  worker.reset();
  std::vector<std::string> lost;
  const Instant deadline = monotonic_now() + kPatience;
  Poll poll;
  poll.add(*router_);
  while (lost.empty() && monotonic_now() < deadline) {
    EXPECT_FALSE(router_->receive());
    lost = router_->lost_peers();
    if (lost.empty())
      poll.wait(kPatience);  // the end of a connection is no message, and wakes all the same
  }
  EXPECT_THAT(lost, testing::ElementsAre(first->peer));
  EXPECT_EQ(router_->refusals().no_handshake, 0U);
}

TEST_F(Keys, TablesOfTwoRoutersDoNotMix) {
  const auto others = std::make_shared<AllowedKeys>();
  const KeyPair theirs = make_key_pair();
  others->replace({{theirs.public_key, {"theirs", KeyRole::worker}}});
  const ServerKeys other_keys{make_key_pair().secret_key, others};
  auto other = Socket::router("tcp://127.0.0.1:*", &other_keys);
  ASSERT_TRUE(other);
  Socket dealer = dial(theirs);
  ASSERT_TRUE(dealer.send("wrong door"));
  EXPECT_TRUE(counted(&RefusalCounts::unknown_key, 1));
  EXPECT_EQ(other->refusals().unknown_key, 0U);
}

TEST_F(Keys, GarbageIsCountedAndTheOthersGoOn) {
  Socket worker = dial(worker_);
  ASSERT_TRUE(worker.send("first"));
  ASSERT_TRUE(next(*router_));
  // ZMTP 3.1 with CURVE, then a command that is none.
  const std::string greeting = std::string("\xFF\0\0\0\0\0\0\0\x01\x7F\x03\x01", 12) + "CURVE" +
                               std::string(15, '\0') + std::string(32, '\0');
  for (const std::string& words : {std::string(4096, '\xA5'), std::string("GET / HTTP/1.1\r\n\r\n"),
                                   greeting + std::string("\x04\x06\x05HELLO", 8)}) {
    const std::uint64_t before = router_->refusals().no_handshake;
    {
      Stranger stranger(router_->endpoint());
      stranger.say(words);
    }
    EXPECT_TRUE(counted(&RefusalCounts::no_handshake, before + 1)) << words.size();
    ASSERT_TRUE(worker.send("sense"));
    const auto received = next(*router_);
    ASSERT_TRUE(received);
    EXPECT_EQ(received->bytes, "sense");
  }
}

TEST(RefusalsTest, AreToldAtOnceAndThenTogether) {
  std::vector<std::string> lines;
  Refusals refusals([&](const std::string& line) { lines.push_back(line); });
  const Instant start{};
  refusals.tell_if_due(start);
  EXPECT_TRUE(lines.empty());
  refusals.count(&RefusalCounts::unknown_key, start);
  EXPECT_THAT(lines, testing::ElementsAre("refused 1 connection with an unknown or revoked key"));
  for (int i = 0; i < 3; ++i) refusals.count(&RefusalCounts::unknown_key, start + 1s);
  EXPECT_EQ(lines.size(), 1U);
  refusals.count(&RefusalCounts::no_handshake, start + 2s);  // the first of its kind
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1],
            "refused 3 connections with an unknown or revoked key, dropped 1 connection without this "
            "coordinator's key (such as another program or an old join file)");
  refusals.count(&RefusalCounts::no_handshake, start + 3s);
  refusals.tell_if_due(start + 2s + (Refusals::kLineEvery - 1ns));
  EXPECT_EQ(lines.size(), 2U);
  refusals.tell_if_due(start + 2s + Refusals::kLineEvery);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[2],
            "dropped 1 connection without this coordinator's key (such as another program or an old join "
            "file)");
  refusals.tell_if_due(start + 10 * Refusals::kLineEvery);
  EXPECT_EQ(lines.size(), 3U);
  EXPECT_EQ(refusals.counts().unknown_key, 4U);
}

}  // namespace
}  // namespace kernsweep
