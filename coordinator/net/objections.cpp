// The coordinator's shell: messages that reach nobody here. Each is counted, and its sender is told once
// per connection: a peer that errs can be mended, and one that wants to be a burden costs us one answer.
#include <algorithm>

#include "coordinator/net/shell.hpp"

namespace kernsweep::coordinator {
namespace {

// As long as a worker's patience: one that goes on after that has not heard us.
constexpr Duration kCallBackEvery = CoreOptions().silence_limit;
// Where the end of connections is not told. Who is forgotten may be told again.
constexpr std::size_t kToldMax = 10'000;

const char* text_of(std::uint64_t RefusalCounts::*why) {
  if (why == &RefusalCounts::too_large) return "it has more than 256 MiB";
  if (why == &RefusalCounts::wrong_role)
    return "the role of its key does not allow it: a worker's key measures, a client's key asks";
  return "it cannot be read; install the same version on both";
}

}  // namespace

void Shell::object(const std::string& peer, std::uint64_t RefusalCounts::*why) {
  if (!config_.token.empty()) return;  // of `run`: whoever this is, it is not our worker
  if (told_.size() >= kToldMax) told_.clear();
  auto& told = told_[peer].objections;
  if (std::ranges::find(told, why) != told.end()) return;
  told.push_back(why);
  wire::ToWorker message;
  message.mutable_objection()->set_text(text_of(why));
  socket_.send_to(peer, message.SerializeAsString());
}

void Shell::object_to_dropped() {
  for (const Dropped& dropped : socket_.take_dropped()) object(dropped.peer, dropped.why);
}

// A worker whose session is over learns it by this, whatever it says. It is told again when it goes on, for
// the answer may have been lost, but not for each message: many of its former session may be under way.
void Shell::call_back(const std::string& peer, std::uint32_t worker) {
  if (told_.size() >= kToldMax) told_.clear();
  auto& told = told_[peer].called_back;
  if (told && now_ - *told < kCallBackEvery) return;
  told = now_;
  wire::ToWorker answer;
  answer.set_worker(worker);
  answer.mutable_rejoin();
  socket_.send_to(peer, answer.SerializeAsString());
}

}  // namespace kernsweep::coordinator
