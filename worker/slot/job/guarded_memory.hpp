// Memory that a variant gets for outputs and workspaces: zero-filled, page-aligned, with a page behind it
// that nobody may touch, so that writing past the end kills the slot instead of corrupting a number.
#pragma once

#include <cstddef>
#include <vector>

namespace kernsweep {

class GuardedMemory {
 public:
  GuardedMemory() = default;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  // At least `bytes`, aligned to 4096; the guard page follows the last page of the block. Null: the system
  // has none.
  void* allocate(std::size_t bytes);
  // Frees every block.
  void clear();

 private:
  struct Block {
    void* start;
    std::size_t bytes;
  };
  std::vector<Block> blocks_;
};

}  // namespace kernsweep
