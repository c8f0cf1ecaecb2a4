// Reads the roofs of a results database, and compares results with them.
//
// Roofs come from the accepted results, with hot caches, of all sweeps of the kernel `roof` (`kernsweep
// roofs`). Its op `fma` gives the peak of a data type; the other ops give the bandwidth of the memory level
// that `label` names. A roof is the work of a call divided by the time of the fastest sample of all
// measurements, because results could exceed a roof that was computed from medians.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/read/reader.hpp"
#include "results/read/rows.hpp"
#include "results/read/show.hpp"
#include "results/roofs/roofline.hpp"

namespace kernsweep {

struct HostRoofs {
  std::string host;          // name of the host
  std::string cpu;           // model of its processor
  std::string gpu;           // the card (cards_of_gpus); empty: these are roofs of the processor
  std::string fingerprint;   // of the host, in hexadecimal digits; comparable between databases
  std::int64_t threads = 1;  // always 1 for a GPU: its roofs do not depend on the number of threads
  Roofs roofs;
};

// Sorted by host, then the processor before GPUs, then by threads. Empty if the database has no roofs.
Result<std::vector<HostRoofs>> read_roofs(Reader& reader);

// The roofs of the database at `path`; if `path` is empty, those of the reader's own database.
Result<std::vector<HostRoofs>> roofs_for(Reader& reader, const std::string& path);

// One row per roof: host, gpu (NULL: the processor), threads, roof ("f32", "L2"), rate (1e9 per second),
// unit, by, bytes (NULL for a peak), grade.
RowSet rows_of(const std::vector<HostRoofs>& all);

// The call of a result, and the roofs that it is compared with, which are part of `roofs`.
struct CallOfResult {
  const Roofs* roofs = nullptr;
  Call call;
  bool disturbed = false;  // graded C
};
// Arguments as for share_of_result.
Result<CallOfResult> call_of_result(Reader& reader, std::uint64_t result,
                                    const std::vector<HostRoofs>& roofs, const std::string& dtype);

// The share of the roof that one result reaches, on the card that its process used or else on the
// processor. `roofs` may come from another database. `dtype` is used if the sweep has no such column; if it
// is empty, the type of the first input is used. Error: what is missing; if the host has no roofs, also the
// command that measures them.
Result<RoofShare> share_of_result(Reader& reader, std::uint64_t result, const std::vector<HostRoofs>& roofs,
                                  const std::string& dtype);

// Adds the section "roof" to a result that has a time: its share as one line or as numbers, or the reason
// why there is none. A result above its roof gets B instead of A, or X if it is not credible
// (implausible.hpp), and the reason: its stored grade cannot consider roofs that were measured later.
enum class Detail : std::uint8_t { line = 1, numbers };
void add_share(Shown& shown, Reader& reader, const std::vector<HostRoofs>& roofs, Detail detail);

// A rate in the unit of the roof, with it: "117.9 GFLOP/s".
std::string rate_text(const RoofShare& share, double rate);

// "63.0 % of the f32 peak, 117.9 GFLOP/s (avx512): compute"
std::string sentence(const RoofShare& share);

// Why a result above its roof (kAboveRoof) has the grade B at best, with both rates: "130 GFLOP/s are above
// the measured f32 peak, 117.9 GFLOP/s (avx512)". Nothing for all others.
std::optional<std::string> above_roof(const RoofShare& share);

}  // namespace kernsweep
