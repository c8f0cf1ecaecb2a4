// The elements of an array, saved while others are in their place, in one pass over them.
//
// The others are such that a function which works on with what it finds does no harm: whole numbers are
// within the range of the array (they may be indices), floats have other signs and fractions. They follow
// from what was saved, so they are not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/api/pack.h"
#include "kernels/python/cpython_output.hpp"

namespace kernsweep::python {

// Whether a write to an element changes no other one.
bool are_distinct(const ks_tensor& tensor);

class SavedElements {
 public:
  SavedElements() = default;  // nothing

  // Saves the elements and overwrites them. `first` differs from one time to the next: what a call that
  // computes in place has made of the elements before must change, too. Where `earlier` has saved the same
  // elements, no more memory is taken: to touch it for the first time costs more than all else. Throws
  // std::bad_alloc. Requires: the memory may be written.
  SavedElements(const ks_tensor& tensor, Whole whole, std::uint64_t first, const SavedElements* earlier);

  std::size_t size() const { return size_; }
  struct Seen {
    std::uint64_t overwritten = 0, saved = 0;  // elements that are as they were made, as they were before
  };
  // `now`: of the same type and shape.
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
