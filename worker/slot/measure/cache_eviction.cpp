#include "worker/slot/measure/cache_eviction.hpp"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "worker/slot/measure/rotation.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kBufferLeast = std::uint64_t{32} << 20;
constexpr std::size_t kCacheLine = 64;

// Moves the calling thread. The destructor restores its affinity and its processor.
class MovableThread {
 public:
  MovableThread() : known_(sched_getaffinity(0, sizeof before_, &before_) == 0), cpu_(sched_getcpu()) {}
  ~MovableThread() {
    if (!moved_) return;
    if (cpu_ >= 0) (void)move_to(static_cast<std::uint32_t>(cpu_));
    sched_setaffinity(0, sizeof before_, &before_);
  }
  MovableThread(const MovableThread&) = delete;
  MovableThread& operator=(const MovableThread&) = delete;

  // False: the thread may not run there, and stays on its processor.
  bool move_to(std::uint32_t cpu) {
    if (!known_ || cpu >= CPU_SETSIZE) return false;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    const bool moved = sched_setaffinity(0, sizeof one, &one) == 0;
    moved_ = moved_ || moved;
    return moved;
  }

 private:
  cpu_set_t before_{};
  const bool known_;
  const int cpu_;
  bool moved_ = false;
};

}  // namespace

CacheEviction::CacheEviction(const std::vector<Core>& cores, std::uint64_t bytes) {
  std::vector<Core> reached;
  std::ranges::copy_if(cores, std::back_inserter(reached),
                       [](const Core& core) { return core.cache_bytes > 0; });
  for (const Core& core : reached) {
    const std::uint64_t part = std::max(kCacheCover * core.cache_bytes, kBufferLeast / reached.size());
    walks_.push_back({core.cpu, buffer_bytes_, buffer_bytes_ + part});
    buffer_bytes_ += part;
  }
  const std::uint64_t least = std::max(kBufferLeast, kCacheCover * bytes);
  if (buffer_bytes_ >= least) return;
  if (!walks_.empty()) walks_.back().end += least - buffer_bytes_;
  buffer_bytes_ = least;
}

bool CacheEviction::run() {
  if (buffer_.empty()) {
    try {
      buffer_.resize(buffer_bytes_);
    } catch (const std::exception&) {  // bad_alloc, or length_error
      return false;
    }
  }
  if (walks_.empty()) {
    walk(0, buffer_.size());
    return true;
  }
  MovableThread thread;
  for (const Walk& each : walks_) {
    (void)thread.move_to(each.cpu);
    walk(each.begin, each.end);
  }
  return true;
}

void CacheEviction::walk(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; i += kCacheLine) buffer_[i] = static_cast<char>(buffer_[i] + 1);
}

void CacheEviction::forget() {
  std::vector<char>().swap(buffer_);
}

}  // namespace kernsweep
