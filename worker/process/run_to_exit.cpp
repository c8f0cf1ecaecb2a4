#include "worker/process/run_to_exit.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>

namespace kernsweep {

ExitedProcess run_to_exit(Child& child, Duration limit) {
  constexpr int kEndOfTheKilledMs = 1000;
  const Instant end = monotonic_now() + limit;
  pollfd open[] = {{child.output(), POLLIN, 0}, {child.exited(), POLLIN, 0}, {child.errors(), POLLIN, 0}};
  pollfd &output = open[0], &life = open[1];
  ExitedProcess exited;
  std::array<char, 65536> buffer;
  while (output.fd >= 0 || life.fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - monotonic_now()).count();
    if (left <= 0 || poll(open, std::size(open), static_cast<int>(left)) <= 0) break;
    if (life.revents) life.fd = -1;
    for (pollfd* pipe : {&open[0], &open[2]}) {
      if (pipe->fd < 0 || !pipe->revents) continue;
      const ssize_t got = read(pipe->fd, buffer.data(), buffer.size());
      if (got <= 0) {
        pipe->fd = -1;
      } else if (pipe == &output) {
        exited.output.append(buffer.data(), static_cast<std::size_t>(got));
      }
    }
  }
  exited.in_time = output.fd < 0 && life.fd < 0;
  if (!exited.in_time) {
    child.kill_group();
    pollfd ended{child.exited(), POLLIN, 0};
    poll(&ended, 1, kEndOfTheKilledMs);
  }
  child.kill_group();  // processes that it may have left
  exited.ending = child.reap();
  return exited;
}

}  // namespace kernsweep
