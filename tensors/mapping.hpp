// Read access to a shared tensor from another process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "shared/base/result.hpp"
#include "tensors/sealed_buffer.hpp"

namespace kernsweep {

// Owns the mapping. It stays valid when the owner of the memory closes it or ends. A write through it
// raises SIGSEGV. Any thread may read; the object itself belongs to one thread.
class TensorMapping {
 public:
  // Maps all of `path` (SealedBuffer::path() in a running process of the same user) read-only; the page
  // behind the last one cannot be read. Pages are entered on first touch. `inode`: SealedBuffer::inode(),
  // or 0. Errors: the process is gone, the buffer is not sealed or not of this size, it is another one, or
  // the address space is full.
  static Result<TensorMapping> open(const std::string& path, std::uint64_t bytes, std::uint64_t inode = 0);

  TensorMapping(TensorMapping&&) noexcept;
  TensorMapping& operator=(TensorMapping&&) noexcept;
  ~TensorMapping();

  std::span<const std::byte> bytes() const;  // aligned to a page; empty for a tensor without elements

 private:
  struct Region;
  explicit TensorMapping(std::unique_ptr<Region> region);
  std::unique_ptr<Region> region_;
};

}  // namespace kernsweep
