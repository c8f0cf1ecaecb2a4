#include "results/report/answer_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/claims_text.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/xml_text.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kCheckBytesMax = 200;  // of a value in a name

std::string ratio_of_check(double ratio) {
  return fmt::format("{:.4g}", ratio);
}

AnswerCheckState state_of(TimeVerdict verdict) {
  if (verdict == TimeVerdict::slower) return AnswerCheckState::failed;
  return verdict == TimeVerdict::undecided ? AnswerCheckState::undecided : AnswerCheckState::passed;
}

AnswerCheckState state_of(ClaimVerdict verdict) {
  if (verdict == ClaimVerdict::refuted) return AnswerCheckState::failed;
  return verdict == ClaimVerdict::undecided ? AnswerCheckState::undecided : AnswerCheckState::passed;
}

std::string name_of_pair(const CompareAnswer& answer, const ComparedPair& pair) {
  std::string name;
  for (std::size_t c = 0; c < answer.differing.size(); ++c) {
    const Value& value = pair.parameters[c];
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", answer.differing[c],
                        value.is_null() ? "null" : one_line(value.to_text(), kCheckBytesMax));
  }
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
  for (const ComparedPair& pair : answer.rows) {
    const TimeDifference& found = pair.difference;
    const Interval bounds = pair.is_bounded() ? found.bounds : Interval{0, HUGE_VAL};
    AnswerCheck check{.name = name_of_pair(answer, pair), .state = state_of(pair.verdict)};
    check.message = fmt::format("{}: B takes {} times as long as A (99 % interval {}; processes {}/{})",
                                name_of(pair.verdict), ratio_of_check(found.ratio),
                                text_of_bounds(bounds, found.ratio, ratio_of_check), found.processes_a,
                                found.processes_b);
    if (pair.processes_needed() > 0)
      check.message += fmt::format("; about {} processes of each would decide it", pair.processes_needed());
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
// also the characters that end it.
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
