// The measured jobs of one sweep in memory, read in one pass: what best, effects and comparisons
// count on.
//
// Each point stands once with its values, as numbers (ValueCodes); each job names its point. So a point's
// values are looked at once, however many jobs it has.
//
// Memory: 48 bytes per job, 4 bytes per value of a point. Not shared between threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/read/reader.hpp"
#include "results/read/value_codes.hpp"

namespace kernsweep {

struct SweepRows {
  // A job whose status is ok.
  struct Job {
    std::uint32_t point = 0;   // card: position in `positions`
    std::uint16_t place = 0;   // position in `places`
    char grade = 0;            // 0: none
    double median_s = 0;       // s; NaN: not known
    double gflops = 0;         // GFLOP/s; NaN: not known
    std::uint64_t result = 0;  // of the attempt that gave the outcome
    double extra = 0;          // what was asked for besides; NaN: not known
  };
  // Where, how and by what it was measured: numbers of two places are never taken together.
  struct Place {
    Value cache;
    std::int64_t host_id = 0;      // of the first job: one host of the kind, with `hosts: each` the host
    std::int64_t software_id = 0;  // of the first job: one of its class (results/read/software_classes.hpp)
    std::uint16_t spot = 0;        // places of one spot differ in nothing but the software
  };

  std::vector<SweepColumn> columns;      // those asked for, and `variant`
  std::size_t variant = 0;               // its place among the columns
  std::vector<ValueCodes> values;        // of each column
  std::vector<std::uint64_t> positions;  // in the sweep, of each point; in the order met
  std::vector<std::uint32_t> codes;      // point p, column c: codes[p * columns.size() + c]
  std::vector<Place> places;
  std::uint16_t spots = 0;
  std::vector<Job> jobs;     // in the order of the sweep
  std::uint64_t read = 0;    // rows, those left out included
  std::uint64_t not_ok = 0;  // of them, left out

  std::uint32_t code(std::uint32_t point, std::size_t column) const {
    return codes[point * columns.size() + column];
  }
  const Value& value(std::uint32_t point, std::size_t column) const {
    return values[column].values()[code(point, column)];
  }
};

// Requires that the columns are the sweep's (Reader::columns). `extra`: one more number of each job, as SQL
// over `outcome o`, `attempt_row r` and `conditions c`; empty: none, and then only the first is read.
// Errors: the database cannot be read.
Result<SweepRows> read_rows(Reader& reader, const StoredSweep& sweep, std::vector<SweepColumn> columns,
                            const std::string& extra = "");

// The jobs of one point in one place (cache, kind of host, class of software), taken together: the median
// over processes, because samples of one process are not independent.
struct Candidate {
  std::uint32_t point = 0;
  std::uint16_t place = 0;
  std::uint32_t processes = 1;
  double median_s = 0;
  double gflops = 0;
  std::uint64_t result = 0;  // of its first job
  double extra = 0;
};
// In the order in which they are met in the sweep; jobs that `keep` refuses are left out.
std::vector<Candidate> candidates_of(const SweepRows& rows,
                                     const std::function<bool(const SweepRows::Job&)>& keep);

// 1 for each candidate whose point was measured in the same spot by other software too; empty: there is
// none.
std::vector<char> of_several_software(const SweepRows& rows, const std::vector<Candidate>& candidates);

// Equal rows of codes get equal numbers, counted from 0 in the order met. `row(i)` points to `width` codes;
// `skipped` (none: width) is the one column that does not count.
class RowNumbers {
 public:
  explicit RowNumbers(std::size_t width, std::size_t skipped) : width_(width), skipped_(skipped) {}
  // `codes` must live as long as this object.
  std::uint32_t number(const std::uint32_t* codes);
  std::uint32_t size() const { return table_.size(); }

 private:
  std::size_t width_, skipped_;
  CodeTable table_;
  std::vector<const std::uint32_t*> first_;  // of each number
};

}  // namespace kernsweep
