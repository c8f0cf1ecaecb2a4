// How near to what its host can do a result is: the roofline model (S. Williams, A. Waterman, D. Patterson,
// "Roofline: An Insightful Visual Performance Model for Multicore Architectures", Communications of the ACM
// 52(4), 2009), with measured roofs. Numbers in, numbers out; no database.
//
// A call that does `flops` operations on `bytes` of compulsory traffic cannot take less than
//   max(flops / peak, bytes / bandwidth)
// so its share of the roof is that time over the time it took: the same as its GFLOP/s over
// min(peak, flops / bytes * bandwidth), but also defined for a copy, which has no operations.
//
// Which bandwidth: after a run that touched the same operands they lie in the smallest cache that holds
// them, so a hot result is held against that level, and only what fits in none, or was measured cold,
// against the memory. Caches are measured with half their size; so a level holds twice what it was measured
// with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct Limit {
  double rate = 0;  // 1e9 operations or bytes per second
  std::string by;   // what reached it: "avx512", "triad, non-temporal"
  char grade = 0;   // of that measurement; 0: none
};

struct MemoryLevel {
  std::string name;  // "L1", ..., "memory"
  double bytes = 0;  // of all threads together, that it was measured with
  Limit limit;
};

// Of one host with one number of threads.
struct Roofs {
  std::map<std::string, Limit> peaks;  // by data type
  std::vector<MemoryLevel> levels;     // in any order

  // The faster one stays: a roof is what has been reached at best.
  void add_peak(const std::string& dtype, const Limit& limit);
  void add_level(const MemoryLevel& level);
};

inline constexpr const char* kMemory = "memory";  // the level that holds everything

struct Call {
  std::string dtype;   // empty: not known
  double flops = 0;    // of one call; 0 or NaN: none or not known
  double bytes = 0;    // the same
  double seconds = 0;  // median of one call
  bool cold = false;
  bool on_gpu = false;
};

// What a call is limited by: the lower roof; or neither, when it is so short and so far below both that
// what surrounds the computation counts: overhead; on a GPU that is starting its kernels: launch.
enum class Bound : std::uint8_t { compute = 1, memory, overhead, launch };
std::string_view name_of(Bound bound);

inline constexpr double kOverheadShare = 0.1;      // below this share of the roof ...
inline constexpr double kOverheadSeconds = 20e-6;  // ... and shorter than this: overhead or launch

struct RoofShare {
  double share = 0;  // above 1: faster than what was measured as roof
  Bound bound = Bound::compute;
  double intensity = 0;     // operations per byte; infinite without traffic
  double roof_seconds = 0;  // the least that the roofs allow for one call
  std::string roof;         // the lower one: "f32 peak" or "L2 bandwidth"
  Limit limit;              // that one's
};

// Error: why there is none; begins in lower case and names what is missing.
Result<RoofShare> share_of_roof(const Roofs& roofs, const Call& call);

}  // namespace kernsweep
