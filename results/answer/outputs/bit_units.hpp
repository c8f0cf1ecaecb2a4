// The outputs of the points of a sweep, and which of them have the same bits: for `bits` and for claims.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "results/read/sweep_rows.hpp"

namespace kernsweep {

struct OutputBits {
  std::uint32_t hash = 0;   // a number for each hash of an output
  std::int64_t inputs = 0;  // text.id
  bool repeatable = true;   // its own repetitions gave the same bits
};
using OutputsOfResults = std::unordered_map<std::uint64_t, OutputBits>;

// Of each result of the sweep that has a hash. Error: the database cannot be read.
Result<OutputsOfResults> read_output_bits(Reader& reader, const StoredSweep& sweep);

// A point in one place, by index into SweepRows; or one job, where processes are compared.
struct BitUnit {
  std::uint32_t point = 0;
  std::uint16_t place = 0;
  std::uint64_t result = 0;  // of its first process
  OutputBits output;         // likewise; repeatable: in all processes, and between them
  std::uint32_t processes = 1;
  std::uint32_t other_hashes = 0;  // processes whose output differs from the first's
  std::uint64_t other_result = 0;  // of the first of these
};

class BitUnits {
 public:
  // What is compared besides the columns of the sweep.
  enum Place : std::uint8_t { kCache, kHost, kProcess, kSoftware, kPlaces };
  static constexpr std::string_view kPlaceNames[kPlaces] = {"cache", "host", "process", "software"};

  // `each_job`: processes of one point are units of their own. `rows` must outlive it.
  BitUnits(const SweepRows& rows, bool each_job) : rows_(rows), each_job_(each_job) {}
  void add(const SweepRows::Job& job, const OutputBits& output);

  const std::vector<BitUnit>& units() const { return units_; }
  // Columns are those of SweepRows, and behind them the places.
  std::size_t column_of(Place place) const { return rows_.columns.size() + place; }
  Value value(const BitUnit& unit, std::size_t column) const;
  bool is_constant(std::size_t column) const;

  struct LeftOut {
    std::uint64_t not_repeatable = 0;  // units that differ from themselves: they say nothing about a column
    std::uint64_t other_inputs = 0;    // pairs
  };
  // use(first, other) for each two units that differ in these columns, and in nothing else but what depends
  // on them: parameters that are NULL for some of their values and not for others. In each group of units
  // that agree in all else, all are compared with the first. The software counts where a point was measured
  // by several kinds (results/read/software_classes.hpp), or between processes.
  LeftOut compare(const std::vector<std::size_t>& columns,
                  const std::function<void(const BitUnit&, const BitUnit&)>& use) const;

 private:
  std::size_t width() const { return rows_.columns.size() + kPlaces + 1; }
  std::vector<char> dependent_on(const std::vector<std::size_t>& columns) const;

  const SweepRows& rows_;
  bool each_job_;
  std::vector<BitUnit> units_;
  // Of each unit its columns, and behind them the software that counts, 0: any.
  std::vector<std::uint32_t> codes_;
  std::unordered_map<std::uint64_t, std::size_t> unit_at_, unit_in_spot_;  // by point and place, or spot
};

}  // namespace kernsweep
