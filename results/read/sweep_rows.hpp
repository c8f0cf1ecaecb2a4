// The measured jobs of one sweep in memory, read in one pass: the input of best, effects and comparisons.
//
// The values of a point are stored once, as codes (ValueCodes); each job refers to its point by index. So a
// point's values are read once, however many jobs it has.
//
// Memory: 48 bytes per job, 8 bytes per point and 4 bytes per value of a point; up to twice as much while
// rows are sorted. Not shared between threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "results/read/point_table.hpp"
#include "results/read/reader.hpp"
#include "results/read/value_codes.hpp"
#include "shared/base/outcome.hpp"

namespace kernsweep {

// A result that gets the grade X when an answer is computed: results/roofs/implausible.hpp.
struct Implausible {
  std::uint64_t result = 0;
  std::string reason;         // with both rates; or the point, and how many of its jobs are wrong
  bool beside_wrong = false;  // its point is wrong in other jobs
};

struct SweepRows {
  struct Job {
    std::uint32_t point = 0;  // index into `positions`
    std::uint16_t place = 0;  // index into `places`
    char grade = 0;           // 'A' to 'C'; 'X': not to be believed; 0: not graded
    Outcome outcome = Outcome::ok;
    double median_s = 0;        // seconds per call; NaN: not known
    double gflops = 0;          // GFLOP/s; NaN: not known
    std::uint64_t result = 0;   // number of the attempt that gave the outcome
    double extra = 0;           // the additional number (see read_rows); NaN: not known
    std::uint32_t process = 0;  // index among the processes of its point: its block
  };
  // Cache state, kind of host and class of software. Numbers of different places are never combined.
  struct Place {
    Value cache;
    std::uint32_t cache_code = 0;     // the same number for the same state
    std::int64_t host_id = 0;         // the host of the first job; with `hosts: each` the host of all jobs
    std::int64_t software_id = 0;     // the software of the first job (results/read/software_classes.hpp)
    std::int64_t host_kind = 0;       // the first id of its kind; with `hosts: each` of the host
    std::int64_t software_class = 0;  // the first id of its class
    std::uint16_t spot = 0;  // number of (cache, host): places with one spot differ only in software
  };

  std::vector<SweepColumn> columns;      // the requested ones, and `variant`
  std::size_t variant = 0;               // index of `variant` in `columns`
  std::vector<ValueCodes> values;        // one per column
  std::vector<std::uint64_t> positions;  // position of each point in the sweep
  std::vector<std::uint32_t> codes;      // point p, column c: codes[p * columns.size() + c]
  std::vector<Place> places;
  std::uint16_t spots = 0;
  std::vector<Job> jobs;                 // sorted as file_order() describes
  std::uint64_t read = 0;                // rows read, those that were left out included
  std::uint64_t not_ok = 0;              // rows whose status is not ok
  std::vector<Implausible> implausible;  // why jobs are graded X; filled in by read_graded_rows()

  // columns.size(): there is none of that name in the sweep file.
  std::size_t column_named(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(columns, name, &SweepColumn::name) - columns.begin());
  }
  std::uint32_t code(std::uint32_t point, std::size_t column) const {
    return codes[point * columns.size() + column];
  }
  const Value& value(std::uint32_t point, std::size_t column) const {
    return values[column].values()[code(point, column)];
  }
};

// Whether jobs whose status is not ok are left out.
enum class KeptJobs : std::uint8_t { ok, all };

// Requires that `columns` come from Reader::columns of this sweep. `extra`: an SQL expression over `outcome
// o`, `attempt_row r` and `conditions c` for Job::extra; if it is empty, only `outcome` is read. Errors:
// the database cannot be read.
Result<SweepRows> read_rows(Reader& reader, const StoredSweep& sweep, std::vector<SweepColumn> columns,
                            const std::string& extra = "", KeptJobs kept = KeptJobs::ok);

// All jobs of one point in one place (cache state, kind of host, class of software), combined. The numbers
// are medians over processes, because samples of one process are not independent; units as in Job.
struct Candidate {
  std::uint32_t point = 0;
  std::uint16_t place = 0;
  std::uint32_t processes = 1;
  double median_s = 0;
  double gflops = 0;
  std::uint64_t result = 0;  // of the first job
  double extra = 0;
};
// The candidates in the order of their first jobs; jobs for which `keep` returns false are left out.
// `of_job`: of each job the index of its candidate; UINT32_MAX: it was left out.
std::vector<Candidate> candidates_of(const SweepRows& rows,
                                     const std::function<bool(const SweepRows::Job&)>& keep,
                                     std::vector<std::uint32_t>& of_job);

// One entry per candidate: 1 if its point was measured in the same spot by other software, too. Returns an
// empty vector if there is no such candidate.
std::vector<char> of_several_software(const SweepRows& rows, const std::vector<Candidate>& candidates);

}  // namespace kernsweep
