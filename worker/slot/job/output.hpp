// The output of a variant as numbers and as a hash, and what a call left in it. Elements are visited in
// row-major order of the logical shape, so that NCHW and NHWC outputs of one convolution give the same
// numbers and the same hash.
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

// All elements as doubles, allocated at once: a growing vector would need up to three times the memory, and
// end the process if there is no more. Error: not enough memory, or an error of element_count.
Result<std::vector<double>> dense_doubles(const ks_tensor& tensor, std::span<const ks_part> parts = {});

// XXH3-128 over the elements' own bytes, and over dtype and shape. `tensor` must have passed element_count.
Digest output_hash(const ks_tensor& tensor);

// Whether every element lies in memory that the variant got from `memory`, and there is at least one.
// `tensor` must have passed element_count.
bool lies_in(const GuardedMemory& memory, const ks_tensor& tensor);
// Whether they lie in private memory of this process that may be written, whoever it belongs to.
bool lies_in_writable_memory(const ks_tensor& tensor);
// Poisoning: every element is overwritten, of floats by a NaN and of whole numbers by bytes 0xA7, so that a
// call that does not compute it again is found. Requires that it lies in memory that may be written.
void poison(const ks_tensor& tensor);
// Number of elements that hold that pattern.
std::uint64_t poisoned_elements(const ks_tensor& tensor);
// Whether a call left elements of a poisoned output as they were: any of floats, a sixteenth of whole
// numbers, which hold the pattern now and then.
bool was_left(const ks_tensor& tensor);

// Number of elements that share a scale: those along the last `scale_dims` dimensions (ks_tolerance) of an
// array of this shape, all of them for 0 and below. Requires: the extents are those of an array that
// exists.
std::size_t elements_of_scale(std::span<const std::int64_t> shape, std::int32_t scale_dims);

// Elements that follow one another and share a scale and a tolerance.
struct Stretch {
  std::size_t elements = 0;
  double scale = 0;
  ks_tolerance tolerance{};
  double allowed = 0;  // |x - r|
};

struct Comparison {
  // Largest |x - r| / scale; where the scale is 0, of the whole output's scale, or |x - r| if that is 0,
  // too.
  double error = 0;
  double scale = 0;          // largest |r| of the slice that has element `worst`
  ks_tolerance tolerance{};  // of that slice
  double error_norm = 0;     // Euclidean ||x - r|| / ||r||, or ||x - r|| if ||r|| is 0; finite values only
  // Largest |x - r| / |r|. Nothing if an element has none: r is 0 and x is not, only one of them is finite,
  // or the quotient overflows.
  std::optional<double> error_element;
  std::uint64_t not_finite = 0;  // elements with NaN or infinity in x or r, unless both are equal
  std::uint64_t nan_count = 0;   // of x
  std::uint64_t inf_count = 0;   // of x
  double zero_share = 0;         // of x
  bool within = false;           // every |x - r| <= absolute + relative * scale
  // Position of the error that is the largest beside what is allowed there, or of the first `not_finite`
  // element.
  std::uint64_t worst = 0;
};

// Requires: x and r have equal sizes. If both are empty, `within` is true. `slice`: elements_of_scale(); 0:
// all.
Comparison compare(const std::vector<double>& x, const std::vector<double>& r,
                   const ks_tolerance& tolerance, std::size_t slice = 0);

// The same where elements have different tolerances; `error` is that of element `worst`. Requires: the
// stretches have as many elements as x.
Comparison compare(const std::vector<double>& x, const std::vector<double>& r,
                   std::span<const Stretch> stretches);

// "the output is all zeros", or all NaN or infinite, as after an overflow: there are elements, and no work
// can be seen in them. "" for all others. `tensor` must have passed element_count.
std::string_view empty_of(const ks_tensor& tensor, std::span<const ks_part> parts = {});
// The same of an output of which so much is known.
std::string_view empty_of(const Comparison& comparison, std::size_t elements);

// "error 0.37 exceeds 1e-05 at element 17 (got 3, reference 2.2)".
std::string describe(const Comparison& comparison, const std::vector<double>& x,
                     const std::vector<double>& r);

}  // namespace kernsweep
