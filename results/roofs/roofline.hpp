// How close a result is to the limits of its host: the roofline model (S. Williams, A. Waterman, D.
// Patterson, "Roofline: An Insightful Visual Performance Model for Multicore Architectures", Communications
// of the ACM 52(4), 2009), with measured roofs. Pure functions; no database.
//
// A call with `flops` operations and `bytes` of compulsory traffic takes at least
//   max(flops / peak, bytes / bandwidth)
// Its share of the roof is this time divided by the measured time. That equals its GFLOP/s divided by
// min(peak, flops / bytes * bandwidth), but is also defined for a copy, which has no operations.
//
// Choice of the bandwidth: after a run with the same operands these are in the smallest cache that can hold
// them. So a hot result is compared with that cache level. A result that fits into no cache, or that was
// measured cold, is compared with memory. The bandwidth of a cache is measured with data of half its size,
// so a level holds twice the bytes with which it was measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct Limit {
  double rate = 0;  // 1e9 operations or bytes per second
  std::string by;   // the measurement that reached it: "avx512", "triad, non-temporal"
  char grade = 0;   // grade of that measurement; ' ': not graded; 0: no measurement
};

struct MemoryLevel {
  std::string name;  // "L1", ..., "memory"
  double bytes = 0;  // total size of the data of all threads that it was measured with
  Limit limit;
};

// The roofs of one host with one number of threads.
struct Roofs {
  std::map<std::string, Limit> peaks;  // by data type
  std::vector<MemoryLevel> levels;     // in any order

  // Both keep the faster limit: a roof is the best rate that was reached.
  void add_peak(const std::string& dtype, const Limit& limit);
  void add_level(const MemoryLevel& level);
};

inline constexpr const char* kMemory = "memory";  // name of the level that holds data of any size

struct Call {
  std::string dtype;   // empty: not known
  double flops = 0;    // operations of one call; 0 or NaN: none or not known
  double bytes = 0;    // compulsory traffic of one call; 0 or NaN: none or not known
  double seconds = 0;  // median of one call
  bool cold = false;
  bool on_gpu = false;
};

// What limits a call: the lower of the two roofs. If the call is very short and far below both roofs, its
// time is mostly spent outside the computation: `overhead`, or on a GPU `launch` (starting its kernels).
enum class Bound : std::uint8_t { compute = 1, memory, overhead, launch };
std::string_view name_of(Bound bound);

inline constexpr double kOverheadShare = 0.1;      // with a share of the roof below this ...
inline constexpr double kOverheadSeconds = 20e-6;  // ... and a time below this: overhead or launch

// A share above the first one means that the call did less work than its kernel declares, or that the roof
// is too low. The second one is for the tensor cores of a GPU, whose roof is that of products of one warp
// (`mma.sync`): since compute capability 9.0 libraries have faster instructions.
inline constexpr double kAboveRoof = 1.05, kAboveWarpRoof = 2;

struct RoofShare {
  double share = 0;  // above 1: faster than the measured roof
  Bound bound = Bound::compute;
  double intensity = 0;     // operations per byte; infinite without traffic
  double roof_seconds = 0;  // shortest time of one call that the roofs allow
  std::string roof;         // name of the lower roof: "f32 peak" or "L2 bandwidth"
  Limit limit;              // of the lower roof
  double doubted_above = kAboveRoof;
};

// Error: the reason why there is no share; it begins in lower case and names what is missing.
Result<RoofShare> share_of_roof(const Roofs& roofs, const Call& call);

// Least numbers of a call, which hold for every correct kernel (ks_family::least).
struct Least {
  bool flops = false, bytes = false;
};

// The share if only the least work of the call is counted; above 1 it is impossible. The fastest peak of
// all data types is used, because a tolerance may permit another type. Bytes that caches may hold are not
// counted: operands that were just written, and an output that is not yet written back. That is twice the
// size of all caches, estimated as four times the largest one, and at least the size that the bandwidth of
// memory was measured with. Nothing: no such number, no roof for it that is graded A or B, all bytes fit,
// or the call was on a GPU, whose copies were not generated again.
// A or B, all bytes fit, or the call was on a GPU, whose copies were not drawn again.
std::optional<RoofShare> share_of_least(const Roofs& roofs, const Call& call, Least least);

}  // namespace kernsweep
