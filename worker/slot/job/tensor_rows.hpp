// Visits the elements of an output where they lie, in row-major order of its shape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/api/pack.h"
#include "shared/base/dtype.hpp"

namespace kernsweep {

inline Dtype dtype_of(const ks_tensor& tensor) {
  return static_cast<Dtype>(tensor.dtype);
}

// Calls visit(first element's address, count, stride in elements) for each innermost row, in row-major
// order. `tensor` must have passed element_count (output.hpp).
template <class Visit>
void for_each_row(const ks_tensor& tensor, Visit visit) {
  const auto rank = static_cast<std::size_t>(tensor.rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (tensor.shape[d] == 0) return;
  }
  const auto* const base = static_cast<const std::byte*>(tensor.data);
  const auto element = static_cast<std::int64_t>(size_of(dtype_of(tensor)));
  if (rank == 0) {
    visit(base, std::int64_t{1}, std::int64_t{1});
    return;
  }
  std::array<std::int64_t, KS_RANK_MAX> at{};
  while (true) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d + 1 < rank; ++d) offset += at[d] * tensor.strides[d];
    visit(base + offset * element, tensor.shape[rank - 1], tensor.strides[rank - 1]);
    std::size_t d = rank - 1;
    while (d > 0 && ++at[d - 1] == tensor.shape[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace kernsweep
