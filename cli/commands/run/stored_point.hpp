// The point of a stored job, made anew from the sweep that is stored with it.
#pragma once

#include <string>

#include "language/space/expansion.hpp"
#include "results/read/stored_job.hpp"

namespace kernsweep {

struct StoredPoint {
  StoredJob job;
  Replacements replacements;  // those that the sweep was run with
  Expansion expansion;        // of the whole sweep
  Point point;
  Expansion::Job place;  // its position in the sweep, its cache, its process
  bool same_key = true;  // false: this version would measure it by other rules than were used then
};

// `which` as result_number takes it. Errors: what stored_job says; a sweep that cannot be read again, such
// as for a table that is gone; a point whose values are others now, because a table has changed since.
Result<StoredPoint> stored_point(Reader& reader, const std::string& which);

// The tables that were stored with a sweep, for Expansion::parse; null: it reads none, or an older version
// did not keep them, and they are looked up as files.
const std::vector<TextFile>* tables_of(const SweepRecord& record);

// A sweep as it was stored, with its replacements.
struct StoredTask {
  Expansion expansion;
  Replacements replacements;
};
Result<StoredTask> task_of(const StoredSweep& stored);

}  // namespace kernsweep
