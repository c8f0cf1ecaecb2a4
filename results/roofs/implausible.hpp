// Results that get the grade X when an answer is computed, and that no answer uses:
//   - Results that no correct kernel can have: their kernel was distrusted, and the roofs of their host do
//     not allow the least work, as the reference's family declares it (ks_family::least), in this time.
//   - Results of a point that is wrong in other jobs (results/read/wrong_points.hpp).
// A stored grade cannot consider this, because roofs and other jobs may be measured later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/read/sweep_rows.hpp"

namespace kernsweep {

struct HostRoofs;

// By result.
class AllImplausible {
 public:
  // The results that a sweep uses, by the roofs of the same database. Reads the status of its jobs and, if
  // there are roofs and such a declaration, the calls of its results. Error: the database cannot be read.
  static Result<AllImplausible> of(Reader& reader, SweepId sweep);

  // Null: no objection is known.
  const Implausible* about(std::uint64_t result) const;
  const std::vector<Implausible>& all() const { return all_; }

 private:
  std::vector<Implausible> all_;  // sorted
};

// Why this result is not credible; nothing: it is. `least`: as in ks_family, of its distrust.
std::optional<std::string> why_implausible(Reader& reader, std::uint64_t result, std::string_view least,
                                           const std::vector<HostRoofs>& roofs);

// As read_rows, with the grades of these jobs.
Result<SweepRows> read_graded_rows(Reader& reader, const StoredSweep& sweep,
                                   std::vector<SweepColumn> columns, const std::string& extra = "",
                                   KeptJobs kept = KeptJobs::ok);

}  // namespace kernsweep
