// Keeps the cache cold without emptying it: calls use several copies of a job's operands in turn, each with
// a prepared state of its own. There are so many that, before a copy is used again, the others have
// replaced the content of the last-level cache three times. The copies belong to the host and are mapped
// like the operands (operands.hpp).
//
// Why not only empty the caches before each sample: then a sample is one call, and calls of 100 us or less
// cannot be timed well. Why not always rotate: small operands would need thousands of copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/api/pack.h"

namespace kernsweep {

constexpr std::size_t kCopiesMax = 16;
constexpr std::uint64_t kCacheCover = 3;  // times the last-level cache

// Number of states, the original included, for operands of `footprint` bytes, so that the operands of all
// other states are kCacheCover times as large as the cache. 0: more than kCopiesMax, or a size is unknown.
std::size_t copies_needed(std::uint64_t footprint, std::uint64_t llc_bytes);

class Rotation {
 public:
  Rotation() = default;
  Rotation(const Rotation&) = delete;
  Rotation& operator=(const Rotation&) = delete;
  ~Rotation() { clear(); }

  // Makes a state for each copy of the operands and runs it once, so that no page is new when it is timed.
  // `prepare` calls the variant's prepare for other operands. False: it failed, and no state is kept. The
  // copies must stay mapped until clear().
  bool make(const ks_variant& variant, const std::vector<std::vector<ks_tensor>>& copies,
            const std::function<bool(const std::vector<ks_tensor>&, void*& state)>& prepare);
  const std::vector<void*>& states() const { return states_; }
  void clear();

 private:
  const ks_variant* variant_ = nullptr;
  std::vector<void*> states_;
};

}  // namespace kernsweep
