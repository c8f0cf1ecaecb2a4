// Runs of a known length, for tests of makespans, timeouts and limits, whatever the load of the host: each
// sleeps until an absolute deadline, so interruptions do not add up, and the scheduler delays it only once.
#include <time.h>

#include <cerrno>

#include "kernels/api/pack.hpp"

namespace kernsweep::pack {

struct Duration {
  double seconds = 0;
  static auto params() {
    // One day: a longer time is probably an error of units.
    return std::vector{param<&Duration::seconds>({.name = "seconds",
                                                  .summary = "length of one run, in seconds, 0 to 86400",
                                                  .least = 0,
                                                  .most = 86400})};
  }
};

struct Sleep {
  std::int64_t nanoseconds;
  Sleep(const Duration& wanted, Setup&) : nanoseconds(std::llround(wanted.seconds * 1e9)) {}
  void run() const {
    timespec deadline{};
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    const std::int64_t end = deadline.tv_nsec + nanoseconds;
    deadline.tv_sec += end / 1'000'000'000;
    deadline.tv_nsec = end % 1'000'000'000;
    while (const int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr))
      if (error != EINTR) throw Refused(KS_FAILED, "the monotonic clock cannot be waited for");
  }
};

}  // namespace kernsweep::pack

KERNSWEEP_PACK("sleep", KERNSWEEP_PACK_VERSION,
               family<Duration>("sleep", "runs of a known length that need no processor",
                                {.any_params = true}, variant<Sleep>("sleep", "sleeps until the deadline")))
