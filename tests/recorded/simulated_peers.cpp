#include "tests/recorded/simulated_peers.hpp"

#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "shared/base/instant.hpp"
#include "shared/wire/protocol.pb.h"
#include "transport/socket.hpp"

namespace kernsweep::recorded {
namespace {

// The next message within `limit`; nothing: none came, or it cannot be read.
std::optional<wire::ToWorker> next(Socket& socket, Duration limit) {
  Poll poll;
  poll.add(socket);
  poll.wait(limit);
  const auto received = socket.receive();
  wire::ToWorker message;
  if (!received || !message.ParseFromString(received->bytes)) return std::nullopt;
  return message;
}

class Worker {
 public:
  explicit Worker(Socket socket) : socket_(std::move(socket)) {}

  Status learn(const std::vector<Line>& lines);
  Status play(std::optional<std::uint32_t> minor);
  Status say_hello_as(std::uint32_t major, std::uint32_t minor);

 private:
  Status take(const wire::ToWorker& message);
  Status answer(const wire::JobBatch& batch);
  void say(wire::ToCoordinator message);

  Socket socket_;
  wire::ToCoordinator hello_, heartbeat_;
  std::map<std::uint64_t, wire::Outcome> outcomes_;  // recorded ones, by the index of the job
  google::protobuf::RepeatedPtrField<wire::Software> software_;
  std::uint32_t epoch_ = 0;
  std::set<std::string> told_;  // encoded attempts, until they are released
  std::size_t answered_ = 0;
  bool dismissed_ = false;
};

Status Worker::learn(const std::vector<Line>& lines) {
  std::uint32_t worker = 0;
  for (const Line& line : lines) {
    wire::ToCoordinator message;
    if (!line.to_coordinator || !message.ParseFromString(line.bytes)) continue;
    if (message.has_hello() && worker == 0) {
      worker = line.peer;
      hello_ = message;
    }
    if (line.peer != worker) continue;
    if (message.has_heartbeat()) heartbeat_ = message;
    for (const auto& outcome : message.outcomes().outcomes())
      outcomes_.try_emplace(outcome.attempt().index(), outcome);
    software_.MergeFrom(message.outcomes().software());
  }
  heartbeat_.mutable_heartbeat()->clear_active();
  if (worker == 0 || outcomes_.empty()) return failure("no worker was recorded");
  return Done{};
}

void Worker::say(wire::ToCoordinator message) {
  message.set_worker(epoch_);
  socket_.send(message.SerializeAsString());
}

Status Worker::play(std::optional<std::uint32_t> minor) {
  if (minor) hello_.mutable_hello()->set_protocol_minor(*minor);
  socket_.send(hello_.SerializeAsString());
  Instant heard = monotonic_now();
  Instant said = heard;
  while (!dismissed_) {
    const Instant now = monotonic_now();
    if (now - heard > kPatience) return failure("the coordinator says nothing more");
    if (epoch_ != 0 && now - said > kBeatEvery) {
      say(heartbeat_);
      said = now;
    }
    const auto message = next(socket_, kBeatEvery / 5);
    if (!message) continue;
    heard = now;
    if (const Status taken = take(*message); !taken) return taken;
  }
  if (answered_ != outcomes_.size()) {
    return failure("of " + std::to_string(outcomes_.size()) + " recorded jobs " +
                   std::to_string(answered_) + " were sent");
  }
  if (!told_.empty()) return failure("dismissed with results that were not released");
  std::printf("%zu jobs answered and released\n", answered_);
  return Done{};
}

Status Worker::take(const wire::ToWorker& message) {
  if (message.has_refusal()) return failure("refused: " + message.refusal().reason());
  if (message.has_rejoin()) return failure("told to join again");
  if (message.has_welcome()) epoch_ = message.welcome().worker();
  if (message.worker() != epoch_) return failure("told something of another session");
  if (message.has_jobs()) return answer(message.jobs());
  for (const auto& attempt : message.release().attempts()) told_.erase(attempt.SerializeAsString());
  dismissed_ = message.has_goodbye();
  return Done{};
}

Status Worker::answer(const wire::JobBatch& batch) {
  wire::ToCoordinator message;
  *message.mutable_outcomes()->mutable_software() = software_;  // reporting it twice is harmless
  for (const wire::Job& job : batch.jobs()) {
    const auto found = outcomes_.find(job.index());
    if (found == outcomes_.end())
      return failure("sent job " + std::to_string(job.index()) + ", never recorded");
    wire::Outcome& outcome = *message.mutable_outcomes()->add_outcomes();
    outcome = found->second;
    wire::Attempt& attempt = *outcome.mutable_attempt();
    attempt.set_sweep(job.sweep());
    attempt.set_host(job.host());
    attempt.set_number(job.attempt());
    told_.insert(attempt.SerializeAsString());
    ++answered_;
  }
  say(std::move(message));
  return Done{};
}

Status Worker::say_hello_as(std::uint32_t major, std::uint32_t minor) {
  hello_.mutable_hello()->set_protocol_minor(minor);
  hello_.mutable_hello()->set_protocol_major(major);
  socket_.send(hello_.SerializeAsString());
  for (const Instant end = monotonic_now() + kPatience; monotonic_now() < end;) {
    const auto message = next(socket_, kBeatEvery);
    if (!message) continue;
    if (!message->has_refusal()) return failure("it was not refused");
    std::printf("%s\n", message->refusal().reason().c_str());
    return Done{};
  }
  return failure("no answer came");
}

Result<Worker> worker_of(const std::vector<Line>& lines, const std::string& endpoint) {
  auto socket = Socket::dealer(endpoint);
  if (!socket) return tl::unexpected(socket.error());
  Worker worker(std::move(*socket));
  if (const Status learnt = worker.learn(lines); !learnt) return tl::unexpected(learnt.error());
  return worker;
}

const char* asked_for(const wire::Request& request) {
  switch (request.what_case()) {
    case wire::Request::kSubmit:
      return "submit";
    case wire::Request::kStatus:
      return "status";
    case wire::Request::kWorkers:
      return "workers";
    case wire::Request::kCancel:
      return "cancel";
    case wire::Request::kWhy:
      return "explain";
    case wire::Request::kDrain:
      return "drain";
    default:
      return "something else";
  }
}

}  // namespace

Status play_worker(const std::vector<Line>& lines, const std::string& endpoint,
                   std::optional<std::uint32_t> minor) {
  auto worker = worker_of(lines, endpoint);
  return worker ? worker->play(minor) : Status(tl::unexpected(worker.error()));
}

Status play_hello(const std::vector<Line>& lines, const std::string& endpoint, std::uint32_t major,
                  std::uint32_t minor) {
  auto worker = worker_of(lines, endpoint);
  return worker ? worker->say_hello_as(major, minor) : Status(tl::unexpected(worker.error()));
}

Status play_client(const std::vector<Line>& lines, const std::string& endpoint) {
  auto socket = Socket::dealer(endpoint);
  if (!socket) return tl::unexpected(socket.error());
  for (const Line& line : lines) {
    wire::ToCoordinator message;
    if (!line.to_coordinator || !message.ParseFromString(line.bytes) || !message.has_request()) continue;
    const wire::Request& request = message.request();
    socket->send(line.bytes);
    std::optional<wire::ToWorker> answer;
    for (const Instant end = monotonic_now() + kPatience; !answer && monotonic_now() < end;)
      answer = next(*socket, kBeatEvery);
    if (!answer || !answer->has_answer()) return failure(std::string(asked_for(request)) + ": no answer");
    if (answer->answer().number() != request.number())
      return failure(std::string(asked_for(request)) + ": the answer to another request");
    const bool known = answer->answer().error().empty();
    std::printf("%s: %s\n", asked_for(request), known ? "answered" : answer->answer().error().c_str());
  }
  return Done{};
}

}  // namespace kernsweep::recorded
