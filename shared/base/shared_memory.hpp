// Memory that processes share through a descriptor that a child inherits, and files in memory with content
// for a child.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// Mapped for reading and writing as long as the object lives.
class SharedMemory {
 public:
  // Allocates memory that is zero. The object owns its descriptor; a child gets it only if it is passed.
  // `name` is for /proc/PID/maps. Error: the system's message.
  static Result<SharedMemory> make(const char* name, std::size_t bytes);
  // Maps the memory of an inherited descriptor and closes the descriptor. Nothing: it is not memory of that
  // size.
  static std::optional<SharedMemory> open(int descriptor, std::size_t bytes);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  ~SharedMemory();

  int descriptor() const { return descriptor_; }  // -1: opened from one
  void* data() const { return data_; }

 private:
  SharedMemory(int descriptor, void* data, std::size_t bytes)
      : descriptor_(descriptor), data_(data), bytes_(bytes) {}

  int descriptor_ = -1;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// A descriptor from which a child reads `content`; -1 with errno. The caller closes it.
int memory_file(const std::string& content);

}  // namespace kernsweep
