#include "results/grade_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "results/units.hpp"
#include "shared/utf8.hpp"

namespace kernsweep {
namespace {

constexpr int kReasonsRead = 10'000;  // different ones; the most frequent come first
constexpr std::size_t kReasonBytesMax = 300;

// The first reason is what the grade is for: doubts are stored before warnings.
std::string first_line(const std::string& reasons) {
  return one_line(reasons.substr(0, reasons.find('\n')), kReasonBytesMax);
}

// A reason without its numbers, and without what follows a colon.
std::string kind_of(std::string_view reason) {
  std::string kind;
  for (const char c : reason.substr(0, reason.find(':'))) {
    const bool number = (c >= '0' && c <= '9') || c == '.';
    if (!number) kind += c;
    if (number && (kind.empty() || kind.back() != '#')) kind += '#';
  }
  for (const auto& [more, one] : {std::pair{"threads", "thread"}, {"cores", "core"}})
    for (std::size_t at = 0; (at = kind.find(more, at)) != std::string::npos;)
      kind.replace(at, std::string_view(more).size(), one);
  return kind;
}

// "clock 12, switched 40" -> "switched"
std::string_view most_frequent(std::string_view causes) {
  std::string_view most;
  std::uint64_t most_count = 0;
  for (std::size_t from = 0; from < causes.size();) {
    const std::size_t end = std::min(causes.find(", ", from), causes.size());
    const std::string_view each = causes.substr(from, end - from);
    const std::size_t blank = each.rfind(' ');
    std::uint64_t count = 0;
    for (const char c : each.substr(std::min(blank, each.size() - 1) + 1))
      if (c >= '0' && c <= '9') count = count * 10 + static_cast<std::uint64_t>(c - '0');
    if (blank != std::string_view::npos && count > most_count) {
      most_count = count;
      most = each.substr(0, blank);
    }
    from = end + 2;
  }
  return most;
}

constexpr const char* kEndTheRest = "end what else runs on this host, then measure again with --again";

constexpr std::array<std::pair<std::string_view, const char*>, 5> kAgainstDisturbance = {{
    {"clock",
     "hold the clock of the processor still (`kernsweep doctor` says how), then measure again with "
     "--again"},
    {"steal",
     "other guests of the hypervisor take the cores: measure again with --again when they are quiet, or on "
     "a machine of its own"},
    {"migrated", kEndTheRest},
    {"switched", kEndTheRest},
    {"major fault", "memory is short here: free some, or choose smaller problems"},
}};

}  // namespace

std::string what_helps_against(const std::string& reason) {
  if (reason.find(" of others on a host of ") != std::string::npos) return kEndTheRest;
  if (reason.find("were disturbed") == std::string::npos) return "";
  const std::size_t colon = reason.find(": ");
  if (colon == std::string::npos) return "";
  const std::string_view cause = most_frequent(std::string_view(reason).substr(colon + 2));
  const auto* const known =
      std::ranges::find(kAgainstDisturbance, cause, &std::pair<std::string_view, const char*>::first);
  return known == kAgainstDisturbance.end() ? "" : known->second;
}

Result<GradeCause> main_grade_cause(Reader& reader, SweepId sweep, char worst_grade) {
  const auto rows = reader.query(fmt::format(
      "select count(*) as jobs, (select content from text where id = a.grade_reasons) from outcome o join "
      "attempt_row a using (result) where o.sweep_id = {} and o.status = 'ok' and o.grade > '{}' group by "
      "a.grade_reasons order by jobs desc limit {}",
      sweep.value, worst_grade, kReasonsRead));
  if (!rows) return tl::unexpected<Error>(rows.error());
  GradeCause cause;
  std::map<std::string, GradeCause> kinds;
  for (const auto& row : rows->rows) {
    const auto* const count = row[0].integer();
    const std::string* const reasons = row[1].text();
    if (!count || *count <= 0) continue;
    const auto jobs = static_cast<std::uint64_t>(*count);
    cause.of += jobs;
    if (!reasons || reasons->empty()) continue;
    const std::string reason = first_line(*reasons);
    GradeCause& kind = kinds[kind_of(reason)];
    kind.jobs += jobs;
    if (kind.reason.empty()) kind.reason = reason;
  }
  for (const auto& [name, kind] : kinds) {
    if (kind.jobs <= cause.jobs) continue;
    cause.jobs = kind.jobs;
    cause.reason = kind.reason;
  }
  return cause;
}

std::string text_of(const GradeCause& cause) {
  if (cause.reason.empty()) return "";
  const std::string help = what_helps_against(cause.reason);
  return fmt::format("mainly because ({} of {}): {}{}\n", text_of_count(cause.jobs),
                     text_of_count(cause.of), cause.reason, help.empty() ? "" : "; " + help);
}

}  // namespace kernsweep
