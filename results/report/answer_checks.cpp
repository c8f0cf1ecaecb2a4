#include "results/report/answer_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/text/ratio_text.hpp"
#include "results/text/xml_text.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kCheckBytesMax = 200;  // of a value in a name

std::string ratio_of_check(double ratio) {
  return fmt::format("{:.4g}", ratio);
}

AnswerCheckState state_of(std::string_view verdict) {
  if (verdict == name_of(TimeVerdict::slower)) return AnswerCheckState::failed;
  return verdict == name_of(TimeVerdict::undecided) ? AnswerCheckState::undecided
                                                    : AnswerCheckState::passed;
}

AnswerCheckState state_of(ClaimVerdict verdict) {
  if (verdict == ClaimVerdict::refuted) return AnswerCheckState::failed;
  return verdict == ClaimVerdict::undecided ? AnswerCheckState::undecided : AnswerCheckState::passed;
}

// The columns of a comparison's rows behind the parameters.
struct PairCells {
  const CompareAnswer& answer;
  const std::vector<Value>& row;
  const Value& operator[](std::string_view name) const {
    const auto first = answer.rows.columns.begin() + static_cast<std::ptrdiff_t>(answer.differing.size());
    const auto at = std::find(first, answer.rows.columns.end(), name) - answer.rows.columns.begin();
    return row[static_cast<std::size_t>(at)];
  }
  double real(std::string_view name) const { return (*this)[name].number().value_or(0); }
};

std::string name_of_pair(const CompareAnswer& answer, const std::vector<Value>& row) {
  std::string name;
  for (std::size_t c = 0; c < answer.differing.size(); ++c)
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", answer.differing[c],
                        row[c].is_null() ? "null" : one_line(row[c].to_text(), kCheckBytesMax));
  return name.empty() ? "the only pair" : name;
}

}  // namespace

AnswerChecks checks_of(const CompareAnswer& answer) {
  AnswerChecks out{.name = fmt::format("compare {} with {}", answer.b.text, answer.a.text)};
  if (!answer.not_comparable.empty()) {
    out.checks.push_back({.name = "compare",
                          .message = "not comparable: " + answer.not_comparable,
                          .state = AnswerCheckState::not_comparable});
    return out;
  }
  for (const auto& row : answer.rows.rows) {
    const PairCells cells{answer, row};
    const double ratio = cells.real("ratio");
    const std::string verdict = cells["verdict"].to_text();
    const Interval bounds{cells["low"].is_null() ? 0 : cells.real("low"),
                          cells["high"].is_null() ? HUGE_VAL : cells.real("high")};
    AnswerCheck check{.name = name_of_pair(answer, row), .state = state_of(verdict)};
    check.message = fmt::format(
        "{}: B takes {} times as long as A (99 % interval {}; processes {})", verdict,
        ratio_of_check(ratio), text_of_bounds(bounds, ratio, ratio_of_check), cells["processes"].to_text());
    if (!cells["processes_needed"].is_null())
      check.message +=
          fmt::format("; about {} processes of each would decide it", cells["processes_needed"].to_text());
    out.checks.push_back(std::move(check));
  }
  return out;
}

AnswerChecks checks_of(const ClaimsAnswer& answer) {
  AnswerChecks out{.name = fmt::format("claims of {}@{}", answer.sweep, answer.id.value)};
  for (const JudgedClaim& claim : answer.claims) {
    std::string message = fmt::format("{}: {}", name_of(claim.verdict), sentence_of(claim));
    if (!claim.missing.empty()) message += "; " + claim.missing;
    out.checks.push_back({.name = claim.claim.name,
                          .message = std::move(message),
                          .state = state_of(claim.verdict),
                          .file = answer.file,
                          .line = claim.claim.line});
  }
  return out;
}

namespace {

// In a workflow command `%`, carriage return and line feed are written in hexadecimal digits; in a property
// also what ends it.
std::string command_text(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
      out += fmt::format("%{:02X}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string junit_of(const AnswerChecks& checks) {
  const auto count = [&](AnswerCheckState state) {
    return std::ranges::count(checks.checks, state, &AnswerCheck::state);
  };
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", checks.checks.size(),
                  count(AnswerCheckState::failed), count(AnswerCheckState::not_comparable),
                  count(AnswerCheckState::undecided));
  const std::string name = xml_text(as_utf8(checks.name));
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"{1}\" {0}>\n",
      counts, name);
  for (const AnswerCheck& check : checks.checks) {
    const std::string message = xml_text(as_utf8(check.message));
    out +=
        fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n", name, xml_text(as_utf8(check.name)));
    const char* element = check.state == AnswerCheckState::failed           ? "failure"
                          : check.state == AnswerCheckState::not_comparable ? "error"
                          : check.state == AnswerCheckState::undecided      ? "skipped"
                                                                            : nullptr;
    out += element ? fmt::format("      <{} message=\"{}\"/>\n", element, message)
                   : fmt::format("      <system-out>{}</system-out>\n", message);
    out += "    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string annotations_of(const AnswerChecks& checks) {
  std::string errors, warnings;
  for (const AnswerCheck& check : checks.checks) {
    if (check.state == AnswerCheckState::passed) continue;
    const bool undecided = check.state == AnswerCheckState::undecided;
    std::string properties = " title=" + command_text(for_terminal(check.name), true);
    if (!check.file.empty()) properties += ",file=" + command_text(for_terminal(check.file), true);
    if (check.line > 0) properties += fmt::format(",line={}", check.line);
    (undecided ? warnings : errors) +=
        fmt::format("::{}{}::{}\n", undecided ? "warning" : "error", properties,
                    command_text(for_terminal(check.message), false));
  }
  return errors + warnings;
}

}  // namespace kernsweep
