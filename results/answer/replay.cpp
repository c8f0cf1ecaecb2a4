#include "results/answer/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/answer/provenance_difference.hpp"
#include "results/read/show.hpp"
#include "results/report/json_object.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/stats/statistics.hpp"

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

// `condition`: SQL over `outcome o` and `attempt_row a`.
Result<ReplaySide> read_replay_side(Reader& reader, const std::string& condition, char worst_grade) {
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
    if (!grade.empty() && grade[0] > worst_grade) {
      side.doubtful += grade;
      continue;
    }
    side.results.push_back(result);
    side.times.push_back(row.real(3));
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

std::string percent(double share) {
  return fmt::format("{:g} %", share * 100);
}

std::string processes(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "process" : "processes");
}

// Why this side has no time; "" when it has one.
std::string why_no_time_on(const ReplaySide& side, const char* when, char worst_grade) {
  if (!side.times.empty()) return "";
  if (side.doubtful.empty()) return fmt::format("there is no time {}", when);
  return fmt::format("what was measured {} is graded below {} in all {}; --all-grades uses it all the same",
                     when, worst_grade, processes(side.doubtful.size()));
}

std::string told_of(const ReplaySide& side) {
  std::string text;
  if (!side.results.empty())
    text = fmt::format("{} in {}, {} {}", text_of_seconds(side.median_s), processes(side.results.size()),
                       side.results.size() == 1 ? "grade" : "grades", side.grades);
  if (!side.doubtful.empty())
    text += fmt::format("{}left out: {} graded {}", text.empty() ? "" : "; ",
                        processes(side.doubtful.size()), side.doubtful);
  for (const std::string& each : side.failures) text += (text.empty() ? "" : "; ") + each;
  return text.empty() ? "nothing" : text;
}

std::string told_of_bits(const ReplayAnswer& answer) {
  switch (answer.bits) {
    case BitsVerdict::same:
      return "same: " + answer.now.hashes.front();
    case BitsVerdict::different:
      return "different: " + answer.then.hashes.front() + " then, " + answer.now.hashes.front() + " now";
    case BitsVerdict::unsteady:
      return fmt::format("different from process to process: {} kinds of output then, {} now",
                         answer.then.hashes.size(), answer.now.hashes.size());
    case BitsVerdict::unknown:
      break;
  }
  return "not known: there is no output to hash on one side";
}

std::string json_side(const ReplaySide& side) {
  JsonObject object;
  std::vector<std::int64_t> results(side.results.begin(), side.results.end());
  object.add_raw("results", json_list(results)).add("median_s", side.median_s).add("grades", side.grades);
  object.add("left_out_grades", side.doubtful);
  return object.add_raw("output_hashes", json_list(side.hashes))
      .add_raw("grade_reasons", json_list(side.doubts))
      .add_raw("failures", json_list(side.failures))
      .text();
}

}  // namespace

std::string_view name_of(BitsVerdict verdict) {
  switch (verdict) {
    case BitsVerdict::same:
      return "same";
    case BitsVerdict::different:
      return "different";
    case BitsVerdict::unsteady:
      return "unsteady";
    case BitsVerdict::unknown:
      break;
  }
  return "unknown";
}

Result<ReplayAnswer> hold_against(Reader& stored, const StoredJob& job, Reader& replayed, SweepId again,
                                  const EvidenceRules& rules, char worst_grade) {
  ReplayAnswer answer;
  KS_ASSIGN_OR_RETURN(
      auto then,
      read_replay_side(
          stored,
          fmt::format("o.sweep_id = {} and o.point = {} and o.cache = '{}' and (a.host_id, "
                      "a.software_id) is (select host_id, software_id from attempt_row where result = {})",
                      job.sweep.id.value, job.point, job.cache, job.result),
          worst_grade));
  KS_ASSIGN_OR_RETURN(auto now,
                      read_replay_side(replayed, fmt::format("o.sweep_id = {}", again.value), worst_grade));
  answer.then = std::move(then);
  answer.now = std::move(now);
  answer.bits = bits_of(answer.then, answer.now);
  if (!answer.then.times.empty() && !answer.now.times.empty()) {
    KS_ASSIGN_OR_RETURN(const auto sweep, replayed.find_sweep(std::to_string(again.value)));
    StoredSpread spread;
    KS_RETURN_IF_ERROR(spread.add(stored, job.sweep, worst_grade));
    KS_RETURN_IF_ERROR(spread.add(replayed, sweep, worst_grade));
    spread.fit();
    const auto threads = std::ranges::find(job.values, "threads", &StoredJob::NamedValue::first);
    const StoredSpread::Stratum stratum{threads == job.values.end() ? Value() : threads->second, job.cache,
                                        job.fingerprint};
    EvidenceRules of_one_point = rules;
    of_one_point.one_point = true;
    answer.time =
        difference_of({answer.then.times, stratum}, {answer.now.times, stratum}, spread, of_one_point);
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

std::string text_of(const ReplayAnswer& answer, const StoredJob& job, const std::string& label,
                    const EvidenceRules& rules) {
  std::string text = fmt::format("result {} of {}@{}: {}, {} caches\n", job.result, job.sweep.record.name,
                                 job.sweep.id.value, label, job.cache);
  text += fmt::format("then  {}{}{}\n", told_of(answer.then), job.host.empty() ? "" : "; " + job.host,
                      std::isfinite(job.finished_unix_s) ? ", " + text_of_moment(job.finished_unix_s) : "");
  text += fmt::format("now   {}\n", told_of(answer.now));
  for (const std::string& each : answer.now.doubts) text += "      " + each + "\n";
  if (answer.now.first != 0) {
    TableStyle style;
    style.cell_max = 48;
    text += answer.changes.rows.empty()
                ? "around it: same point, process settings, software, inputs and host\n"
                : "\ndifferent around it, a then and b now:\n" + text_table(answer.changes, style) + "\n";
    text += "bits: " + told_of_bits(answer) + "\n";
  }
  if (!answer.time) return text + "NOT COMPARABLE: " + answer.why_no_time + "\n";
  if (too_few_processes(*answer.time))
    text += fmt::format("a single process tells nothing of the spread between processes: {}\n",
                        answer.time->processes_a < kVerdictProcessesLeast
                            ? "then there was one; the sweep's measure.processes would have asked for more"
                            : "--processes 3 measures more of them now");
  else if (answer.verdict == TimeVerdict::undecided && answer.time->processes_needed > 0)
    text += fmt::format("undecided: about {} processes then and now would decide it\n",
                        answer.time->processes_needed);
  return text + fmt::format("{}: takes {:.4f} times as long ({}; {} confidence; the margin is {})\n",
                            name_of(answer.verdict), answer.time->ratio,
                            text_of_bounds(answer.time->bounds, answer.time->ratio,
                                           [](double bound) { return fmt::format("{:.4f}", bound); }),
                            percent(1 - rules.alpha), percent(rules.margin));
}

std::string to_json(const ReplayAnswer& answer, const StoredJob& job, const EvidenceRules& rules) {
  JsonObject object;
  object.count("result", job.result).add("sweep", job.sweep.record.name);
  object.count("point", job.point).add("cache", job.cache);
  object.add_raw("then", json_side(answer.then)).add_raw("now", json_side(answer.now));
  object.add("bits", name_of(answer.bits));
  if (answer.time) {
    object.add("verdict", name_of(answer.verdict)).add("ratio", answer.time->ratio);
    const bool known = std::isfinite(answer.time->bounds.high);
    object.add("low", known ? Value(answer.time->bounds.low) : Value());
    object.add("high", known ? Value(answer.time->bounds.high) : Value());
    object.add("p", answer.time->p);
    const bool needs = answer.verdict == TimeVerdict::undecided && answer.time->processes_needed > 0;
    object.add("processes_needed",
               needs ? Value(static_cast<std::int64_t>(answer.time->processes_needed)) : Value());
  } else {
    object.add("not_comparable", answer.why_no_time);
  }
  object.add("margin", rules.margin).add("alpha", rules.alpha);
  return object.add_raw("changes", to_json(answer.changes)).text();
}

}  // namespace kernsweep
