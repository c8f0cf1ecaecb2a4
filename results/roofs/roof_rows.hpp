// The roofs that a results database holds, and the results of a database held against them.
//
// Roofs are the rows of every sweep of the kernel `roof` (`kernsweep roofs`): those of its op `fma` give
// the peak of a data type, the others the bandwidth of the level that their `label` names. A roof is the
// work over the fastest sample, the best of all that was measured: medians would be beaten by results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/answer/best.hpp"
#include "results/read/reader.hpp"
#include "results/read/rows.hpp"
#include "results/read/show.hpp"
#include "results/roofs/roofline.hpp"

namespace kernsweep {

struct HostRoofs {
  std::string host;          // its name
  std::string cpu;           // its processor
  std::string gpu;           // its card; empty: these are the roofs of the processor
  std::string fingerprint;   // hexadecimal: what tells hosts apart, in any database
  std::int64_t threads = 1;  // 1 for a GPU, whose results have the same roofs with any number
  Roofs roofs;
};

// In the order of hosts, the processor first, then of threads; empty: the database holds none.
Result<std::vector<HostRoofs>> read_roofs(Reader& reader);

// Those of the database at `path`, or with an empty one of the reader's own.
Result<std::vector<HostRoofs>> roofs_for(Reader& reader, const std::string& path);

// What was measured as one row each: host, gpu (NULL: the processor), threads, roof ("f32", "L2"), rate
// (1e9 per second), unit, by, bytes (NULL for a peak), grade.
RowSet rows_of(const std::vector<HostRoofs>& all);

// The share of one result, held against the card that its process had, or the processor. `roofs` may come
// from another database. `dtype`: for sweeps without such a column. The error says what is missing; with no
// roofs at all, also how to measure them.
Result<RoofShare> share_of_result(Reader& reader, std::uint64_t result, const std::vector<HostRoofs>& roofs,
                                  const std::string& dtype);

// The best point of each problem of a sweep (results/answer/best.hpp): its rows with share, bound, roof
// and, where there is no share, why, instead of what holds it against others.
Result<BestAnswer> shares_of_sweep(Reader& reader, const std::string& sweep,
                                   const std::vector<HostRoofs>& roofs, const std::string& dtype,
                                   char worst_grade = 'B');

// Adds the section "roof" to a result that has a time: its share in one line or as numbers, or why there is
// none.
enum class Detail : std::uint8_t { line = 1, numbers };
void add_share(Shown& shown, Reader& reader, const std::vector<HostRoofs>& roofs, Detail detail);

// "63.0 % of the f32 peak, 117.9 GFLOP/s (avx512): compute"
std::string sentence(const RoofShare& share);

}  // namespace kernsweep
