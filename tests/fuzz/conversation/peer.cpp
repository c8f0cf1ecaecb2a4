#include "tests/fuzz/conversation/peer.hpp"

#include <algorithm>
#include <utility>

#include "shared/base/result.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep::fuzz {

Peer::Peer(std::string endpoint, std::string instance, Seen& seen)
    : endpoint_(std::move(endpoint)), instance_(std::move(instance)), seen_(seen) {
  connect();
}

void Peer::connect() {
  socket_.reset();
  auto socket = Socket::dealer(endpoint_);
  KS_ASSERT(socket.has_value());
  socket_ = std::move(*socket);
  epochs_.clear();
  drop_notices_.clear();
  epoch_ = 0;
}

void Peer::send(const std::string& bytes) {
  last_ = bytes;
  // Anything reported in any way may be released.
  wire::ToCoordinator message;
  if (message.ParseFromString(bytes)) {
    for (const auto& outcome : message.outcomes().outcomes()) told_.insert(decode(outcome.attempt()));
    for (const auto& attempt : message.hello().holding()) told_.insert(decode(attempt));
  }
  socket_->send(bytes);
}

void Peer::say(wire::ToCoordinator message, Script& script) {
  const std::uint32_t how = script.below(16);
  message.set_worker(how < 13 ? epoch_ : how == 13 ? former_ : how == 14 ? script.below(8) : script.word());
  send(message.SerializeAsString());
}

void Peer::say_bytes(const std::string& bytes) {
  send(bytes);
}

void Peer::say_hello(Script& script) {
  wire::ToCoordinator message;
  message.set_worker(epoch_);
  fill_hello(script, known(), instance_, *message.mutable_hello());
  send(message.SerializeAsString());
}

void Peer::say_again(Script& script) {
  std::string bytes = last_;
  if (!bytes.empty() && !script.one_in(4)) {
    const std::uint32_t at =
        (script.byte() << 8 | script.byte()) % static_cast<std::uint32_t>(bytes.size());
    bytes[at] = static_cast<char>(script.byte());
  }
  send(bytes);
}

void Peer::say_honest_hello() {
  wire::ToCoordinator message;
  fill_honest_hello(instance_, *message.mutable_hello());
  send(message.SerializeAsString());
}

void Peer::say_heartbeat() {
  wire::ToCoordinator message;
  message.set_worker(epoch_);
  message.mutable_heartbeat();
  send(message.SerializeAsString());
}

void Peer::answer_all() {
  if (held_.empty()) return;
  wire::ToCoordinator message;
  message.set_worker(epoch_);
  for (const AttemptId& attempt : held_) add_ok(attempt, *message.mutable_outcomes());
  held_.clear();
  send(message.SerializeAsString());
}

bool Peer::hear() {
  bool any = false;
  while (const auto received = socket_->receive()) {
    wire::ToWorker message;
    KS_ASSERT(message.ParseFromString(received->bytes));
    take(message);
    any = true;
  }
  return any;
}

void Peer::await(Duration limit) {
  Poll poll;
  poll.add(*socket_);
  poll.wait(limit);
}

Known Peer::known() const {
  return {{held_.begin(), held_.end()}, seen_.sent, seen_.database};
}

void Peer::take(const wire::ToWorker& message) {
  using Said = wire::ToWorker;
  const auto said = message.what_case();
  const bool to_a_session = said == Said::kJobs || said == Said::kRelease || said == Said::kCancel ||
                            said == Said::kRetract || said == Said::kHeartbeat || said == Said::kGoodbye;
  // A goodbye to this peer. A peer without a welcome may be rejected.
  if (said == Said::kGoodbye && message.worker() == 0) return;
  if (to_a_session) KS_ASSERT(epochs_.count(message.worker()) == 1);
  switch (said) {
    case Said::kWelcome:
      return take_welcome(message);
    case Said::kRejoin:
      if (message.worker() == epoch_) former_ = std::exchange(epoch_, 0);
      return held_.clear();
    case Said::kRefusal:
      return KS_ASSERT(!message.refusal().reason().empty());
    case Said::kDropNotice:  // each once
      return KS_ASSERT(drop_notices_.insert(message.drop_notice().text()).second);
    case Said::kGoodbye:
      epochs_.erase(message.worker());
      if (message.worker() == epoch_) epoch_ = 0;
      return held_.clear();
    case Said::kJobs:
      return take_jobs(message.jobs());
    case Said::kRelease:
      for (const auto& named : message.release().attempts()) {
        KS_ASSERT(told_.count(decode(named)) == 1);
        seen_.released.insert(decode(named));
      }
      return;
    case Said::kCancel:
      for (const auto& named : message.cancel().attempts()) held_.erase(decode(named));
      return;
    case Said::kRetract:
    case Said::kChecks:
    case Said::kHeartbeat:
    case Said::kAnswer:
      return;
    case Said::WHAT_NOT_SET:
      KS_ASSERT(false);
  }
}

void Peer::take_welcome(const wire::ToWorker& message) {
  const std::uint32_t epoch = message.welcome().worker();
  KS_ASSERT(message.worker() == epoch && epoch != 0);
  KS_ASSERT(seen_.epochs.insert(epoch).second);  // never given twice
  KS_ASSERT(message.welcome().database().size() == 16);
  KS_ASSERT(seen_.database.empty() || seen_.database == message.welcome().database());
  seen_.database = message.welcome().database();
  epochs_.insert(epoch);
  former_ = epoch_;
  epoch_ = epoch;
  plans_.clear(), keys_.clear(), rules_.clear();
}

void Peer::take_jobs(const wire::JobBatch& batch) {
  for (const auto& plan : batch.plans()) plans_.insert(plan.sweep());
  for (const auto& key : batch.keys()) keys_.insert(key.number());
  for (const auto& rules : batch.rules()) {
    KS_ASSERT(decode(rules).has_value());
    rules_.insert({rules.sweep(), rules.number()});
  }
  for (const wire::Job& job : batch.jobs()) {
    const AttemptId attempt{{SweepId{job.sweep()}, job.index(), job.host()}, job.attempt()};
    KS_ASSERT(plans_.count(job.sweep()) == 1 && keys_.count(job.key()) == 1);
    KS_ASSERT(rules_.count({job.sweep(), job.rules()}) == 1);
    wire::JobBody body;
    KS_ASSERT(body.ParseFromString(job.body()));
    KS_ASSERT(job.attempt() >= 1 && job.cores() >= 1);
    std::uint32_t& newest = newest_[attempt.job];
    // The same attempt is sent twice only when the session that had it is over. Of what others were sent
    // meanwhile we may hear later.
    KS_ASSERT(job.attempt() >= newest);
    newest = job.attempt();
    seen_.largest[attempt.job] = std::max(seen_.largest[attempt.job], newest);
    held_.insert(attempt);
    seen_.sent.push_back(attempt);
  }
}

}  // namespace kernsweep::fuzz
