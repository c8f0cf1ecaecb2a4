// The rows of `best` as columns of a table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/answer/best/best.hpp"
#include "results/answer/roof_shares.hpp"
#include "results/read/rows.hpp"

namespace kernsweep {

struct BestColumn {
  // User-defined columns come first: parts of the problem and settings may have any name, also `result`.
  enum class Kind : std::uint8_t {
    problem,
    place,    // cache, host, software
    setting,  // variant, and the settings
    number,   // median_s, gflops, the metric if it is another one, verdict, outputs, result
    evidence  // bounds, the runner-up and how far behind it is, numbers of processes
  };
  std::string name;
  Kind kind;
  std::function<Value(const BestRow&)> of;  // NULL: not known, or there is none
};

// Columns of BestAnswer::by first, then those of the places in which the points differ, then all others.
// `answer` must outlive them.
std::vector<BestColumn> columns_of(const BestAnswer& answer);

RowSet table_of(const std::vector<BestRow>& rows, const std::vector<BestColumn>& columns);

// Without the evidence, but with the columns share, bound, roof and why (the reason if there is no share).
RowSet table_of(const SweepShares& shares);
// Removes the column `why` from such a table if several rows have one reason and no row has another one,
// and returns that reason as a line; "": the table is unchanged.
std::string take_common_reason(RowSet& table);

// Which points run the same built file as those of the rows, a line for each; empty: none.
std::string text_of_same_builds(const BestAnswer& answer);

}  // namespace kernsweep
