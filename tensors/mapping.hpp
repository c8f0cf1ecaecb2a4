// A shared tensor as a process that only reads it sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "shared/base/result.hpp"
#include "tensors/sealed_buffer.hpp"

namespace kernsweep {

// Owns the mapping; the owner of the memory may close it or die meanwhile. A write through it is a SIGSEGV.
// Any thread may read; the object itself belongs to one thread.
class TensorMapping {
 public:
  // Maps all of `path` (SealedBuffer::path() of a living process of the same user) read-only. Pages are
  // entered on first touch. Errors: the process is gone, not sealed, another size than `bytes`.
  static Result<TensorMapping> open(const std::string& path, std::uint64_t bytes);

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
