// A comparison as a table, as text for the user, and as JSON.
#pragma once

#include <string>

#include "results/answer/compare/compare.hpp"
#include "results/read/rows.hpp"

namespace kernsweep {

// CompareAnswer::differing, a_median_s, b_median_s, ratio, low, high (NULL: not known), p, processes
// ("5/5"), verdict, processes_needed (NULL: decided, or not known), a_result, b_result. `whole`: for
// programs. Otherwise numbers are rounded, there are no result numbers, and processes_needed is included
// only if a pair is undecided.
RowSet table_of(const CompareAnswer& comparison, bool whole);

std::string text_of(const CompareAnswer& comparison, const CompareQuestion& question);
std::string to_json(const CompareAnswer& comparison);

}  // namespace kernsweep
