#include "shared/base/claim.hpp"

#include <array>

namespace kernsweep {

std::string_view name_of(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::faster:
      return "faster";
    case ClaimKind::less_memory:
      return "less_memory";
    case ClaimKind::at_least:
      return "at_least";
    case ClaimKind::at_most:
      return "at_most";
    case ClaimKind::error_below:
      return "error_below";
    case ClaimKind::equal_bits:
      return "equal_bits";
    case ClaimKind::limited_by:
      return "limited_by";
    case ClaimKind::ends_as:
      return "ends_as";
  }
  return "";
}

namespace {

constexpr std::array<std::string_view, kClaimMetrics> kMetricNames = {
    "median_s", "gflops", "gbps", "peak_memory_bytes", "p90_s", "p99_s", "p999_s"};

}  // namespace

std::string_view name_of(ClaimMetric metric) {
  if (metric == ClaimMetric::counted) return "counted";
  return kMetricNames[static_cast<std::size_t>(metric) - 1];
}

std::optional<ClaimMetric> claim_metric_named(std::string_view name) {
  for (std::size_t i = 0; i < kMetricNames.size(); ++i)
    if (kMetricNames[i] == name) return static_cast<ClaimMetric>(i + 1);
  return std::nullopt;
}

std::vector<std::string> claim_metric_names() {
  return {kMetricNames.begin(), kMetricNames.end()};
}

bool means(const WrittenValue& written, const Value& value) {
  if (value.is_null() || written.is_null()) return value.is_null() && written.is_null();
  if (const auto* text = value.text()) return *text == written.text;
  if (const auto* word = value.word()) return *word == written.text;  // 3.1 and 3.10 are two values
  if (written.quoted) return false;
  const Value plain = value_of_scalar(written.text);
  if (const auto* truth = value.boolean())
    return plain.boolean() != nullptr ? *plain.boolean() == *truth : plain.number() == (*truth ? 1.0 : 0.0);
  if (plain.boolean() != nullptr) return value.number() == (*plain.boolean() ? 1.0 : 0.0);
  const auto* whole = value.integer();
  if (whole != nullptr && plain.integer() != nullptr) return *whole == *plain.integer();
  return plain.number().has_value() && plain.number() == value.number();
}

std::string text_of(const std::vector<ClaimChoice>& side) {
  std::string out;
  for (const ClaimChoice& choice : side) {
    out += (out.empty() ? "" : ", ") + choice.axis;
    for (std::size_t i = 0; i < choice.values.size(); ++i)
      out += (i == 0 ? "=" : " or ") + (choice.values[i].text.empty() ? "null" : choice.values[i].text);
  }
  return out;
}

}  // namespace kernsweep
