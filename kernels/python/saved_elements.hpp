// Saves the elements of an array and overwrites them with others, in one pass.
//
// The others do no harm in a function that uses them: whole numbers are within the range of the array (they
// may be indices), floats have other signs and fractions. They are computed from what was saved, so they
// are not stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/api/pack.h"
#include "kernels/python/cpython_output.hpp"

namespace kernsweep::python {

// Whether a write to an element changes no other element.
bool are_distinct(const ks_tensor& tensor);

class SavedElements {
 public:
  SavedElements() = default;  // nothing

  // Saves the elements and overwrites them. `first` differs between calls: what an in-place call has made
  // of the previous elements must change, too. If `earlier` has saved the same elements, its memory is
  // reused: the first access to new memory costs more than all else. Throws std::bad_alloc. Requires
  // writable memory.
  SavedElements(const ks_tensor& tensor, Whole whole, std::uint64_t first, const SavedElements* earlier);

  std::size_t size() const { return size_; }
  struct Seen {
    std::uint64_t overwritten = 0, saved = 0;  // elements that are as they were made, as they were before
  };
  // `now` must have the same type and shape.
  Seen seen_in(const ks_tensor& now) const;
  void write_back(const ks_tensor& now) const;

 private:
  template <class Kind>
  void take(const ks_tensor& tensor);
  bool has_saved(const ks_tensor& tensor, Whole whole) const;

  ks_dtype dtype_ = KS_U8;
  Whole whole_ = Whole::as_dtype;
  std::uint64_t first_ = 0;
  std::uint64_t low_ = 0, range_ = 0;  // of whole numbers: the least, and the most less it
  std::size_t size_ = 0;
  std::shared_ptr<char> saved_;    // dense
  std::vector<char> overwritten_;  // only if elements are not distinct: what is there then
};

}  // namespace kernsweep::python
