// A client of the coordinator, by whose answers it is known that all that was said before has been heard:
// the coordinator reads its messages in the order in which they came.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "shared/wire/protocol.pb.h"
#include "tests/fuzz/conversation/life.hpp"
#include "transport/socket.hpp"

namespace kernsweep::fuzz {

class Asker {
 public:
  Asker(const std::string& endpoint, const Life& life) : life_(life), socket_(*Socket::dealer(endpoint)) {}

  std::uint64_t ask(wire::Request request) {
    request.set_number(++asked_);
    wire::ToCoordinator message;
    *message.mutable_request() = std::move(request);
    open_.insert(asked_);
    socket_.send(message.SerializeAsString());
    return asked_;
  }
  // Its answer. The coordinator must not have ended.
  wire::Answer await(std::uint64_t number) {
    std::optional<wire::Answer> found;
    for (int tries = 0; tries < kPatience / kPause && !found; ++tries) {
      while (const auto received = socket_.receive()) {
        wire::ToWorker message;
        KS_ASSERT(message.ParseFromString(received->bytes));
        if (message.has_drop_notice()) continue;  // to a request that cannot be read
        KS_ASSERT(message.has_answer());
        KS_ASSERT(open_.erase(message.answer().number()) == 1);  // each is answered once
        if (message.answer().number() == number) found = message.answer();
      }
      if (found) return *found;
      KS_ASSERT(!life_.ended());
      Poll poll;
      poll.add(socket_);
      poll.wait(kPause);
    }
    KS_ASSERT(found.has_value());
    return *found;
  }

 private:
  static constexpr Duration kPatience =
      std::chrono::seconds(30);  // of a machine that does other things too
  static constexpr Duration kPause = std::chrono::milliseconds(20);

  const Life& life_;
  Socket socket_;
  std::uint64_t asked_ = 0;
  std::set<std::uint64_t> open_;
};

}  // namespace kernsweep::fuzz
