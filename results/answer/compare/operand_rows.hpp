// The measured points of one side of a comparison, read in one pass: a point, in one state of the caches,
// on one kind of host, by one class of software, with the times of its processes. Values, hosts, software
// and inputs are small numbers that mean the same on both sides, also when these lie in two databases.
//
// Memory: 44 bytes per job, 72 bytes and 4 per value for each point.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "results/answer/compare/operand.hpp"
#include "results/answer/stored_spread.hpp"
#include "results/read/software_classes.hpp"
#include "results/read/value_codes.hpp"
#include "results/roofs/implausible.hpp"
#include "shared/base/digest.hpp"

namespace kernsweep {

// What the numbers mean.
struct SideWords {
  std::vector<std::string> names;              // parameters of both sweeps; `variant` is the first
  std::vector<ValueCodes> values;              // of each
  ValueCodes caches, hosts, software, inputs;  // fingerprints, identities, texts of hashes
  ValueCodes metrics;                          // throughput, latency; 0: not known
  SoftwareClasses classes;
  explicit SideWords(std::vector<std::string> parameters)
      : names(std::move(parameters)), values(names.size()) {
    metrics.of({});
  }
};
// `variant` and all parameters of the sides, without derived values.
std::vector<std::string> parameters_of(const FoundSide& a, const FoundSide& b);

struct SidePoint {
  std::uint32_t cache = 0, host = 0, software = 0, inputs = 0;
  std::uint32_t times_begin = 0, times_end = 0;  // in `times`
  std::uint64_t result = 0;                      // of its first job
  std::int64_t host_id = 0, software_id = 0;     // in its own database
  std::uint32_t metric = 0;                      // of the first job of which it is known
  bool quick = false;
  bool mixed_software = false;  // a later job was measured by other software of the same class
  std::uint32_t software_class = 0;
  std::uint32_t spot = 0;  // the same for points that differ in nothing but the class of software
};

struct SideRows {
  std::size_t width = 0;
  std::vector<StandsFor> stands_for;   // of each value
  std::vector<std::uint32_t> codes;    // point p, value c: codes[p * width + c]
  std::vector<SidePoint> points;       // in the order met in the sweep
  std::vector<double> times;           // medians in seconds: of each point together, in process order
  std::vector<std::uint64_t> results;  // of each of the times
  std::vector<double> costs;           // likewise: what a disturbance may have cost it (DisturbedResults)
  std::vector<std::uint32_t> blocks;   // likewise: the ordinal of its process
  // Of each of the times: the same wherever the same measurement is stored, in a copy of the file too.
  std::vector<Digest> measurements;
  std::uint64_t read = 0, failed = 0, graded_below = 0;  // rows; the latter two are left out
  std::uint64_t disturbed = 0;                           // rows that count, with what that may have cost
  std::vector<Implausible> implausible;                  // of those graded below
  std::uint32_t spots = 0;                               // fewer than points: see SidePoint::spot

  // What one of these lists has of a point.
  template <class Each>
  static std::span<const Each> of(const SidePoint& point, const std::vector<Each>& all) {
    return std::span(all).subspan(point.times_begin, point.times_end - point.times_begin);
  }
};

// `where`: SQL over the columns of the sweep's view, empty: all. Rows graded worse than `worst_grade` are
// left out and counted, but those that were measured under disturbance. Errors: SQLite's, about `where`
// above all.
Result<SideRows> read_side(Reader& reader, const FoundSide& side, const std::string& where,
                           char worst_grade, SideWords& words);

// What a point's processes are like: its threads, its state of the caches and its host.
StoredSpread::Stratum stratum_of(const SideWords& words, const SideRows& rows, std::uint32_t point);

}  // namespace kernsweep
