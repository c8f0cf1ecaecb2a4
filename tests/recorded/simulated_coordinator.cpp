#include "tests/recorded/simulated_coordinator.hpp"

#include <cstdio>
#include <map>

#include "shared/base/instant.hpp"
#include "shared/wire/protocol.pb.h"
#include "transport/socket.hpp"

namespace kernsweep::recorded {
namespace {

class Coordinator {
 public:
  explicit Coordinator(Socket socket) : socket_(std::move(socket)) {}

  Status learn(const std::vector<Line>& lines);
  Status play();

 private:
  Status take(const wire::ToCoordinator& message);
  void say(const std::string& bytes) { socket_.send_to(peer_, bytes); }

  Socket socket_;
  std::string welcome_, goodbye_, heartbeat_;
  std::vector<std::string> jobs_;
  std::uint32_t epoch_ = 0;
  std::map<std::string, std::uint32_t> outcomes_;  // of each attempt, as recorded; until it has come again
  std::size_t expected_ = 0;
  std::string peer_;
  bool greeted_ = false;
};

Status Coordinator::learn(const std::vector<Line>& lines) {
  std::uint32_t worker = 0;
  for (const Line& line : lines) {
    if (worker != 0 && line.peer != worker) continue;
    if (line.to_coordinator) {
      wire::ToCoordinator said;
      if (!said.ParseFromString(line.bytes)) continue;
      if (said.has_hello() && worker == 0) worker = line.peer;
      for (const auto& outcome : said.outcomes().outcomes())
        outcomes_[outcome.attempt().SerializeAsString()] = outcome.outcome();
      continue;
    }
    wire::ToWorker told;
    if (!told.ParseFromString(line.bytes)) continue;
    if (told.has_welcome() && welcome_.empty()) {
      welcome_ = line.bytes;
      epoch_ = told.welcome().worker();
    }
    if (told.has_jobs()) jobs_.push_back(line.bytes);
    if (told.has_heartbeat()) heartbeat_ = line.bytes;
    if (told.has_goodbye()) goodbye_ = line.bytes;
  }
  expected_ = outcomes_.size();
  if (welcome_.empty() || jobs_.empty() || goodbye_.empty() || expected_ == 0)
    return failure("no whole conversation of a coordinator with a worker was recorded");
  if (heartbeat_.empty()) {  // it was over before the first
    wire::ToWorker beat;
    beat.set_worker(epoch_);
    beat.mutable_heartbeat();
    heartbeat_ = beat.SerializeAsString();
  }
  return Done{};
}

Status Coordinator::play() {
  Instant said = monotonic_now();
  const Instant begun = said;
  while (!outcomes_.empty()) {
    if (monotonic_now() - begun > kPatience) {
      return failure(greeted_ ? std::to_string(outcomes_.size()) + " jobs had no outcome"
                              : "no worker came");
    }
    if (greeted_ && monotonic_now() - said > kBeatEvery) {
      say(heartbeat_);
      said = monotonic_now();
    }
    Poll poll;
    poll.add(socket_);
    poll.wait(kBeatEvery / 5);
    while (const auto received = socket_.receive()) {
      wire::ToCoordinator message;
      if (!message.ParseFromString(received->bytes)) return failure("the worker said what cannot be read");
      peer_ = received->peer;
      if (const Status taken = take(message); !taken) return taken;
    }
  }
  say(goodbye_);
  // Until it is gone: what is sent just before a process ends may never leave it.
  while (socket_.lost_peers().empty()) {
    if (monotonic_now() - begun > 2 * kPatience) return failure("the worker does not end");
    Poll poll;
    poll.add(socket_);
    poll.wait(kBeatEvery / 5);
    while (socket_.receive()) {
    }
  }
  std::printf("%zu jobs had their outcome\n", expected_);
  return Done{};
}

Status Coordinator::take(const wire::ToCoordinator& message) {
  if (message.has_hello()) {
    if (greeted_) return failure("the worker joined again");
    greeted_ = true;
    say(welcome_);
    for (const std::string& batch : jobs_) say(batch);
    return Done{};
  }
  if (message.worker() != epoch_) return failure("the worker speaks for another session");
  wire::ToWorker release;
  release.set_worker(epoch_);
  for (const auto& outcome : message.outcomes().outcomes()) {
    const auto found = outcomes_.find(outcome.attempt().SerializeAsString());
    if (found == outcomes_.end()) return failure("an outcome came that was never asked for");
    wire::OutcomeBody body;
    if (outcome.outcome() != found->second) {
      body.ParseFromString(outcome.body());
      return failure("job " + std::to_string(outcome.attempt().index()) + " ended as " +
                     std::to_string(outcome.outcome()) + ": " + body.reason());
    }
    outcomes_.erase(found);
    *release.mutable_release()->add_attempts() = outcome.attempt();
  }
  if (release.has_release()) say(release.SerializeAsString());
  return Done{};
}

}  // namespace

Status play_coordinator(const std::vector<Line>& lines, const std::string& endpoint) {
  auto socket = Socket::router(endpoint);
  if (!socket) return tl::unexpected(socket.error());
  std::printf("listening on %s\n", socket->endpoint().c_str());
  std::fflush(stdout);
  Coordinator coordinator(std::move(*socket));
  if (const Status learnt = coordinator.learn(lines); !learnt) return learnt;
  return coordinator.play();
}

}  // namespace kernsweep::recorded
