#include "cli/show/doctor_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

std::string_view shown(Verdict verdict) {
  return verdict == Verdict::bad ? "BAD" : name_of(verdict);
}

std::string summary_of(const std::vector<CheckFinding>& findings) {
  const std::size_t bad = count_of(findings, Verdict::bad);
  std::string text = fmt::format(
      "{}: {} bad, {}, {}, {} good", counted(findings.size(), "finding", "findings"), bad,
      counted(count_of(findings, Verdict::warning), "warning", "warnings"),
      counted(count_of(findings, Verdict::note), "note", "notes"), count_of(findings, Verdict::good));
  return text + (bad > 0 ? "; change what is bad before you measure here\n" : "\n");
}

}  // namespace

std::string doctor_text(const std::vector<CheckFinding>& findings, bool all) {
  constexpr std::size_t kVerdictWidth = 7;  // "warning"
  std::size_t id_width = 0;
  for (const CheckFinding& finding : findings) id_width = std::max(id_width, finding.id.size());
  const std::string indent(2 + kVerdictWidth + 2, ' ');
  std::string text, group;
  for (const CheckFinding& finding : findings) {
    if (finding.group != group) text += fmt::format("{}{}\n", text.empty() ? "" : "\n", finding.group);
    group = finding.group;
    text += fmt::format("  {:<{}}  {:<{}}  {}\n", shown(finding.is.verdict), kVerdictWidth, finding.id,
                        id_width, finding.is.found);
    if (finding.is.verdict == Verdict::good && !all) continue;
    text += fmt::format("{}why: {}\n", indent, finding.why);
    if (!finding.is.remedy.empty()) text += fmt::format("{}do:  {}\n", indent, finding.is.remedy);
  }
  return text + "\n" + summary_of(findings);
}

}  // namespace kernsweep
