// Plays one side of a recorded conversation against a coordinator or a worker of this version.
//
//   play worker FILE ENDPOINT [MINOR]       answers each job as the recorded worker answered it
//   play hello FILE ENDPOINT MAJOR MINOR    says the recorded hello by another protocol; prints the refusal
//   play client FILE ENDPOINT               asks what the client asked; prints a line for each answer
//   play coordinator FILE ENDPOINT          gives the jobs to the worker that comes, and dismisses it
//
// Values that change from run to run replace the recorded ones: the epoch, and the attempts as far as the
// other side numbers them. All else is sent as it was recorded, fields that this version does not know
// included. Status 0: the conversation came to its end; else 1, and the reason is on stderr.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/recorded/recording.hpp"
#include "tests/recorded/simulated_coordinator.hpp"
#include "tests/recorded/simulated_peers.hpp"

using namespace kernsweep;
using namespace kernsweep::recorded;

int main(int argument_count, char** arguments) {
  if (argument_count < 4) return 2;
  const std::string_view side = arguments[1];
  const std::string endpoint = arguments[3];
  const auto lines = read_recording(arguments[2]);
  const auto play = [&]() -> Status {
    if (!lines) return tl::unexpected(lines.error());
    const auto number = [&](int at) { return static_cast<std::uint32_t>(std::atoi(arguments[at])); };
    const auto minor = argument_count == 5 ? std::optional(number(4)) : std::nullopt;
    if (side == "worker") return play_worker(*lines, endpoint, minor);
    if (side == "hello" && argument_count == 6) return play_hello(*lines, endpoint, number(4), number(5));
    if (side == "client") return play_client(*lines, endpoint);
    if (side == "coordinator") return play_coordinator(*lines, endpoint);
    return failure("there is no such side");
  };
  const Status played = play();
  if (!played) std::fprintf(stderr, "play: %s\n", played.error().message.c_str());
  return played ? 0 : 1;
}
