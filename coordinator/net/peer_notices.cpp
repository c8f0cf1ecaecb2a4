// The coordinator's shell: messages that reach nobody here. Each is counted, and its sender is told once
// per connection: a peer that errs can be mended, and one that wants to be a burden costs us one answer.
#include <algorithm>

#include "coordinator/net/shell.hpp"

namespace kernsweep::coordinator {
namespace {

// As long as a worker's patience: one that goes on after that has not heard us.
constexpr Duration kRejoinEvery = CoreOptions().silence_limit;
// Where the end of connections is not told. Who is forgotten may be told again.
constexpr std::size_t kNoticesMax = 10'000;

const char* text_of(std::uint64_t RefusalCounts::*why) {
  if (why == &RefusalCounts::too_large) return "it has more than 256 MiB";
  if (why == &RefusalCounts::wrong_role)
    return "the role of its key does not allow it: a worker's key measures, a client's key asks";
  return "it cannot be read; install the same version on both";
}

}  // namespace

void Shell::notify_dropped(const std::string& peer, std::uint64_t RefusalCounts::*why) {
  if (!config_.token.empty()) return;  // of `run`: whoever this is, it is not our worker
  if (notices_.size() >= kNoticesMax) notices_.clear();
  auto& sent = notices_[peer].reasons;
  if (std::ranges::find(sent, why) != sent.end()) return;
  sent.push_back(why);
  wire::ToWorker message;
  message.mutable_drop_notice()->set_text(text_of(why));
  socket_.send_to(peer, message.SerializeAsString());
}

void Shell::notify_of_dropped() {
  for (const Dropped& dropped : socket_.take_dropped()) notify_dropped(dropped.peer, dropped.why);
}

// A worker whose session is over learns it by this, whatever it says. It is sent again when it goes on, for
// the answer may have been lost, but not for each message: many of its former session may be under way.
void Shell::ask_to_rejoin(const std::string& peer, std::uint32_t worker) {
  if (notices_.size() >= kNoticesMax) notices_.clear();
  auto& sent = notices_[peer].asked_to_rejoin;
  if (sent && now_ - *sent < kRejoinEvery) return;
  sent = now_;
  wire::ToWorker answer;
  answer.set_worker(worker);
  answer.mutable_rejoin();
  socket_.send_to(peer, answer.SerializeAsString());
}

}  // namespace kernsweep::coordinator
