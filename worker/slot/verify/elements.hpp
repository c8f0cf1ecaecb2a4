// The numbers of an output, read in place, in pieces, as doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/dtype.hpp"

namespace kernsweep {

// Consecutive elements of one type (ks_part).
struct OutputPart {
  std::uint64_t elements = 0;
  Dtype dtype = Dtype::f64;
  bool is_unsigned = false;
  std::int32_t scale = 0;
  bool is_whole() const { return !is_float(dtype); }
  friend bool operator==(const OutputPart&, const OutputPart&) = default;
};

// The parts of an output as a pack reports them.
std::vector<OutputPart> parts_from(std::span<const ks_part> parts);

// In row-major order of the logical shape. Copies share the memory. Any thread may read.
class Elements {
 public:
  Elements() = default;  // none
  Elements(std::vector<double> values);
  Elements(std::initializer_list<double> values);
  // 64 bits for each element, whose meaning its part defines. Requires that the parts have as many
  // elements.
  Elements(std::vector<std::int64_t> bits, std::vector<OutputPart> parts);
  // Requires that `tensor` has passed element_count; that `parts` is empty, or are_parts_of(); and that the
  // memory lives as long as all copies of this object. `keeper` may own it.
  explicit Elements(const ks_tensor& tensor, std::vector<OutputPart> parts = {},
                    std::shared_ptr<const void> keeper = {});

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Dtype dtype() const { return static_cast<Dtype>(tensor_.dtype); }  // as stored
  bool is_in_parts() const { return !parts_.empty(); }
  double operator[](std::size_t at) const;
  // The 64 bits of an element of an s64, which a double may round; nothing: it has another type.
  std::optional<std::int64_t> bits(std::size_t at) const;

  // Elements `first` to `first + count` as doubles: in place if they are doubles, else in `buffer`, which
  // must have room for `count`. Whole numbers beyond 2^53 are rounded.
  const double* read(std::size_t first, std::size_t count, double* buffer) const;

  std::size_t bytes() const { return size_ * size_of(dtype()); }
  // Writes bytes() bytes: the elements in their type, without gaps.
  void store(std::byte* to) const;
  // The same elements where store() has written them; `keeper` as above.
  Elements stored_at(const std::byte* place, std::shared_ptr<const void> keeper) const;

  // Whether both have equal numbers; a NaN equals nothing.
  friend bool operator==(const Elements& a, const Elements& b);

 private:
  void convert(std::size_t first, std::size_t count, double* to) const;
  std::size_t part_at(std::size_t at) const;

  ks_tensor tensor_{nullptr, KS_F64, 1, {0}, {1}};  // of one dimension if it has no gaps
  std::vector<OutputPart> parts_;                   // of a tensor of s64 that holds several types
  std::vector<std::size_t> begins_;                 // of each part
  std::shared_ptr<const void> keeper_;
  std::size_t size_ = 0;
};

}  // namespace kernsweep
