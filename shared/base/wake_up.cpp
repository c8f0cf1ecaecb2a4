#include "shared/base/wake_up.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kernsweep {

Result<WakeUp> WakeUp::make() {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor >= 0) return WakeUp(descriptor);
  return failure(
      "the system gives no descriptor to wake a thread by (eventfd): " + std::string(std::strerror(errno)) +
      "; raise 'ulimit -n', or allow eventfd in the container's seccomp profile");
}

WakeUp::WakeUp(WakeUp&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

WakeUp& WakeUp::operator=(WakeUp&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

WakeUp::~WakeUp() {
  if (descriptor_ >= 0) close(descriptor_);
}

void WakeUp::wake() const {
  const std::uint64_t one = 1;
  const auto written = write(descriptor_, &one, sizeof one);
  (void)written;  // the 64-bit counter never reaches its maximum
}

bool WakeUp::reset() const {
  std::uint64_t count = 0;
  return read(descriptor_, &count, sizeof count) > 0;
}

}  // namespace kernsweep
