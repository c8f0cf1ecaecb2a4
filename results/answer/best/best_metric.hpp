// The data that `best` reads from the database: the metric of its question. Private to results/.
#pragma once

#include <string>
#include <string_view>

#include "results/answer/best/best.hpp"

namespace kernsweep {

std::string name_in(const BestQuestion& question);
// SQL over the tables of read_rows; empty: the rows contain it.
std::string stored_in(const BestQuestion& question);
// Of a job, or of a candidate, that was read with it; NaN: it has none.
double metric_in(BestMetric metric, const auto& of) {
  if (metric == BestMetric::gflops) return of.gflops;
  return metric == BestMetric::median_s ? of.median_s : of.extra;
}
Better better_in(const BestQuestion& question);
// "s", "GFLOP/s", "GB/s", "J", "B"; for a counted metric as declared, or by the end of its name; empty: not
// known. Error: the database cannot be read.
Result<std::string> unit_in(Reader& reader, const BestQuestion& question);

// An answer that says what is asked of which sweep, and no more.
BestAnswer answer_about(const StoredSweep& sweep, const BestQuestion& question);

// Why a job may lack a metric, behind its name; empty: nothing is known of that.
std::string reason_of_lack(std::string_view metric);

}  // namespace kernsweep
