// The output of a variant: its elements, its hash, and whether a call wrote it. Elements are visited in
// row-major order of the logical shape, so that NCHW and NHWC outputs of one convolution have the same
// hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/digest.hpp"
#include "shared/base/dtype.hpp"
#include "shared/base/result.hpp"
#include "worker/slot/job/guarded_memory.hpp"

namespace kernsweep {

inline Dtype dtype_of(const ks_tensor& tensor) {
  return static_cast<Dtype>(tensor.dtype);
}

// Calls visit(first element's address, count, stride in elements) for each innermost row, in row-major
// order. `tensor` must have passed element_count.
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

// Number of elements. Error: rank, extents or data pointer are not valid (packs are not trusted).
Result<std::size_t> element_count(const ks_tensor& tensor);

// Whether they are parts as ks_variant::parts describes them. `tensor` must have passed element_count.
bool are_parts_of(const ks_tensor& tensor, std::span<const ks_part> parts);
// Element `bits` of a part, as a double.
double number_of(const ks_part& part, std::int64_t bits);
// Calls visit(part, bits) for each element. Requires are_parts_of().
template <class Visit>
void for_each_part_element(const ks_tensor& tensor, std::span<const ks_part> parts, Visit visit) {
  const auto* element = static_cast<const std::int64_t*>(tensor.data);
  for (const ks_part& part : parts)
    for (std::int64_t i = 0; i < part.elements; ++i) visit(part, *element++);
}

// XXH3-128 over the elements' own bytes, and over dtype and shape. `tensor` must have passed element_count.
Digest output_hash(const ks_tensor& tensor);

// Whether every element is in memory that the variant got from `memory`, and there is at least one.
// `tensor` must have passed element_count.
bool lies_in(const GuardedMemory& memory, const ks_tensor& tensor);
// Whether they are in private writable memory of this process, whoever owns it.
bool lies_in_writable_memory(const ks_tensor& tensor);
// Poisoning: every element is overwritten, floats by a NaN and whole numbers by bytes 0xA7, so that a call
// that does not compute it is found. Requires that it is in writable memory.
void poison(const ks_tensor& tensor);
// Number of elements with that pattern.
std::uint64_t poisoned_elements(const ks_tensor& tensor);
// Whether a call left elements of a poisoned output unchanged: any float, or a sixteenth of whole numbers,
// which may have the pattern by chance.
bool was_left(const ks_tensor& tensor);

// Number of elements that share a scale: those along the last `scale_dims` dimensions (ks_tolerance) of an
// array of this shape, all of them for 0 and below. Requires that the extents are those of an existing
// array.
std::size_t elements_of_scale(std::span<const std::int64_t> shape, std::int32_t scale_dims);

}  // namespace kernsweep
