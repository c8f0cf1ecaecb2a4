// What a sweep file expects of its results, as it was written. The sweep language reads it, results/ judges
// it; docs/guides/claims.md describes it for users.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/value.hpp"

namespace kernsweep {

enum class ClaimKind : std::uint8_t {
  faster = 1,   // the ratio of the times of `than` and `side` lies in `by`
  less_memory,  // the same of peak memory
  at_least,     // a metric of each point
  at_most,
  error_below,  // the error of each job
  equal_bits,   // changing these axes alone never changes the output
  limited_by,   // the class of each job by the roofs (results/roofs/roofline.hpp)
  ends_as,      // the outcome of each job
};
std::string_view name_of(ClaimKind kind);  // the key of the sweep file

enum class ClaimMetric : std::uint8_t {
  median_s = 1,
  gflops,
  gbps,
  peak_memory_bytes,
  p90_s,
  p99_s,
  p999_s,
  counted  // what Claim::counted names
};
inline constexpr std::size_t kClaimMetrics = 7;  // with a name of their own
std::string_view name_of(ClaimMetric metric);
std::optional<ClaimMetric> claim_metric_named(std::string_view name);
std::vector<std::string> claim_metric_names();
inline constexpr std::string_view kDevicePeak = "device_peak_bytes";  // of less_memory, where all have it

// A scalar of the file. Its kind follows from the value that it is compared with, because a database knows
// the kind of an axis only from its values.
struct WrittenValue {
  std::string text;
  bool quoted = false;  // always text

  bool is_null() const { return !quoted && (text.empty() || text == "null" || text == "~"); }
  friend bool operator==(const WrittenValue&, const WrittenValue&) = default;
};
// Whether it equals `value`, or the form of it that the database stores (a boolean as 1 or 0).
bool means(const WrittenValue& written, const Value& value);

// An axis (or a column of a record, or `cache`) and the values of it that the claim selects; none: all.
struct ClaimChoice {
  std::string axis;
  std::vector<WrittenValue> values;
};
// "variant=blas, threads=1 or 2"
std::string text_of(const std::vector<ClaimChoice>& side);

struct ClaimRange {
  double low = 1, high = std::numeric_limits<double>::infinity();
  bool low_itself = false;  // whether `low` is within

  bool holds(double ratio) const { return (low_itself ? ratio >= low : ratio > low) && ratio <= high; }
};

struct Claim {
  std::string name;
  ClaimKind kind = ClaimKind::faster;
  std::vector<ClaimChoice> side;               // faster, less_memory, equal_bits
  std::vector<ClaimChoice> than;               // faster, less_memory
  ClaimRange by;                               // of faster and less_memory: than / side
  ClaimMetric metric = ClaimMetric::median_s;  // at_least, at_most
  std::string counted;                         // a name of the table `metric`, such as device_peak_bytes
  double bound = 0;                            // at_least, at_most, error_below; > 0
  std::string word;                            // limited_by: a class; ends_as: an outcome
  std::string where;                           // expression; empty: all points
};

}  // namespace kernsweep
