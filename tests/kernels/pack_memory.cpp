#include "tests/kernels/pack_memory.hpp"

#include <sys/mman.h>

namespace kernsweep::testing {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

GuardedMemory::~GuardedMemory() {
  for (const Mapping& mapping : mappings_) munmap(mapping.begin, mapping.bytes);
}

void* GuardedMemory::allocate(std::size_t bytes) {
  if (limited_ && static_cast<std::int64_t>(bytes) > bytes_left_) return nullptr;
  bytes_left_ -= static_cast<std::int64_t>(bytes);
  const std::size_t usable = whole_pages(bytes);
  void* begin = mmap(nullptr, usable + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) return nullptr;
  mprotect(static_cast<char*>(begin) + usable, kPage, PROT_NONE);
  mappings_.push_back({begin, usable + kPage});
  return begin;
}

void* GuardedMemory::allocate_for(void* host, std::size_t bytes) {
  return static_cast<GuardedMemory*>(host)->allocate(bytes);
}

void GuardedMemory::seal(void* memory, std::size_t bytes) {
  mprotect(memory, whole_pages(bytes), PROT_READ);
}

}  // namespace kernsweep::testing
