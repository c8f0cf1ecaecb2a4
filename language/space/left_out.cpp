#include "language/space/left_out.hpp"

#include <algorithm>

namespace kernsweep {

bool is_no_literal(const Value& value) {
  if (value.word() == nullptr) return false;
  std::string_view digits = *value.word();
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  return digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of("0123456789") == digits.npos;
}

std::string expression_literal(const Value& value) {
  if (value.text() == nullptr && !is_no_literal(value)) return value.to_text();
  std::string out = "\"";
  for (const char c : value.to_text()) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\t' ? "\\t" : c == '\n' ? "\\n" : std::string(1, c);
  }
  return out + "\"";
}

namespace {

std::string text_of(const PointCondition& condition, const char* relation) {
  std::string out;
  for (const auto& [column, value] : condition)
    out += (out.empty() ? "" : " and ") + column + relation + expression_literal(value);
  return out;
}

}  // namespace

void LeftOutRules::add(const std::string& why, PointCondition condition) {
  auto found = std::ranges::find(reasons_, why, &Reason::why);
  if (found == reasons_.end()) found = reasons_.insert(found, {why, {}});
  found->conditions.push_back(std::move(condition));
}

std::vector<LeftOut> LeftOutRules::rules() const {
  std::vector<LeftOut> out;
  for (const auto& [why, conditions] : reasons_) {
    if (conditions.size() == 1 && conditions.front().size() == 1) {
      out.push_back({text_of(conditions.front(), " != "), why});
      continue;
    }
    std::string any;
    for (const PointCondition& condition : conditions)
      any += (any.empty() ? "" : " or ") + text_of(condition, " == ");
    out.push_back({"not (" + any + ")", why});
  }
  return out;
}

}  // namespace kernsweep
