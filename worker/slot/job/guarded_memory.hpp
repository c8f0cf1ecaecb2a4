// Memory that a variant gets for outputs and workspaces: zero-filled, page-aligned, followed by an
// inaccessible page, so that writing past the end ends the slot instead of damaging a result.
#pragma once

#include <cstddef>
#include <vector>

namespace kernsweep {

class GuardedMemory {
 public:
  // Large pages, if the system has them, are for memory that only checks use: a timed kernel gets the pages
  // that it would get in any other program.
  enum class Pages { usual, large };
  explicit GuardedMemory(Pages pages = Pages::usual) : pages_(pages) {}
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  // Returns at least `bytes` bytes, aligned to 4096; the guard page follows the last page of the block.
  // Null: out of memory.
  void* allocate(std::size_t bytes);
  // Whether these bytes lie within one block.
  bool holds(const void* first, std::size_t bytes) const;
  // Frees every block.
  void clear();

 private:
  struct Block {
    void* start;
    std::size_t bytes;
  };
  Pages pages_;
  std::vector<Block> blocks_;
};

}  // namespace kernsweep
