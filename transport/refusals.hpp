// Counts rejected connections and messages, and logs them at a limited rate: the first of a kind
// immediately, later ones together, at most one line per minute.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "shared/base/instant.hpp"

namespace kernsweep {

struct RefusalCounts {
  std::uint64_t unknown_key = 0;   // connections with a key that is not allowed
  std::uint64_t no_handshake = 0;  // another program, another coordinator's key, no key, or silence
  std::uint64_t revoked = 0;       // messages of a key that was revoked while it was connected
  std::uint64_t wrong_role = 0;    // messages that the role of their key may not send
  std::uint64_t unreadable = 0;    // messages that cannot be decoded, or have several frames
  std::uint64_t too_large = 0;     // messages above kMessageBytesMax
  // Messages with a session that is not their sender's: it has ended, is another peer's, or never existed.
  std::uint64_t wrong_session = 0;
};

class Refusals {
 public:
  static constexpr Duration kLineEvery = std::chrono::minutes(1);
  using Teller = std::function<void(const std::string& line)>;

  explicit Refusals(Teller teller) : teller_(std::move(teller)) {}

  void count(std::uint64_t RefusalCounts::*which, Instant now);
  // Logs what has been counted and not yet logged, if a minute has passed since the last line.
  void tell_if_due(Instant now);
  RefusalCounts counts() const;

 private:
  std::string line() const;
  bool first_of_its_kind() const;
  const Teller teller_;
  mutable std::mutex mutex_;
  RefusalCounts all_;
  RefusalCounts reported_;
  Instant reported_at_{};
};

}  // namespace kernsweep
