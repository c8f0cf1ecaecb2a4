// Empties the caches of all cores that a job may use: each core walks over a part of a buffer of its own,
// kCacheCover times as large as its share of the last-level cache above it, and changes a byte in each
// line. Cores that share such a cache divide it; so its whole content is replaced, and that of each core's
// own caches, which no other core reaches.
//
// One thread does this; it is moved from core to core and then back. Further threads would be counted as
// the job's own (thread_work.hpp), and time does not matter outside the timed part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernsweep {

class CacheEviction {
 public:
  struct Core {
    std::uint32_t cpu = 0;          // of the system
    std::uint64_t cache_bytes = 0;  // its share of the last-level cache; 0: it is left out
  };
  // `bytes`: size of all caches that the job uses; the buffer is large enough for it, also if `cores` is
  // empty.
  CacheEviction(const std::vector<Core>& cores, std::uint64_t bytes);

  // False: there is no memory for the buffer.
  bool run();
  // From the first run() to forget() the buffer is there.
  bool has_buffer() const { return !buffer_.empty(); }
  void forget();
  std::uint64_t buffer_bytes() const { return buffer_bytes_; }

 private:
  struct Walk {
    std::uint32_t cpu;
    std::size_t begin, end;  // in the buffer
  };
  void walk(std::size_t begin, std::size_t end);

  std::vector<Walk> walks_;  // empty: one, wherever the thread is
  std::uint64_t buffer_bytes_ = 0;
  std::vector<char> buffer_;
};

}  // namespace kernsweep
