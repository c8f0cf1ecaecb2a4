// The coordinator's shell: notices to the senders of messages that were dropped. Each dropped message is
// counted, and its sender gets the reason once per connection: a user can correct a faulty peer, and a
// hostile one causes only one answer.
#include <algorithm>

#include "coordinator/net/shell.hpp"

namespace kernsweep::coordinator {
namespace {

// Limit of the table, if ends of connections are not reported. After it is cleared, notices may be
// repeated.
constexpr std::size_t kNoticesMax = 10'000;

const char* text_of(std::uint64_t RefusalCounts::*why) {
  if (why == &RefusalCounts::too_large) return "it has more than 256 MiB";
  if (why == &RefusalCounts::wrong_role)
    return "the role of its key does not allow it: a worker's key measures, a client's key asks";
  return "it cannot be read; install the same version on both";
}

}  // namespace

void Shell::notify_dropped(const std::string& peer, std::uint64_t RefusalCounts::*why) {
  if (!config_.token.empty()) return;  // a coordinator of `run` has only its own worker
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

// Informs a worker that its session is over. Repeated while the worker sends messages of that session,
// because the notice may have been lost; but not for each of them, because many may still be on their way.
void Shell::ask_to_rejoin(const std::string& peer, std::uint32_t worker) {
  if (notices_.size() >= kNoticesMax) notices_.clear();
  auto& sent = notices_[peer].asked_to_rejoin;
  // A worker that still sends after such a time has not received the notice.
  if (sent && now_ - *sent < core_.options().silence_limit) return;
  sent = now_;
  wire::ToWorker answer;
  answer.set_worker(worker);
  answer.mutable_rejoin();
  socket_.send_to(peer, answer.SerializeAsString());
}

}  // namespace kernsweep::coordinator
