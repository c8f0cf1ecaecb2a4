// The command `replay`: measures one stored job again here, and compares it with the stored result.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands/again/replay_needs.hpp"
#include "cli/commands/ask/comparison_rules.hpp"
#include "cli/commands/run/local_run.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/report/replay_text.hpp"
#include "shared/base/rule_fields.hpp"
#include "shared/base/try.hpp"
#include "shared/text/duration_text.hpp"
#include "shared/text/home_path.hpp"

namespace kernsweep {
namespace {

// How many processes of the point the sweep ran, if that was decided while it ran. 0: as many as its rules
// request.
Result<std::uint32_t> processes_run(Reader& reader, const StoredPoint& wanted) {
  if (!decides(wanted.expansion.sweep())) return 0;
  KS_ASSIGN_OR_RETURN(const auto count,
                      reader.connection().integer(fmt::format(
                          "select count(distinct process) from outcome where sweep_id = {} and point = {}",
                          wanted.job.sweep.id.value, wanted.job.point)));
  return static_cast<std::uint32_t>(count);
}

// `processes`: 0: as many as the rules of the sweep request.
Replacements only_this(const StoredPoint& wanted, std::uint32_t processes) {
  Replacements out = wanted.replacements;
  // If the job is from a replay itself, its stored replacements already select the point.
  if (!out.point) out.point = wanted.job.point;
  out.settings.push_back("measure.cache=[" + wanted.job.cache + "]");
  if (processes > 0) {
    // The number of processes may depend on these.
    Rules rules = wanted.expansion.sweep().rules;
    for (const RuleField& field : rule_fields()) {
      if (!field.path.starts_with("measure.warmup.") && !field.path.starts_with("measure.samples."))
        continue;
      const RuleTarget target = field.target(rules);
      const auto* const time = std::get_if<Duration*>(&target);
      out.settings.push_back(
          fmt::format("{}={}", field.path, time ? exact_text(**time) : value_of(field, rules)->to_text()));
    }
    out.settings.push_back(fmt::format("measure.processes={}", processes));
  }
  out.settings.push_back(fmt::format("tags.replay_of={}@{}/{}", wanted.job.sweep.record.name,
                                     wanted.job.sweep.id.value, wanted.job.job));
  return out;
}

class ReplayCommand : public Command {
 public:
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 private:
  Result<SweepSummary> measure(const Invocation& given, const StoredPoint& wanted,
                               const std::string& database, std::uint32_t processes) const;

  std::string stored_, result_, database_, patience_, margin_ = "1%";
  std::uint32_t processes_ = 0;  // 0: as in the sweep
  bool all_grades_ = false, any_host_ = false, quiet_ = false, json_ = false;
};

void ReplayCommand::declare(Options& to) {
  add_database(to, stored_);
  add_result(to, result_);
  to.option("--db", database_,
            "Database for the new measurements (default: <name>-replay.db in this folder)");
  to.option("--processes", processes_,
            "In how many processes to measure (default: as many as the sweep had)")
      .range(std::int64_t{1}, std::int64_t{1000});
  to.flag("--all-grades", all_grades_, "Use times graded C too (default: A and B)");
  to.flag("--any-host", any_host_, "Measure here although it was measured on another host");
  add_margin(to, margin_);
  add_patience(to, patience_);
  add_quiet(to, quiet_);
  add_json(to, json_);
}

// Measures the job as a new sweep in `database`.
Result<SweepSummary> ReplayCommand::measure(const Invocation& given, const StoredPoint& wanted,
                                            const std::string& database, std::uint32_t processes) const {
  const SweepRecord& record = wanted.job.sweep.record;
  const Replacements replacements = only_this(wanted, processes);
  KS_ASSIGN_OR_RETURN(const auto expansion, Expansion::parse(record.text, with_home(record.file),
                                                             replacements, tables_of(record)));
  LocalRun run;
  run.database = database;
  run.replacements = replacements;
  run.again = Again::all;
  run.worker_options = logging_options(given);
  if (!patience_.empty()) run.worker_options.insert(run.worker_options.end(), {"--patience", patience_});
  run.quiet = quiet_ || json_;
  return run_here(run, expansion);
}

// Prints what is missing. Returns the exit status.
int nothing_was_run(std::uint64_t result, const std::vector<std::string>& missing) {
  std::string text = fmt::format("result {} cannot be measured here, nothing was run. Missing:", result);
  for (const std::string& each : missing) text += "\n  " + each;
  report_error(text);
  return kExitNotComparable;
}

int ReplayCommand::run(const Invocation& given) {
  const auto rules = comparison_rules(margin_);
  if (!rules) return report_error(rules.error().message);
  auto stored = Reader::open(stored_);
  if (!stored) return report_error(stored.error().message);
  const auto wanted = stored_point(*stored, result_);
  if (!wanted) {
    const auto job = stored_job(*stored, result_);
    const auto tables = job ? missing_tables(job->sweep.record) : std::vector<std::string>();
    return tables.empty() ? report_error(wanted.error().message) : nothing_was_run(job->result, tables);
  }
  const auto missing = missing_here(*wanted, any_host_);
  if (!missing) return report_error(missing.error().message);
  if (!missing->empty()) return nothing_was_run(wanted->job.result, *missing);
  if (!wanted->same_key && !quiet_)
    std::fprintf(stderr,
                 "kernsweep: this version measures that job by other rules than the stored result used\n");
  const std::string database = database_.empty() ? wanted->job.sweep.record.name + "-replay.db" : database_;
  const auto had = processes_run(*stored, *wanted);
  if (!had) return report_error(had.error().message);
  const auto summary = measure(given, *wanted, database, processes_ > 0 ? processes_ : *had);
  if (!summary) return report_error(summary.error().message);
  using coordinator::Ending;
  if (summary->ending != Ending::complete && summary->ending != Ending::incomplete) {
    std::fprintf(stderr, "Stopped before the end; nothing is compared.\n");
    return kExitNotComparable;
  }
  auto replayed = Reader::open(database);
  if (!replayed) return report_error(replayed.error().message);
  const auto answer =
      hold_against(*stored, wanted->job, *replayed, summary->sweep, *rules, all_grades_ ? 'C' : 'B');
  if (!answer) return report_error(answer.error().message);
  const std::string text =
      json_ ? to_json(*answer, wanted->job, *rules) + "\n"
            : text_of(*answer, wanted->job, wanted->expansion.label_of(wanted->point), *rules) +
                  fmt::format("kept as {}@{} in {}\n", wanted->job.sweep.record.name, summary->sweep.value,
                              database);
  return print_answer(text, answer->time ? exit_status_of(answer->verdict) : kExitNotComparable);
}

}  // namespace

CommandEntry replay_command() {
  return {"replay", "Re-measure a stored result here and compare",
          "docs/reference/replay.md has the rules.\n"
          "Exit status: 0 same or faster, 1 slower, 2 bad usage, 3 not comparable (something is missing "
          "here, or "
          "it has\nno time that is graded A or B) or stopped, 4 undecided.",
          std::make_unique<ReplayCommand>()};
}

}  // namespace kernsweep
