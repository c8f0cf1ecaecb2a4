#include "cli/commands/ask/comparison_rules.hpp"

#include <charconv>

namespace kernsweep {
namespace {

// Reads "1%", "0.5 %" or "0.01" as a share from 0 to 1; nullopt: it is not a share.
std::optional<double> share_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (error != std::errc() || (!rest.empty() && rest != "%")) return std::nullopt;
  if (!rest.empty()) number /= 100;
  if (!(number >= 0 && number <= 1)) return std::nullopt;
  return number;
}

}  // namespace

Result<EvidenceRules> comparison_rules(const std::string& margin) {
  EvidenceRules rules;
  const auto share = share_of(margin);
  if (!share || *share <= 0 || *share >= 1)
    return failure("--margin is a share above 0 and below 1, such as 1% or 0.01, not '" + margin + "'");
  rules.margin = *share;
  return rules;
}

int exit_status_of(TimeVerdict verdict) {
  if (verdict == TimeVerdict::slower) return kExitNotAsHoped;
  return verdict == TimeVerdict::undecided ? kExitUndecided : kExitAsHoped;
}

}  // namespace kernsweep
