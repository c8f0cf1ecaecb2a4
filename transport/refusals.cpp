#include "transport/refusals.hpp"

namespace kernsweep {
namespace {

void add(std::string& line, const char* done, std::uint64_t count, const char* one, const char* many,
         const char* what) {
  if (count == 0) return;
  line += (line.empty() ? "" : ", ") + (done + std::to_string(count)) + (count == 1 ? one : many) + what;
}

}  // namespace

void Refusals::count(std::uint64_t RefusalCounts::*which, Instant now) {
  {
    const std::lock_guard lock(mutex_);
    ++(all_.*which);
  }
  tell_if_due(now);
}

void Refusals::tell_if_due(Instant now) {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    if (!first_of_its_kind() && now - reported_at_ < kLineEvery) return;
    text = line();
    if (text.empty()) return;
    reported_at_ = now;
    reported_ = all_;
  }
  teller_(text);
}

bool Refusals::first_of_its_kind() const {
  constexpr std::uint64_t RefusalCounts::*kKinds[] = {
      &RefusalCounts::unknown_key,  &RefusalCounts::no_handshake, &RefusalCounts::revoked,
      &RefusalCounts::wrong_role,   &RefusalCounts::unreadable,   &RefusalCounts::too_large,
      &RefusalCounts::wrong_session};
  for (const auto kind : kKinds) {
    if (all_.*kind > 0 && reported_.*kind == 0) return true;
  }
  return false;
}

std::string Refusals::line() const {
  constexpr const char* kDropped = "dropped ";
  std::string text;
  add(text, "refused ", all_.unknown_key - reported_.unknown_key, " connection", " connections",
      " with an unknown or revoked key");
  add(text, kDropped, all_.no_handshake - reported_.no_handshake, " connection", " connections",
      " without this coordinator's key (such as another program or an old join file)");
  add(text, kDropped, all_.revoked - reported_.revoked, " message", " messages", " of a revoked key");
  add(text, kDropped, all_.wrong_role - reported_.wrong_role, " message", " messages",
      " that the role of its key does not allow");
  add(text, kDropped, all_.unreadable - reported_.unreadable, " message", " messages",
      " that cannot be read");
  add(text, kDropped, all_.too_large - reported_.too_large, " message", " messages", " above 256 MiB");
  add(text, kDropped, all_.wrong_session - reported_.wrong_session, " message", " messages",
      " of a session that is over, or another's");
  return text;
}

RefusalCounts Refusals::counts() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

}  // namespace kernsweep
