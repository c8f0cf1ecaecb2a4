// Memory as a slot gives it to kernels: zero-filled, page-aligned, followed by a page that cannot be
// touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernsweep::testing {

class GuardedMemory {
 public:
  explicit GuardedMemory(std::int64_t bytes_max) : bytes_left_(bytes_max), limited_(bytes_max >= 0) {}
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  void* allocate(std::size_t bytes);
  // The signature of ks_context::allocate; `host` is a GuardedMemory.
  static void* allocate_for(void* host, std::size_t bytes);
  // From now on nothing in `memory`'s pages may be written.
  static void seal(void* memory, std::size_t bytes);

 private:
  struct Mapping {
    void* begin;
    std::size_t bytes;
  };
  std::vector<Mapping> mappings_;
  std::int64_t bytes_left_;
  bool limited_;
};

}  // namespace kernsweep::testing
