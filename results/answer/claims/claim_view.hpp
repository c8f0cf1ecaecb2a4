// The points and jobs that one claim is about, and the text that describes a pair of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/answer/claims/claims.hpp"
#include "results/answer/disturbed_results.hpp"
#include "results/read/sweep_rows.hpp"

namespace kernsweep {

// A point in one place, both by index into SweepRows.
struct PlacedPoint {
  std::uint32_t point = 0;
  std::uint16_t place = 0;
};
PlacedPoint placed(const auto& of) {
  return {of.point, of.place};
}

class ClaimView {
 public:
  // `rows`: all jobs of the sweep, failed ones too. All arguments must outlive it.
  ClaimView(const SweepRows& rows, const DisturbedResults& disturbed, const ClaimTask& task,
            char worst_grade);

  const SweepRows& rows() const { return rows_; }
  // Why the claim cannot be judged: the results lack a column. Empty: they have all.
  const std::string& trouble() const { return trouble_; }

  // Whether a point is on the first side (for claims of one side: is meant), or on `than`.
  bool is_first(PlacedPoint at) const { return sides(at) & 1; }
  bool is_second(PlacedPoint at) const { return sides(at) & 2; }
  bool is_meant(PlacedPoint at) const { return sides(at) != 0; }
  // Where times of two points are compared, those that were measured under disturbance count, too.
  bool is_graded_well(const SweepRows::Job& job) const;
  // Whether there are measured jobs on the sides, and each has a number above 0.
  bool all_have_numbers() const;
  // Whether the job counts; what does not is counted in `out`. error_below takes wrong results and all
  // grades, ends_as all that was tried.
  bool counts(const SweepRows::Job& job, JudgedClaim& out) const;

  // Whether the claim names this column, on either side.
  bool is_named(std::size_t column) const { return named_[column]; }
  bool names_place(std::string_view place) const;  // "cache", ...

  // To be called for all pairs (or points, given twice) before words().
  void meet(PlacedPoint first, PlacedPoint second);
  // "m=64 threads=1/2": what differs among those met; "1/2": the two points differ in it. What follows from
  // the column `label` is left out.
  std::string words(PlacedPoint first, PlacedPoint second) const;

 private:
  std::optional<std::size_t> column_named(const std::string& name) const;
  int sides(PlacedPoint at) const { return points_[at.point] & places_[at.place]; }
  std::vector<char> fitting() const;
  void stand(const std::vector<ClaimChoice>& choices, char bit, const std::vector<char>& fits);
  // With the values as the results have them. Sets `trouble_` where several are meant.
  std::vector<ClaimChoice> as_stored(std::vector<ClaimChoice> choices);

  const SweepRows& rows_;
  const DisturbedResults& disturbed_;
  const ClaimTask& task_;
  char worst_grade_;
  std::string trouble_;
  std::vector<char> points_, places_;  // of each the sides that it may be on, as bits
  std::vector<char> named_;            // of each column
  std::vector<char> tells_;            // of each column, and of cache and host behind them
  std::optional<std::pair<PlacedPoint, PlacedPoint>> met_;        // the first that met
  std::optional<std::size_t> label_;                              // a column
  std::vector<std::map<std::uint32_t, std::uint32_t>> by_label_;  // of each column: its code for a label
  std::vector<char> follows_;                                     // of each column: from `label`
};

}  // namespace kernsweep
