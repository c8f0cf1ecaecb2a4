#include "shared/base/claim.hpp"

#include <algorithm>
#include <set>

#include "shared/text/utf8.hpp"

namespace kernsweep {

std::string_view name_of(ClaimKind kind) {
  constexpr std::string_view kNames[] = {"",           "faster",     "less_memory",
                                         "at_least",   "at_most",    "error_below",
                                         "equal_bits", "limited_by", "ends_as"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<std::string> claim_metric_names() {
  return {"median_s", "gflops", "gbps", "peak_memory_bytes", "p90_s", "p99_s", "p999_s"};
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

bool includes(const std::vector<WrittenValue>& values, const Value& value) {
  const auto is_meant = [&](const WrittenValue& written) { return means(written, value); };
  return values.empty() || std::ranges::any_of(values, is_meant);
}

namespace {

// The number that the text of a value spells.
Value number_spelled(const Value& value) {
  const Value plain = value_of_scalar(value.to_text());
  return plain.number() && !value.boolean() ? plain : Value();
}

}  // namespace

Result<std::vector<std::size_t>> meant(const WrittenValue& written, std::span<const Value> known) {
  const auto those = [&](const auto& fits) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < known.size(); ++i)
      if (fits(known[i])) found.push_back(i);
    return found;
  };
  const auto exact = those([&](const Value& value) {
    return !value.is_null() && value.to_text() == written.text && means(written, value);
  });
  if (!exact.empty()) return exact;
  // Answers print null as a dash, and a text on one line.
  const auto printed = those([&](const Value& value) {
    const std::string shown = value.is_null()           ? "-"
                              : value.text() != nullptr ? one_line(*value.text())
                                                        : "";
    return !written.quoted && !shown.empty() && shown == written.text;
  });
  if (!printed.empty()) return printed;
  const auto equal = those([&](const Value& value) { return means(written, value); });
  const Value number = number_spelled(Value(written.text));
  if (written.quoted || !number.number()) return equal;
  auto same = those([&](const Value& value) { return is_same_number(number, number_spelled(value)); });
  std::set<std::string> texts;
  for (const std::size_t at : same) texts.insert(known[at].to_text());
  if (texts.size() < 2) return same.empty() ? equal : same;
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return failure(all + " are all the number " + written.text + "; write one of them as it is here");
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
