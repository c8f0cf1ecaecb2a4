#include "coordinator/net/client.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "shared/base/try.hpp"
#include "shared/keys/join_file.hpp"
#include "shared/wire/protocol.pb.h"
#include "transport/socket.hpp"

namespace kernsweep {
namespace {

// After this time without an answer the next address is tried.
constexpr Duration kPatience = std::chrono::milliseconds(1500);

}  // namespace

struct Client::State {
  std::vector<std::string> endpoints;
  std::optional<PeerKeys> keys;
  std::optional<Socket> socket;  // connected to the address that has answered
  std::uint64_t request_number = 0;

  std::string all() const {
    std::string text;
    for (const std::string& endpoint : endpoints) text += (text.empty() ? "" : ", ") + endpoint;
    return text;
  }
};

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::by_join_file(const std::string& path) {
  KS_ASSIGN_OR_RETURN(const auto file, read_join_file(path));
  if (file.role != KeyRole::client)
    return failure(path + " is a worker's join file; a client has its own, NAME.client.join");
  auto state = std::make_unique<State>();
  state->endpoints = file.endpoints;
  state->keys = PeerKeys{file.coordinator, file.own};
  return Client(std::move(state));
}

Result<Client> Client::by_address(const std::string& endpoint) {
  auto state = std::make_unique<State>();
  state->endpoints = {endpoint};
  return Client(std::move(state));
}

Result<wire::Answer> Client::ask(wire::Request request, Duration limit, int given_up) {
  State& state = *state_;
  request.set_number(++state.request_number);
  wire::ToCoordinator message;
  *message.mutable_request() = std::move(request);
  const std::string bytes = message.SerializeAsString();
  if (bytes.size() > static_cast<std::size_t>(kMessageBytesMax))
    return failure("the sweep and its tables are " + std::to_string(bytes.size() >> 20) +
                   " MiB; a message has at most " + std::to_string(kMessageBytesMax >> 20) +
                   " MiB. Shorten the tables, or split the sweep");
  const Instant end = monotonic_now() + limit;
  const std::size_t tries = state.socket ? 1 : state.endpoints.size();
  for (std::size_t n = 0; n < tries; ++n) {
    if (!state.socket || n > 0) {
      KS_ASSIGN_OR_RETURN(auto socket,
                          Socket::dealer(state.endpoints[n], state.keys ? &*state.keys : nullptr));
      state.socket = std::move(socket);
    }
    if (!state.socket->send(bytes))
      return failure("the coordinator at " + state.all() + " takes no request");
    const Instant until = n + 1 == tries ? end : std::min(end, monotonic_now() + kPatience);
    bool over = false;
    while (!over && monotonic_now() < until) {
      Poll poll;
      poll.add(*state.socket);
      if (given_up >= 0) poll.add_readable(given_up);
      poll.wait(until - monotonic_now());
      over = given_up >= 0 && poll.readable(1);
      while (const auto received = state.socket->receive()) {
        wire::ToWorker incoming;
        if (!incoming.ParseFromString(received->bytes)) continue;
        switch (incoming.what_case()) {
          case wire::ToWorker::kDropNotice:
            return failure("the coordinator at " + state.all() +
                           " dropped the request: " + incoming.drop_notice().text());
          case wire::ToWorker::kAnswer:
            if (incoming.answer().number() != state.request_number)
              break;  // answer to a request that timed out
            if (!incoming.answer().error().empty()) return failure(incoming.answer().error());
            return incoming.answer();
          case wire::ToWorker::kWelcome:
          case wire::ToWorker::kRefusal:
          case wire::ToWorker::kHeartbeat:
          case wire::ToWorker::kJobs:
          case wire::ToWorker::kCancel:
          case wire::ToWorker::kRelease:
          case wire::ToWorker::kGoodbye:
          case wire::ToWorker::kRejoin:
          case wire::ToWorker::kRetract:
          case wire::ToWorker::kChecks:  // all of these are only for workers
          case wire::ToWorker::WHAT_NOT_SET:
            break;
        }
      }
    }
    state.socket.reset();
    if (over) break;
  }
  return failure("no coordinator answers at " + state.all() +
                 (state.keys ? "; is it running, and was this key not revoked?"
                             : "; is it running, and does it listen with --insecure?"));
}

}  // namespace kernsweep
