#include "results/report/replay_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "results/report/json.hpp"
#include "results/report/json_object.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

std::string told_of(const ReplaySide& side) {
  std::string text;
  if (!side.results.empty())
    text = fmt::format("{} in {}, {} {}", text_of_seconds(side.median_s),
                       counted(side.results.size(), "process", "processes"),
                       side.results.size() == 1 ? "grade" : "grades", side.grades);
  if (side.disturbed > 0)
    text +=
        fmt::format("; {} measured under disturbance, which counts with the time that it may have added",
                    side.disturbed);
  if (!side.doubtful.empty())
    text += fmt::format("{}left out: {} graded {}", text.empty() ? "" : "; ",
                        counted(side.doubtful.size(), "process", "processes"), side.doubtful);
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
  object.add("left_out_grades", side.doubtful).count("disturbed", side.disturbed);
  return object.add_raw("output_hashes", json_list(side.hashes))
      .add_raw("grade_reasons", json_list(side.doubts))
      .add_raw("failures", json_list(side.failures))
      .text();
}

}  // namespace

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
                : "\ndifferences besides the time, a: then, b: now:\n" + text_table(answer.changes, style) +
                      "\n";
    text += "bits: " + told_of_bits(answer) + "\n";
  }
  if (!answer.time) return text + "NOT COMPARABLE: " + answer.why_no_time + "\n";
  if (too_few_processes(*answer.time))
    text += fmt::format("a single process shows nothing of the spread between processes: {}\n",
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
