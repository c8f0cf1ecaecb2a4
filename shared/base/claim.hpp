// A claim of a sweep file: what its author expects of the results. The sweep language parses it, results/
// evaluates it; docs/guides/claims.md describes it for users.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

enum class ClaimKind : std::uint8_t {
  faster = 1,   // the time of `than` divided by that of `side` lies in `by`
  less_memory,  // the same for the peak memory
  at_least,     // a metric of each point
  at_most,
  error_below,  // the error of each job
  equal_bits,   // the output has the same bits if only these axes differ
  limited_by,   // the class of each job by the roofs (results/roofs/roofline.hpp)
  ends_as,      // the outcome of each job
};
std::string_view name_of(ClaimKind kind);  // the key of the sweep file
inline bool has_two_sides(ClaimKind kind) {
  return kind == ClaimKind::faster || kind == ClaimKind::less_memory;
}
inline bool has_metric(ClaimKind kind) {
  return kind == ClaimKind::at_least || kind == ClaimKind::at_most;
}

// The metrics that every result may have; variants count others (table `metric`).
std::vector<std::string> claim_metric_names();
inline constexpr std::string_view kDevicePeak = "device_peak_bytes";  // for less_memory, if all have it

// A scalar of the sweep file. Its kind follows from the value that it is compared with, because a database
// stores the kind of an axis only with its values.
struct WrittenValue {
  std::string text;
  bool quoted = false;  // then it is text

  bool is_null() const { return !quoted && (text.empty() || text == "null" || text == "~"); }
  friend bool operator==(const WrittenValue&, const WrittenValue&) = default;
};
// Whether `written` equals `value`, or the form of it that the database stores (a boolean as 1 or 0).
bool means(const WrittenValue& written, const Value& value);
// Whether it is one of these; none: all are.
bool includes(const std::vector<WrittenValue>& values, const Value& value);
// Which of these values is meant: those whose text it is; else those that it equals; else the one that is
// the same number (7 for 007, 1e5 for the text 100000). Empty: none. Error: several are the same number;
// the message begins with them.
Result<std::vector<std::size_t>> meant(const WrittenValue& written, std::span<const Value> known);

// An axis (or a column of a record, or `cache`) and the values of it that the claim selects; none: all.
struct ClaimChoice {
  std::string axis;
  std::vector<WrittenValue> values;
};
// "variant=blas, threads=1 or 2"
std::string text_of(const std::vector<ClaimChoice>& side);

struct ClaimRange {
  double low = 1, high = std::numeric_limits<double>::infinity();
  bool low_itself = false;  // whether the ratio may equal `low`

  bool holds(double ratio) const { return (low_itself ? ratio >= low : ratio > low) && ratio <= high; }
};

struct Claim {
  std::string name;
  int line = 0;  // of the sweep file, from 1; 0: not known
  ClaimKind kind = ClaimKind::faster;
  std::vector<ClaimChoice> side;    // faster, less_memory, equal_bits
  std::vector<ClaimChoice> than;    // faster, less_memory
  ClaimRange by;                    // allowed ratios than / side; faster, less_memory
  std::string metric = "median_s";  // at_least, at_most
  double bound = 0;                 // at_least, at_most, error_below; > 0
  std::string word;                 // limited_by: a class; ends_as: an outcome
  std::string where;                // expression; empty: all points
};

}  // namespace kernsweep
