#include "transport/refusals.hpp"

namespace kernsweep {
namespace {

void add(std::string& line, std::uint64_t count, const char* one, const char* many, const char* what) {
  if (count == 0) return;
  line += (line.empty() ? "" : ", ") + std::to_string(count) + (count == 1 ? one : many) + what;
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
  std::string text;
  add(text, all_.unknown_key - reported_.unknown_key, " connection", " connections",
      " with an unknown key refused");
  add(text, all_.no_handshake - reported_.no_handshake, " connection", " connections",
      " that did not know this coordinator's key dropped");
  add(text, all_.revoked - reported_.revoked, " message", " messages", " of a revoked key dropped");
  add(text, all_.wrong_role - reported_.wrong_role, " message", " messages",
      " that the role of its key does not allow dropped");
  add(text, all_.unreadable - reported_.unreadable, " message", " messages",
      " that cannot be read dropped");
  add(text, all_.too_large - reported_.too_large, " message", " messages", " above 256 MiB dropped");
  add(text, all_.wrong_session - reported_.wrong_session, " message", " messages",
      " of a session that is over, or another's, dropped");
  return text;
}

RefusalCounts Refusals::counts() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

}  // namespace kernsweep
