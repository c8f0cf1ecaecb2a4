// Memory that is written once and then shared for reading: a sealed memfd.
//
// All its pages are allocated before create() returns, so no access raises SIGBUS later. It has no name in
// a file system, so nothing is left however its owner ends. After sealing, no process can change or resize
// it, not even its owner. Other processes of the same user open it by path() with TensorMapping, and keep
// their mapping when the owner closes it or ends; the last of them frees the memory. Why not shm_open or a
// file in /dev/shm: the file of a killed owner would stay, and any writer could change it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

class SealedBuffer {
 public:
  // `bytes` of zeros, writable until seal(). `node`: the NUMA node of the pages; absent: the kernel
  // chooses. Errors, with both numbers: no memory or no space; also: too many open files, no such node.
  static Result<SealedBuffer> create(std::uint64_t bytes, std::optional<int> node = std::nullopt);

  // A descriptor of its own for the sealed buffer of another process; `path` is its path() there,
  // `inode` its inode() or 0. Errors: the process is gone, not a sealed memfd, another size, another
  // buffer.
  static Result<SealedBuffer> adopt(const std::string& path, std::uint64_t bytes, std::uint64_t inode = 0);

  SealedBuffer(SealedBuffer&& other) noexcept;
  SealedBuffer& operator=(SealedBuffer&& other) noexcept;
  SealedBuffer(const SealedBuffer&) = delete;
  SealedBuffer& operator=(const SealedBuffer&) = delete;
  ~SealedBuffer();

  // Empty after seal().
  std::span<std::byte> writable() const {
    return {writable_, writable_ ? static_cast<std::size_t>(bytes_) : 0};
  }

  // Removes the writable view, and then every way to write or resize. To be called once.
  Status seal();

  std::uint64_t bytes() const { return bytes_; }
  // Another buffer of this host that exists at the same time has another number. 0: not known.
  std::uint64_t inode() const;
  // "/proc/<pid>/fd/<n>". Valid only while this object exists: a later buffer may get the same number.
  std::string path() const;

 private:
  SealedBuffer(int descriptor, std::uint64_t bytes) : descriptor_(descriptor), bytes_(bytes) {}
  Status map_writable();
  void unmap();

  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
  std::byte* writable_ = nullptr;
};

// Done if the descriptor is a memfd of `bytes` bytes that no process can write or resize any more, and
// `inode` is its number or 0; otherwise an error that begins with `path`.
Status check_sealed(int descriptor, const std::string& path, std::uint64_t bytes, std::uint64_t inode);

}  // namespace kernsweep
