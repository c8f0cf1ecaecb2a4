// Which jobs of one stream are settled: one bit each, and no memory for jobs that were never reached.
//
// Bits are in chunks of 32768 (4 KiB), allocated when their first bit is set and freed when all bits are
// set. So 100 million jobs finished roughly in order cost a few chunks, and 12.5 MB if finished in the
// worst order.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kernsweep::coordinator {

class SettledJobs {
 public:
  explicit SettledJobs(std::uint64_t size);

  std::uint64_t size() const { return size_; }
  std::uint64_t settled_count() const { return settled_; }

  // Requires index < size().
  bool settled(std::uint64_t index) const;
  bool settle(std::uint64_t index);  // false: it was already settled
  bool reopen(std::uint64_t index);  // no longer settled; false: it was not settled
  // Settles all from `first` to `last`, both included. Returns how many were not settled before. Requires
  // first <= last < size().
  std::uint64_t settle_run(std::uint64_t first, std::uint64_t last);

  // The first index >= from that is not settled; size() when there is none.
  std::uint64_t next_open(std::uint64_t from) const;

  std::size_t bytes() const;
  std::optional<std::string> check_invariants() const;  // as Core's

 private:
  friend struct TableBreaker;  // of tests
  static constexpr std::uint64_t kChunkBits = 32768;
  struct Chunk {
    std::array<std::uint64_t, kChunkBits / 64> words{};
    std::uint32_t count = 0;
  };
  using Chunks =
      std::map<std::uint64_t, std::unique_ptr<Chunk>>;  // no chunk for a key: all its bits are set

  std::uint64_t bits_in(std::uint64_t chunk) const;
  const Chunk* find(std::uint64_t chunk, bool& full) const;
  void tear_off();

  std::uint64_t size_;
  std::uint64_t settled_ = 0;
  std::uint64_t full_below_ = 0;  // chunks before this one are full and freed
  Chunks chunks_;
  mutable std::uint64_t last_number_ = ~std::uint64_t{0};  // the chunk used last, by most calls again
  mutable Chunk* last_ = nullptr;
};

}  // namespace kernsweep::coordinator
