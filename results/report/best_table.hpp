// The rows of `best` as columns of a table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/answer/best.hpp"
#include "results/answer/roof_shares.hpp"
#include "results/read/rows.hpp"

namespace kernsweep {

struct BestColumn {
  // Columns of the user come first: parts of the problem and settings may have any name, `result` too.
  enum class Kind : std::uint8_t {
    problem,
    place,    // cache, host, software
    setting,  // variant, and the settings
    number,   // median_s, gflops, the metric where it is another one, verdict, outputs, result
    evidence  // bounds, what the runner-up is and how far behind, numbers of processes
  };
  std::string name;
  Kind kind;
  std::function<Value(const BestRow&)> of;  // NULL: not known, or there is none
};

// Columns of BestAnswer::by first, then those of the places in which the points differ, then all others.
// `answer` must outlive them.
std::vector<BestColumn> columns_of(const BestAnswer& answer);

RowSet table_of(const std::vector<BestRow>& rows, const std::vector<BestColumn>& columns);

// Without the evidence, with the columns share, bound, roof and why (the reason if there is no share).
RowSet table_of(const SweepShares& shares);
// Takes the column `why` out of such a table where several rows have one reason and no row has another, and
// returns that reason as a line; "": the table is as it was.
std::string take_common_reason(RowSet& table);

// Which points run the same built file as those of the rows, a line for each; empty: none do.
std::string text_of_same_builds(const BestAnswer& answer);

}  // namespace kernsweep
