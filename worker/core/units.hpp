// The cores and GPUs of a host as one set, because the same rules apply to both: which are free, owned or
// kept quiet.
#pragma once

#include <bitset>
#include <cstddef>

namespace kernsweep::worker {

constexpr std::size_t kCoresMax = 1024;
constexpr std::size_t kGpusMax = 64;

// Bit i: i-th core that the worker owns, not the system's number. Bit kCoresMax + i: its i-th GPU.
using UnitSet = std::bitset<kCoresMax + kGpusMax>;

inline const UnitSet& every_gpu() {
  static const UnitSet gpus = ~UnitSet() << kCoresMax;
  return gpus;
}
inline std::size_t count_gpus(const UnitSet& units) {
  return (units >> kCoresMax).count();
}
inline std::size_t count_cores(const UnitSet& units) {
  return (units & ~every_gpu()).count();
}

}  // namespace kernsweep::worker
