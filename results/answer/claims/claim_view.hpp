// The points and jobs that one claim is about, and the text that describes a pair of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/answer/claims/claim_rows.hpp"
#include "results/answer/claims/claims.hpp"

namespace kernsweep {

class ClaimView {
 public:
  ClaimView(const ClaimRows& rows, const ClaimTask& task, char worst_grade);

  // Why the claim cannot be judged: the results lack a column. Empty: they have all.
  const std::string& trouble() const { return trouble_; }

  // Whether the point is on the first side (for claims of one side: is meant), or on `than`.
  bool is_first(std::size_t point) const { return side_[point] & 1; }
  bool is_second(std::size_t point) const { return side_[point] & 2; }
  // Where times of two points are compared, those that were measured under disturbance count, too.
  bool is_graded_well(const ClaimJob& job) const {
    return job.grade <= worst_grade_ || (job.disturbed && task_.claim.kind == ClaimKind::faster);
  }
  // Whether there are measured jobs on the sides, and each has a ClaimMetric::counted above 0.
  bool all_counted() const;
  // Whether the job counts; what does not is counted in `out`. error_below takes wrong results and all
  // grades, ends_as all that was tried.
  bool counts(const ClaimJob& job, JudgedClaim& out) const;

  // Whether the claim names this column, on either side.
  bool is_named(std::size_t column) const { return named_[column]; }
  bool names_place(std::string_view place) const;  // "cache", ...

  // To be called for all pairs (or points, given twice) before words().
  void meet(std::uint32_t first, std::uint32_t second);
  // "m=64 threads=1/2": what differs among those met; "1/2": the two points differ in it. What follows from
  // the column `label` is left out.
  std::string words(std::uint32_t first, std::uint32_t second) const;

 private:
  std::optional<std::size_t> column_named(const std::string& name) const;
  std::vector<char> fitting() const;
  void stand(const std::vector<ClaimChoice>& choices, char bit, const std::vector<char>& fits);
  bool is_of(const ClaimChoice& choice, std::size_t point) const;
  // With the values as the results have them. Sets `trouble_` where several are meant.
  std::vector<ClaimChoice> as_stored(std::vector<ClaimChoice> choices);

  const ClaimRows& rows_;
  const ClaimTask& task_;
  char worst_grade_;
  std::string trouble_;
  std::vector<char> side_;   // of each point
  std::vector<char> named_;  // of each column
  std::vector<char> tells_;  // of each column, and of cache and host behind them
  std::optional<std::pair<std::uint32_t, std::uint32_t>> met_;
  std::optional<std::size_t> label_;                              // a column
  std::vector<std::map<std::uint32_t, std::uint32_t>> by_label_;  // of each column: its code for a label
  std::vector<char> follows_;                                     // of each column: from `label`
};

}  // namespace kernsweep
