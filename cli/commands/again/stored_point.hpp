// Computes the point of a stored job again from the stored sweep.
#pragma once

#include <string>

#include "language/space/expansion.hpp"
#include "results/read/stored_job.hpp"

namespace kernsweep {

struct StoredPoint {
  StoredJob job;
  Replacements replacements;  // with which the sweep was run
  Expansion expansion;        // of the whole sweep
  Point point;
  Expansion::Job place;  // position in the sweep, cache state and process number
  bool same_key = true;  // false: this version would measure the job by other rules
};

// `which` as for result_number. Errors: those of stored_job; the sweep cannot be read again, for example
// because a table is missing; the point has other values now, because a table has changed.
Result<StoredPoint> stored_point(Reader& reader, const std::string& which);

// The tables that were stored with a sweep, for Expansion::parse; owned by `record`. nullptr: it reads
// none, or an older version did not store them; then they are read from files.
const std::vector<TextFile>* tables_of(const SweepRecord& record);

// A stored sweep, parsed again, with its replacements.
struct StoredTask {
  Expansion expansion;
  Replacements replacements;
};
Result<StoredTask> task_of(const StoredSweep& stored);

}  // namespace kernsweep
