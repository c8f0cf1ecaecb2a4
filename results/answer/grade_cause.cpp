#include "results/answer/grade_cause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/standing_reason.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

constexpr int kReasonsRead = 10'000;  // different ones; the most frequent come first
constexpr std::size_t kReasonBytesMax = 300;

// The first reason decided the grade: doubts are stored before warnings.
std::string first_line(const std::string& reasons) {
  return one_line(reasons.substr(0, reasons.find('\n')), kReasonBytesMax);
}

// A reason without its numbers, and without the text after a colon.
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

// The program of "clang uses 1.9 cores, cc1 0.3": clang.
struct Disturber {
  std::string cores;
  std::uint64_t jobs = 0;
};

void note_disturber(const std::string& reasons, std::uint64_t jobs, std::map<std::string, Disturber>& all) {
  constexpr std::string_view kUses = " uses ";
  for (std::size_t at = 0; at < reasons.size();) {
    const std::size_t end = std::min(reasons.find('\n', at), reasons.size());
    const auto who = who_stands(std::string_view(reasons).substr(at, end - at));
    at = end + 1;
    const std::size_t uses = who ? who->find(kUses) : std::string_view::npos;
    if (uses == std::string_view::npos) continue;
    Disturber& known = all[one_line(who->substr(0, uses), kReasonBytesMax)];
    known.jobs += jobs;
    if (!known.cores.empty()) return;
    const std::string_view cores = who->substr(uses + kUses.size());
    known.cores = one_line(cores.substr(0, cores.find(',')), kReasonBytesMax);
    return;
  }
}

constexpr std::string_view kEndTheRest =
    "end what else runs on this host, then measure again with --again=doubtful";

}  // namespace

std::string_view what_helps_against(DoubtCause cause) {
  switch (cause) {
    case DoubtCause::clock:
      return "set the processor to a fixed clock (`kernsweep doctor` says how), then measure again with "
             "--again=doubtful";
    case DoubtCause::steal:
      return "other guests of the hypervisor take the cores: measure again with --again=doubtful when they "
             "are quiet, or on a machine of its own";
    case DoubtCause::migrated:
    case DoubtCause::switched:
    case DoubtCause::others:
      return kEndTheRest;
    case DoubtCause::major_fault:
      return "memory is short here: free some, or choose smaller problems";
    case DoubtCause::quota:
      return "give whole processors instead of a quota (docker run --cpuset-cpus=0-3, not --cpus=4), then "
             "measure again with --again=doubtful";
    case DoubtCause::unknown:
      break;
  }
  return "";
}

Result<GradeCause> main_grade_cause(Reader& reader, SweepId sweep, char worst_grade) {
  KS_ASSIGN_OR_RETURN(
      const auto rows,
      reader.query(fmt::format("select count(*) as jobs, (select content from text where id = "
                               "a.grade_reasons), a.doubt_cause from "
                               "outcome o join attempt_row a using (result) where o.sweep_id = {} and "
                               "o.status = 'ok' and o.grade > "
                               "'{}' group by a.grade_reasons, a.doubt_cause order by jobs desc limit {}",
                               sweep.value, worst_grade, kReasonsRead)));
  GradeCause cause;
  std::map<std::string, GradeCause> kinds;
  std::map<std::string, Disturber> disturbers;
  for (const auto& row : rows.rows) {
    const auto* const count = row[0].integer();
    const std::string* const reasons = row[1].text();
    if (!count || *count <= 0) continue;
    const auto jobs = static_cast<std::uint64_t>(*count);
    cause.of += jobs;
    if (!reasons || reasons->empty()) continue;
    if (doubt_cause_named(row[2].to_text()) != DoubtCause::unknown)
      note_disturber(*reasons, jobs, disturbers);
    const std::string reason = first_line(*reasons);
    GradeCause& kind = kinds[kind_of(reason)];
    kind.jobs += jobs;
    if (!kind.reason.empty()) continue;
    kind.reason = reason;
    kind.about = doubt_cause_named(row[2].to_text());
  }
  for (const auto& [name, kind] : kinds) {
    if (kind.jobs <= cause.jobs) continue;
    cause.jobs = kind.jobs;
    cause.reason = kind.reason;
    cause.about = kind.about;
  }
  for (const auto& [name, each] : disturbers) {
    if (each.jobs <= cause.disturbed) continue;
    cause.disturber = name;
    cause.disturber_cores = each.cores;
    cause.disturbed = each.jobs;
  }
  return cause;
}

std::string text_of(const GradeCause& cause) {
  if (cause.reason.empty()) return "";
  const std::string help(what_helps_against(cause.about));
  std::string text = fmt::format("main cause ({} of {}): {}{}\n", text_of_count(cause.jobs),
                                 text_of_count(cause.of), cause.reason, help.empty() ? "" : "; " + help);
  if (cause.disturbed > 0)
    text += fmt::format("most disturbed by: {} ({}), {} of these {} jobs\n", cause.disturber,
                        cause.disturber_cores, text_of_count(cause.disturbed), text_of_count(cause.of));
  return text;
}

}  // namespace kernsweep
