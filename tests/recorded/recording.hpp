// A recorded conversation: the messages between a coordinator and its peers.
//
// Text, so that a repository can keep it. Lines that begin with '#' say where it comes from; any other line
// is
//
//   PEER > HEX   what the peer said: a ToCoordinator
//   PEER < HEX   what it was told: a ToWorker
//
// in the order in which a coordinator's socket saw them. PEER: 1, 2, ... in the order of their first words.
#pragma once

#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::recorded {

// How long a played back side waits for the other's next message, and how often it sends a heartbeat.
constexpr Duration kPatience = std::chrono::seconds(60);
constexpr Duration kBeatEvery = std::chrono::milliseconds(500);

struct Line {
  std::uint32_t peer = 0;
  bool to_coordinator = true;
  std::string bytes;
};

std::string text_of(const Line& line);  // ends with a line break
// Error: the file cannot be read, or a line is none of these.
Result<std::vector<Line>> read_recording(const std::string& path);

}  // namespace kernsweep::recorded
