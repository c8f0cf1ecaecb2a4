#include "coordinator/net/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "shared/base/log.hpp"

namespace kernsweep::coordinator {
namespace {

constexpr rlim_t kOurs = 32;  // used by the coordinator itself; 23 were counted, with keys and metrics
constexpr rlim_t kFew = 256;
constexpr rlim_t kEnough = 65'536;
constexpr Duration kLookEvery = std::chrono::seconds(1);

rlim_t limit() {
  rlimit files{};
  return getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur : RLIM_INFINITY;
}

}  // namespace

Status prepare_descriptors(bool raise) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return Done{};
  if (raise && files.rlim_cur < kEnough) {
    files.rlim_cur = std::max(files.rlim_cur, std::min(files.rlim_max, kEnough));
    setrlimit(RLIMIT_NOFILE, &files);
  }
  const rlim_t room = limit();
  const std::string may = "a coordinator may have " + std::to_string(room) + " files and connections here";
  if (room < kOurs)
    return failure(may + ", and needs " + std::to_string(kOurs) +
                   " and one for each worker and client; start it with more, as after `ulimit -n 4096`");
  if (raise && room < kFew)
    log_line(LogLevel::warning, may + ": enough for " + std::to_string(room - kOurs) +
                                    " workers and clients; start it with more, as after `ulimit -n 4096`");
  return Done{};
}

void DescriptorWatch::look(Instant now) {
  if (warned_ || now - looked_ < kLookEvery) return;
  looked_ = now;
  const int one = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (one >= 0) {
    close(one);
    return;
  }
  if (errno != EMFILE && errno != ENFILE) return;
  warned_ = true;
  log_line(LogLevel::warning, "out of file descriptors (" + std::to_string(limit()) +
                                  " here): existing connections continue; new ones must wait until some "
                                  "end; start the coordinator with more, as after `ulimit -n 4096`");
}

}  // namespace kernsweep::coordinator
