#include <fmt/format.h>

#include <algorithm>

#include "worker/host/doctor/checks.hpp"

namespace kernsweep {

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return "good";
    case Verdict::note:
      return "note";
    case Verdict::warning:
      return "warning";
    case Verdict::bad:
      return "bad";
  }
  return "unknown";
}

std::size_t count_of(const std::vector<CheckFinding>& findings, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [verdict](const CheckFinding& finding) { return finding.is.verdict == verdict; }));
}

std::vector<Check> all_checks() {
  std::vector<Check> checks;
  for (const auto& table : {processor_checks(), machine_checks(), memory_checks(), kernel_checks(),
                            library_checks(), gpu_checks()})
    checks.insert(checks.end(), table.begin(), table.end());
  return checks;
}

std::vector<CheckFinding> examine(const HostConditions& host) {
  std::vector<CheckFinding> findings;
  for (const Check& check : all_checks()) {
    for (Assessment& assessment : check.assess(host))
      findings.push_back({check.id, check.group, check.why, std::move(assessment)});
  }
  return findings;
}

std::string frequency_text(std::uint64_t khz) {
  return fmt::format("{:.2f} GHz", static_cast<double>(khz) / 1e6);
}

std::string bytes_text(std::uint64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  if (amount >= 1024.0 * 1024 * 1024) return fmt::format("{:.1f} GiB", amount / (1024.0 * 1024 * 1024));
  if (amount >= 1024.0 * 1024) return fmt::format("{:.0f} MiB", amount / (1024.0 * 1024));
  return fmt::format("{:.0f} KiB", amount / 1024);
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  return fmt::format("{:.1f} ms", seconds * 1e3);
}

}  // namespace kernsweep
