// Shared by tests of sockets: separate addresses, and time limits.
#pragma once

#include <unistd.h>

#include <optional>
#include <string>

#include "transport/socket.hpp"

namespace kernsweep::testing_transport {

constexpr Duration kPatience = std::chrono::seconds(20);

// An abstract address that no other test and no other run uses.
inline std::string local_address() {
  static int number = 0;
  return "ipc://@kernsweep-unit-" + std::to_string(getpid()) + "-" + std::to_string(++number);
}

// The next message; waits for it, but not forever.
inline std::optional<Received> next(Socket& socket, Duration patience = kPatience) {
  const Instant deadline = monotonic_now() + patience;
  Poll poll;
  poll.add(socket);
  while (true) {
    if (auto received = socket.receive()) return received;
    const Duration left = deadline - monotonic_now();
    if (left <= Duration::zero()) return std::nullopt;
    poll.wait(left);
  }
}

}  // namespace kernsweep::testing_transport
