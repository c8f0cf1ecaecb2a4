#include "worker/slot/job/guarded_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace kernsweep {
namespace {

// The system's page size: 4096, or more on some aarch64 systems.
std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

GuardedMemory::~GuardedMemory() {
  clear();
}

void* GuardedMemory::allocate(std::size_t bytes) {
  const std::size_t page = page_bytes();
  const std::size_t body = (bytes + page - 1) / page * page;
  if (body < bytes) return nullptr;
  const std::size_t whole = body + page;
  void* const start = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  if (mprotect(static_cast<char*>(start) + body, page, PROT_NONE) != 0) {
    munmap(start, whole);
    return nullptr;
  }
  if (pages_ == Pages::large) madvise(start, body, MADV_HUGEPAGE);
  blocks_.push_back({start, whole});
  return start;
}

bool GuardedMemory::holds(const void* first, std::size_t bytes) const {
  const auto from = reinterpret_cast<std::uintptr_t>(first);
  for (const Block& block : blocks_) {
    const auto start = reinterpret_cast<std::uintptr_t>(block.start);
    const std::size_t body = block.bytes - page_bytes();
    if (from >= start && from - start <= body && bytes <= body - (from - start)) return true;
  }
  return false;
}

void GuardedMemory::clear() {
  for (const Block& block : blocks_) munmap(block.start, block.bytes);
  blocks_.clear();
}

}  // namespace kernsweep
