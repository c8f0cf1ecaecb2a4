// How two hosts or two pieces of software differ, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/read/reader.hpp"
#include "results/read/rows.hpp"

namespace kernsweep {

struct ProvenancePair {
  std::int64_t a = 0, b = 0;  // ids, each in its own database
};

// `table`: host or software. "cpu 'X' against 'Y'; microcode '1' against '2'" of the most frequent pair,
// and how many other pairs there are. Long texts are compared line by line; only lines that differ are
// printed. Errors: the database cannot be read.
Result<std::string> difference_between(Reader& a, Reader& b, const std::string& table,
                                       const std::vector<ProvenancePair>& pairs);

struct Shown;

// The differences of two results, apart from what was measured: one row (group, field, a, b) for each
// property of the point, the process, the software, the inputs and the host that differs; NULL if one side
// lacks the property. Texts of many lines (host, libraries, environments) are compared property by
// property, a library by its soname. Times, moments and the order of the jobs are left out, because they
// always differ. Pure.
RowSet provenance_changes(const Shown& a, const Shown& b);

// Likewise one row if the outputs differ by more than rounding: the hashes of both. Pure.
RowSet output_changes(const Shown& a, const Shown& b);

}  // namespace kernsweep
