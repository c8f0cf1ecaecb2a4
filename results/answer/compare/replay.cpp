#include "results/answer/compare/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/answer/compare/provenance_difference.hpp"
#include "results/answer/disturbed_results.hpp"
#include "results/read/show.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/stats/statistics.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

void add_once(std::vector<std::string>& texts, std::string text) {
  if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
}

void add_lines(std::vector<std::string>& texts, std::string_view lines) {
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    add_once(texts, std::string(lines.substr(at, end - at)));
    at = end + 1;
  }
}

// `condition`: SQL over `outcome o` and `attempt_row a`, which selects jobs of the sweep.
Result<ReplaySide> read_replay_side(Reader& reader, SweepId sweep, const std::string& condition,
                                    char worst_grade) {
  DisturbedResults disturbed;
  if (worst_grade < 'C') {
    KS_ASSIGN_OR_RETURN(disturbed, read_disturbed(reader, sweep));
  }
  KS_ASSIGN_OR_RETURN(
      auto row, reader.connection().prepare(
                    "select o.result, o.status, o.grade, o.median_s, o.output_hash, "
                    "(select content from text where id = a.reason), (select content from text where id = "
                    "a.grade_reasons) from outcome o join attempt_row a using (result) "
                    "where " +
                    condition + " order by o.process, o.job"));
  ReplaySide side;
  for (;;) {
    const Step step = row.step();
    if (step == Step::failed) return failure(row.why());
    if (step != Step::row) break;
    if (row.text(1) != "ok") {
      const std::string reason(row.text(5));
      add_once(side.failures, std::string(row.text(1)) + (reason.empty() ? "" : ": " + reason));
      continue;
    }
    const auto result = static_cast<std::uint64_t>(row.integer(0));
    if (side.first == 0) side.first = result;
    add_once(side.hashes, std::string(row.text(4)));
    add_lines(side.doubts, row.text(6));
    const std::string_view grade = row.text(2);
    const auto cost = disturbed.find(result);
    if (!grade.empty() && grade[0] > worst_grade && cost == disturbed.end()) {
      side.doubtful += grade;
      continue;
    }
    side.results.push_back(result);
    side.times.push_back(row.real(3));
    side.costs.push_back(cost == disturbed.end() ? 0 : cost->second);
    side.disturbed += cost == disturbed.end() ? 0 : 1;
    side.grades += grade;
  }
  side.median_s = side.times.empty() ? kUnknown : median_of_times(side.times);
  return side;
}

BitsVerdict bits_of(const ReplaySide& then, const ReplaySide& now) {
  if (then.hashes.empty() || now.hashes.empty()) return BitsVerdict::unknown;
  if (then.hashes.size() > 1 || now.hashes.size() > 1) return BitsVerdict::unsteady;
  return then.hashes == now.hashes ? BitsVerdict::same : BitsVerdict::different;
}

// Why this side has no time; "": it has one.
std::string why_no_time_on(const ReplaySide& side, const char* when, char worst_grade) {
  if (!side.times.empty()) return "";
  if (side.doubtful.empty()) return fmt::format("there is no time {}", when);
  return fmt::format("what was measured {} is graded below {} in all {}; --all-grades uses it anyway", when,
                     worst_grade, counted(side.doubtful.size(), "process", "processes"));
}

}  // namespace

std::string_view name_of(BitsVerdict verdict) {
  constexpr std::string_view kNames[] = {"", "same", "different", "unsteady", "unknown"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Result<ReplayAnswer> hold_against(Reader& stored, const StoredJob& job, Reader& replayed, SweepId again,
                                  const EvidenceRules& rules, char worst_grade) {
  ReplayAnswer answer;
  KS_ASSIGN_OR_RETURN(
      auto then,
      read_replay_side(
          stored, job.sweep.id,
          fmt::format("o.sweep_id = {} and o.point = {} and o.cache = '{}' and (a.host_id, "
                      "a.software_id) is (select host_id, software_id from attempt_row where result = {})",
                      job.sweep.id.value, job.point, job.cache, job.result),
          worst_grade));
  KS_ASSIGN_OR_RETURN(auto now, read_replay_side(replayed, again,
                                                 fmt::format("o.sweep_id = {}", again.value), worst_grade));
  answer.then = std::move(then);
  answer.now = std::move(now);
  answer.bits = bits_of(answer.then, answer.now);
  if (!answer.then.times.empty() && !answer.now.times.empty()) {
    KS_ASSIGN_OR_RETURN(const auto sweep, replayed.find_sweep(name_by_number(again)));
    StoredSpread spread;
    KS_RETURN_IF_ERROR(spread.add(stored, job.sweep, worst_grade));
    KS_RETURN_IF_ERROR(spread.add(replayed, sweep, worst_grade));
    spread.fit();
    const auto threads = std::ranges::find(job.values, "threads", &StoredJob::NamedValue::first);
    const StoredSpread::Stratum stratum{threads == job.values.end() ? Value() : threads->second, job.cache,
                                        job.fingerprint};
    EvidenceRules of_one_point = rules;
    of_one_point.one_point = true;
    const ProcessTimes before{answer.then.times, answer.then.costs, {}};
    const ProcessTimes after{answer.now.times, answer.now.costs, {}};
    answer.time = difference_of({before, stratum}, {after, stratum}, spread, of_one_point);
    answer.verdict = verdict_of(*answer.time, answer.time->p, of_one_point);
  }
  for (const auto& [side, when] : {std::pair(&answer.then, "then"), std::pair(&answer.now, "now")})
    if (const std::string why = why_no_time_on(*side, when, worst_grade); !why.empty())
      answer.why_no_time += (answer.why_no_time.empty() ? "" : "; ") + why;
  if (answer.now.first == 0) return answer;
  KS_ASSIGN_OR_RETURN(const auto before, show(stored, std::to_string(job.result)));
  KS_ASSIGN_OR_RETURN(const auto after, show(replayed, std::to_string(answer.now.first)));
  answer.changes = provenance_changes(before, after);
  return answer;
}

}  // namespace kernsweep
