// A cold cache without walking over one: as many copies of a job's operands, each with a prepared state of
// its own, that by the time a call meets the same copy again three times the last-level cache has gone by.
// The copies are the host's, mapped like the operands themselves (operands.hpp).
//
// Why not only walk over a buffer before each sample: then a sample is one call, and what takes 100 us or
// less cannot be timed well. Why not always rotate: small operands would need thousands of copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/api/pack.h"

namespace kernsweep {

constexpr std::size_t kCopiesMax = 16;
constexpr std::uint64_t kCacheCover = 3;  // times the last-level cache

// States that rotate, the original among them, for operands of `footprint` bytes: so many that the others'
// operands cover the cache kCacheCover times. 0: more than kCopiesMax would be needed, or a size is not
// known.
std::size_t copies_needed(std::uint64_t footprint, std::uint64_t llc_bytes);

class Rotation {
 public:
  Rotation() = default;
  Rotation(const Rotation&) = delete;
  Rotation& operator=(const Rotation&) = delete;
  ~Rotation() { clear(); }

  // Makes a state for each copy of the operands and runs it once, so that no page is new when it is timed.
  // `prepare` is the variant's, for other operands. False, and none is kept: the variant did not want to.
  // The copies stay mapped until clear().
  bool make(const ks_variant& variant, const std::vector<std::vector<ks_tensor>>& copies,
            const std::function<bool(const std::vector<ks_tensor>&, void*& state)>& prepare);
  const std::vector<void*>& states() const { return states_; }
  void clear();

 private:
  const ks_variant* variant_ = nullptr;
  std::vector<void*> states_;
};

}  // namespace kernsweep
