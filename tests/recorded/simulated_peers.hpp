// Plays back the recorded side of a worker, or of a client, to a coordinator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "tests/recorded/recording.hpp"

namespace kernsweep::recorded {

// Until the coordinator says goodbye. `minor`: of the protocol that it says it speaks; nothing: the
// recorded one. Error: it sent a job that was never recorded, released less than was reported, refused, or
// was silent for too long.
Status play_worker(const std::vector<Line>& lines, const std::string& endpoint,
                   std::optional<std::uint32_t> minor);

// Prints the reason of the refusal. Error: none came.
Status play_hello(const std::vector<Line>& lines, const std::string& endpoint, std::uint32_t major,
                  std::uint32_t minor);

// Prints what each request asked for and "answered", or the error that came. Error: one got no answer, or
// the answer to another.
Status play_client(const std::vector<Line>& lines, const std::string& endpoint);

}  // namespace kernsweep::recorded
