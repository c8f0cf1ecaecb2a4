#include "tests/unit/language_expression/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> count{0};
}

// The array forms end up in these, or in a matching pair of a sanitizer.
void* operator new(std::size_t size) {
  ++count;
  if (void* place = std::malloc(size == 0 ? 1 : size)) return place;
  throw std::bad_alloc();
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(size == 0 ? 1 : size);
}

void operator delete(void* place) noexcept {
  std::free(place);
}
void operator delete(void* place, std::size_t) noexcept {
  std::free(place);
}
void operator delete(void* place, const std::nothrow_t&) noexcept {
  std::free(place);
}

namespace kernsweep::testing {

long allocations() {
  return count;
}

}  // namespace kernsweep::testing
