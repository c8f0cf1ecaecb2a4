// replay: one stored job, measured again here, and held against what is stored.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands/comparison_rules.hpp"
#include "cli/commands/local_run.hpp"
#include "cli/commands/replay_needs.hpp"
#include "cli/grammar/arguments.hpp"
#include "results/answer/replay.hpp"
#include "shared/base/home_path.hpp"

namespace kernsweep {
namespace {

Replacements only_this(const StoredPoint& wanted, std::uint32_t processes) {
  Replacements out = wanted.replacements;
  // A replay is a sweep of one point itself: then its stored replacements name the point.
  if (!out.point) out.point = wanted.job.point;
  out.settings.push_back("measure.cache=[" + wanted.job.cache + "]");
  if (processes > 0) out.settings.push_back(fmt::format("measure.processes={}", processes));
  out.settings.push_back(fmt::format("tags.replay_of={}@{}/{}", wanted.job.sweep.record.name,
                                     wanted.job.sweep.id.value, wanted.job.job));
  return out;
}

// Measures it, and says in whose rows: the sweep's number in `database`.
Result<SweepSummary> measure(const Arguments& arguments, const StoredPoint& wanted,
                             const std::string& database) {
  const SweepRecord& record = wanted.job.sweep.record;
  const Replacements replacements = only_this(wanted, arguments.processes);
  const auto expansion =
      Expansion::parse(record.text, with_home(record.file), replacements, tables_of(record));
  if (!expansion) return tl::unexpected(expansion.error());
  LocalRun run;
  run.database = database;
  run.replacements = replacements;
  run.again = true;
  run.worker_options = logging_options(arguments);
  run.quiet = arguments.quiet || arguments.json;
  return run_here(run, *expansion);
}

// Says what is missing, and the exit status for it.
int nothing_was_run(std::uint64_t result, const std::vector<std::string>& missing) {
  std::string text = fmt::format("result {} cannot be measured here, nothing was run. Missing:", result);
  for (const std::string& each : missing) text += "\n  " + each;
  report_error(text);
  return kExitNotComparable;
}

}  // namespace

int replay_command(const Arguments& arguments) {
  const auto rules = comparison_rules(arguments);
  if (!rules) return report_error(rules.error().message);
  auto stored = Reader::open(arguments.file);
  if (!stored) return report_error(stored.error().message);
  const auto wanted = stored_point(*stored, arguments.which);
  if (!wanted) {
    const auto job = stored_job(*stored, arguments.which);
    const auto tables = job ? missing_tables(job->sweep.record) : std::vector<std::string>();
    return tables.empty() ? report_error(wanted.error().message) : nothing_was_run(job->result, tables);
  }
  const auto missing = missing_here(*wanted, arguments.any_host);
  if (!missing) return report_error(missing.error().message);
  if (!missing->empty()) return nothing_was_run(wanted->job.result, *missing);
  if (!wanted->same_key && !arguments.quiet)
    std::fprintf(stderr, "kernsweep: this version measures that job by other rules than were used then\n");
  const std::string database =
      arguments.database.empty() ? wanted->job.sweep.record.name + "-replay.db" : arguments.database;
  const auto summary = measure(arguments, *wanted, database);
  if (!summary) return report_error(summary.error().message);
  using coordinator::Ending;
  if (summary->ending != Ending::complete && summary->ending != Ending::incomplete) {
    std::fprintf(stderr, "Stopped before the end; nothing is compared.\n");
    return kExitNotComparable;
  }
  auto replayed = Reader::open(database);
  if (!replayed) return report_error(replayed.error().message);
  const auto answer = hold_against(*stored, wanted->job, *replayed, summary->sweep, *rules,
                                   arguments.all_grades ? 'C' : 'B');
  if (!answer) return report_error(answer.error().message);
  const std::string text =
      arguments.json ? to_json(*answer, wanted->job, *rules) + "\n"
                     : text_of(*answer, wanted->job, wanted->expansion.label_of(wanted->point), *rules) +
                           fmt::format("kept as {}@{} in {}\n", wanted->job.sweep.record.name,
                                       summary->sweep.value, database);
  return print_answer(text, answer->time ? exit_status_of(answer->verdict) : kExitNotComparable);
}

}  // namespace kernsweep
