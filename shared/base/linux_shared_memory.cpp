#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "shared/base/shared_memory.hpp"

namespace kernsweep {
namespace {

void* map(int descriptor, std::size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return data == MAP_FAILED ? nullptr : data;
}

}  // namespace

Result<SharedMemory> SharedMemory::make(const char* name, std::size_t bytes) {
  const int descriptor = memfd_create(name, MFD_CLOEXEC);
  void* const data = descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0
                         ? map(descriptor, bytes)
                         : nullptr;
  if (data) return SharedMemory(descriptor, data, bytes);
  const std::string reason = std::strerror(errno);
  if (descriptor >= 0) close(descriptor);
  return failure(reason);
}

std::optional<SharedMemory> SharedMemory::open(int descriptor, std::size_t bytes) {
  struct stat about {};
  const bool whole = fstat(descriptor, &about) == 0 && about.st_size == static_cast<off_t>(bytes);
  void* const data = whole ? map(descriptor, bytes) : nullptr;
  close(descriptor);
  if (!data) return std::nullopt;
  return SharedMemory(-1, data, bytes);
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept {
  *this = std::move(other);
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_) munmap(data_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

int memory_file(const std::string& content) {
  const int file = memfd_create("kernsweep-setup", MFD_CLOEXEC);
  if (file < 0) return -1;
  const ssize_t written = write(file, content.data(), content.size());
  if (written == static_cast<ssize_t>(content.size()) && lseek(file, 0, SEEK_SET) == 0) return file;
  close(file);
  return -1;
}

}  // namespace kernsweep
