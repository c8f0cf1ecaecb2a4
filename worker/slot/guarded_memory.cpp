#include "worker/slot/guarded_memory.hpp"

#include <sys/mman.h>

namespace kernsweep {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

GuardedMemory::~GuardedMemory() { clear(); }

void* GuardedMemory::allocate(std::size_t bytes) {
  const std::size_t body = (bytes + kPage - 1) / kPage * kPage;
  if (body < bytes) return nullptr;
  const std::size_t whole = body + kPage;
  void* const start = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  mprotect(static_cast<char*>(start) + body, kPage, PROT_NONE);
  blocks_.push_back({start, whole});
  return start;
}

void GuardedMemory::clear() {
  for (const Block& block : blocks_) munmap(block.start, block.bytes);
  blocks_.clear();
}

}  // namespace kernsweep
