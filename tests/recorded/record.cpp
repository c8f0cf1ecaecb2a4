// Runs between a coordinator and its peers, forwards every message unchanged, and records it.
//
//   record LISTEN COORDINATOR FILE
//
// Both are addresses in the clear. Ends with a signal.
#include <cstdio>
#include <fstream>
#include <map>
#include <vector>

#include "shared/base/stop_signal.hpp"
#include "tests/recorded/recording.hpp"
#include "transport/socket.hpp"

using namespace kernsweep;

namespace {

struct Peer {
  std::uint32_t number;
  std::string name;  // routing id
  Socket up;         // to the coordinator
};

class Recorder {
 public:
  Recorder(Socket down, std::string coordinator, const std::string& path)
      : down_(std::move(down)), coordinator_(std::move(coordinator)), file_(path) {}

  void serve() {
    while (stop_.count() == 0) {
      Poll poll;
      poll.add(down_);
      poll.add_readable(stop_.descriptor());
      for (const auto& [name, peer] : peers_) poll.add(peer.up);
      poll.wait(std::chrono::seconds(1));
      while (const auto received = down_.receive()) take_up(received->peer, received->bytes);
      for (auto& [name, peer] : peers_) {
        while (const auto received = peer.up.receive()) take_down(peer, received->bytes);
      }
    }
  }

 private:
  void take_up(const std::string& name, const std::string& bytes) {
    auto found = peers_.find(name);
    if (found == peers_.end()) {
      auto up = Socket::dealer(coordinator_);
      KS_ASSERT(up.has_value());
      const auto number = static_cast<std::uint32_t>(peers_.size()) + 1;
      found = peers_.emplace(name, Peer{number, name, std::move(*up)}).first;
    }
    note(found->second, true, bytes);
    found->second.up.send(bytes);
  }
  void take_down(Peer& peer, const std::string& bytes) {
    note(peer, false, bytes);
    down_.send_to(peer.name, bytes);
  }
  void note(const Peer& peer, bool to_coordinator, const std::string& bytes) {
    file_ << recorded::text_of({peer.number, to_coordinator, bytes}) << std::flush;
  }

  StopSignal stop_;
  Socket down_;
  const std::string coordinator_;
  std::ofstream file_;
  std::map<std::string, Peer> peers_;
};

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 4) {
    std::fprintf(stderr, "usage: %s LISTEN COORDINATOR FILE\n", arguments[0]);
    return 2;
  }
  auto down = Socket::router(arguments[1]);
  if (!down) {
    std::fprintf(stderr, "%s\n", down.error().message.c_str());
    return 2;
  }
  Recorder(std::move(*down), arguments[2], arguments[3]).serve();
  return 0;
}
