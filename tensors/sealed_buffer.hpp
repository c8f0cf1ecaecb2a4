// Memory that is written once and then shared for reading: a sealed memfd.
//
// All its pages are allocated before it is handed out (nobody meets a SIGBUS later), it has no name in any
// file system (nothing is left behind, however its owner dies), and once sealed nobody, the owner included,
// can change or resize it. Other processes of the same user open it by path() with TensorMapping and keep
// their mapping when the owner closes or dies; the memory is freed with the last of them. Why not shm_open
// or a file in /dev/shm: a killed owner would leave the file, and any writer could change it.
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
  // `bytes` of zeros, writable until seal(). `node`: the NUMA node on which the pages shall lie; absent:
  // wherever the kernel puts them. Errors: no memory or no space (both numbers named), too many open files,
  // no such node.
  static Result<SealedBuffer> create(std::uint64_t bytes, std::optional<int> node = std::nullopt);

  // A descriptor of its own for the sealed buffer of another process, `path` being its path() there.
  // Errors: the process is gone, not a sealed memfd, another size.
  static Result<SealedBuffer> adopt(const std::string& path, std::uint64_t bytes);

  SealedBuffer(SealedBuffer&& other) noexcept;
  SealedBuffer& operator=(SealedBuffer&& other) noexcept;
  SealedBuffer(const SealedBuffer&) = delete;
  SealedBuffer& operator=(const SealedBuffer&) = delete;
  ~SealedBuffer();

  // Empty after seal().
  std::span<std::byte> writable() const {
    return {writable_, writable_ ? static_cast<std::size_t>(bytes_) : 0};
  }

  // Takes away the writable view, then every way to write or resize. Once.
  Status seal();

  std::uint64_t bytes() const { return bytes_; }
  // "/proc/<pid>/fd/<n>": valid while this object lives, and only then: a later buffer may get the same
  // number.
  std::string path() const;

 private:
  SealedBuffer(int descriptor, std::uint64_t bytes) : descriptor_(descriptor), bytes_(bytes) {}
  Status map_writable();
  void unmap();

  int descriptor_ = -1;
  std::uint64_t bytes_ = 0;
  std::byte* writable_ = nullptr;
};

// Done when the descriptor is a memfd that nobody can write or resize any more and that holds `bytes`;
// otherwise an error that begins with `path`.
Status check_sealed(int descriptor, const std::string& path, std::uint64_t bytes);

}  // namespace kernsweep
