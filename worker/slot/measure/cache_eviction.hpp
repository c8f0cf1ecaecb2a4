// Empties the caches of all cores that a job may use: each core walks over its own part of a buffer, at
// least kCacheCover times as large as its share of its last-level cache, and changes a byte in each line.
// Cores that share a cache divide it, so its whole content is replaced, and that of each core's private
// caches.
//
// One thread does this; it is moved from core to core and then back. Additional threads would count as
// threads of the job (thread_work.hpp), and time does not matter outside the timed part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernsweep {

class CacheEviction {
 public:
  struct Core {
    std::uint32_t cpu = 0;          // of the system
    std::uint64_t cache_bytes = 0;  // its share of the last-level cache; 0: this core is skipped
  };
  // `bytes`: size of all caches that the job uses; the buffer is large enough for them even if `cores` is
  // empty.
  CacheEviction(const std::vector<Core>& cores, std::uint64_t bytes);

  // False: there is no memory for the buffer.
  bool run();
  // True from the first successful run() until forget().
  bool has_buffer() const { return !buffer_.empty(); }
  void forget();
  std::uint64_t buffer_bytes() const { return buffer_bytes_; }

 private:
  struct Walk {
    std::uint32_t cpu;
    std::size_t begin, end;  // in the buffer
  };
  void walk(std::size_t begin, std::size_t end);

  std::vector<Walk> walks_;  // empty: one walk, on the thread's current processor
  std::uint64_t buffer_bytes_ = 0;
  std::vector<char> buffer_;
};

}  // namespace kernsweep
