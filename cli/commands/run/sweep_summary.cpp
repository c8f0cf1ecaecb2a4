#include "cli/commands/run/sweep_summary.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <utility>

#include "cli/commands/ask/claims_of_sweep.hpp"
#include "cli/commands/run/local_run.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/show/json.hpp"
#include "cli/show/output.hpp"
#include "language/check/explain.hpp"
#include "language/file/command_template.hpp"
#include "results/answer/best/sweep_effects.hpp"
#include "results/read/reader.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/json.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

// True if the sweep has what `suffices` requires; false also if the database cannot be read.
bool has_enough(const std::string& database, SweepId id, Suffices suffices) {
  auto reader = Reader::open(database);
  if (!reader) return false;
  const auto has = suffices == Suffices::every_job ? reader->all_accepted(id) : reader->all_answered(id);
  return has && *has;
}

bool was_stopped(const SweepSummary& summary) {
  using coordinator::Ending;
  return summary.ending != Ending::complete && summary.ending != Ending::incomplete;
}

// True if the rules rejected every point; for a large sweep this is found out only at the end.
bool is_empty(const SweepSummary& summary) {
  return summary.nothing_to_do && summary.tally.done == 0;
}

// The command that re-measures jobs graded C or without a result, with the words of this sweep.
std::string again_command(const SweepTask& task) {
  const Sweep& sweep = task.expansion->sweep();
  if (sweep.file.empty()) return "the same command with --again=doubtful";  // `bench` has no sweep file
  std::string text = "kernsweep run " + quoted_word(sweep.file);
  for (const std::string& word : words_of(task.replacements)) text += " " + quoted_word(word);
  if (task.database != sweep.name + ".db") text += " --db " + quoted_word(task.database);
  return text + " --again=doubtful";
}

void print_findings(const SweepTask& task, SweepId id) {
  const std::string& database = task.database;
  constexpr std::size_t kProblemsShown = 24;
  constexpr std::size_t kEffectsShown = 12;
  constexpr const char* kOneProblem =
      "Best setting (one problem: all columns are settings; `problem: [COLUMN]` says which are not)";
  auto reader = Reader::open(database);
  if (!reader) return;
  const auto found = sweep_effects(*reader, name_by_number(id), kProblemsShown);
  const bool any_row = found && !found->best.rows.empty();
  // If no job has a result, only the reasons of the failures are printed below.
  if (any_row || (found && found->best.left_out_grade > 0)) {
    std::printf("\n%s:\n%s", found->best.by.empty() ? kOneProblem : "Best setting for each problem",
                text_of(found->best, database, kProblemsShown).c_str());
    if (any_row && found->best.left_out() + found->best.disturbed_jobs > 0)
      std::printf("%s", text_of_left_out(found->best, best_with_grade_c(database)).c_str());
    if (found->best.grade_cause.about != DoubtCause::unknown && task.expansion)
      std::printf("To measure just these again: %s\n", again_command(task).c_str());
    const std::string effects = text_of(*found, kEffectsShown);
    if (!effects.empty()) std::printf("\n%s", effects.c_str());
  }
  if (task.expansion && task.expansion->sweep().kernel == "command")
    if (const auto notes = text_of_end_notes(*reader, id); notes && !notes->empty())
      std::printf("\n%s", for_terminal(*notes).c_str());
  const ClaimsQuestion question{name_by_number(id)};
  const auto claims = claims_of_sweep(*reader, question);
  if (claims && *claims) std::printf("\nClaims:\n%s", text_of(**claims, question).c_str());
  if (!claims) std::printf("\nThe claims could not be judged: %s\n", claims.error().message.c_str());
  if (found && found->all_ok) return;
  const auto failures = text_of_failures(*reader, id);
  if (failures && !failures->empty()) std::printf("\nJobs without a result:\n%s", failures->c_str());
}

// "5 of 10 processes a point fit into 15 s; --set measure.processes.min=10 runs all"
std::string text_of_blocks(const SweepSummary& summary, const SweepTask& task) {
  if (summary.blocks == 0 || !task.expansion) return "";
  const std::uint32_t all = task.expansion->sweep().processes_least;
  if (summary.blocks >= all) return "";
  return fmt::format("{} of {} processes a point fit into {} s; --set measure.processes.min={} runs all",
                     summary.blocks, all, seconds(kPointTime), all);
}

void print_words(const SweepSummary& summary, const SweepTask& task) {
  const auto& tally = summary.tally;
  if (summary.nothing_to_do && tally.done > 0) {
    std::printf("Nothing to do: all jobs of '%s' are already in %s; use --again to re-measure.\n",
                summary.name.c_str(), task.database.c_str());
  }
  print_findings(task, summary.sweep);
  if (!summary.nothing_to_do) {
    const auto jobs = tally.ok + tally.failed;
    const std::string reused = tally.reused == 0 ? ""
                                                 : ", " + counted(tally.reused, "more has", "more have") +
                                                       " results of earlier sweeps";
    std::printf("\n%s in %s: %s measured, %s without a result%s; results: %s\n",
                counted(jobs, "job", "jobs").c_str(), text_of_wait(summary.seconds).c_str(),
                text_of_count(tally.ok).c_str(), text_of_count(tally.failed).c_str(), reused.c_str(),
                task.database.c_str());
  }
  const std::string rejected =
      task.expansion ? text_of(summary.rejections, *task.expansion, "were") : std::string();
  if (const std::string left_out = text_of_blocks(summary, task); !left_out.empty())
    std::printf("%s\n", left_out.c_str());
  if (!summary.decided.empty()) std::printf("%s\n", for_terminal(summary.decided).c_str());
  if (!rejected.empty()) std::printf("%s\n", for_terminal(rejected).c_str());
}

void print_json(const SweepSummary& summary, const SweepTask& task, int status) {
  std::string effects, judged;
  const std::vector<Filter> rules = task.expansion ? task.expansion->filters() : std::vector<Filter>();
  if (auto reader = Reader::open(task.database)) {
    const auto found = sweep_effects(*reader, name_by_number(summary.sweep));
    if (found) effects = to_json(*found);
    const auto claims = claims_of_sweep(*reader, {name_by_number(summary.sweep)});
    if (claims && *claims) judged = to_json(**claims);
  }
  std::printf("%s\n", summary_json(summary, rules, task.database, status, effects, judged).c_str());
}

}  // namespace

Status has_a_point(const Expansion& expansion) {
  // A long search loses no time, because the first job cannot be sent before a point is found.
  CheckLimits limits;
  limits.points = UINT64_MAX;
  limits.time = std::chrono::seconds(30);
  return leaves_a_point(expansion, limits);
}

Result<SweepTask> task_of_file(const std::string& file, const Replacements& replacements,
                               const std::string& database) {
  KS_ASSIGN_OR_RETURN(auto expansion, Expansion::read(file, replacements));
  return task_of(std::move(expansion), replacements, database);
}

Result<SweepTask> task_of(Expansion expansion, const Replacements& replacements,
                          const std::string& database) {
  KS_RETURN_IF_ERROR(has_a_point(expansion));
  const std::string to = database.empty() ? expansion.sweep().name + ".db" : database;
  return SweepTask{std::move(expansion), replacements, to};
}

bool goes_on(const SweepSummary& summary) {
  return was_stopped(summary) && !summary.cancelled;
}

int exit_status(const SweepSummary& summary, const std::string& database, Suffices suffices) {
  if (was_stopped(summary)) return kExitResumable;
  if (is_empty(summary)) return report_error("'" + summary.name + "' has no point left to measure");
  return has_enough(database, summary.sweep, suffices) ? kExitAllAccepted : kExitSomeWithout;
}

void print_how_to_go_on(const std::string& how, bool time_limit) {
  std::printf("%sStopped before the end. To continue: %s\n",
              time_limit ? "The time limit of the sweep (timeout.sweep) was reached. " : "", how.c_str());
}

void print_summary(const SweepSummary& summary, const SweepTask& task, int status,
                   const SummaryStyle& style) {
  if (style.json) {
    print_json(summary, task, status);
    return;
  }
  print_words(summary, task);
  if (goes_on(summary))
    print_how_to_go_on(style.how_to_go_on, summary.ending == coordinator::Ending::time_limit);
}

int run_and_tell(const SweepTask& task, const RunRules& rules) {
  LocalRun here{task.database, task.replacements, rules.again, logging_options(rules.given),
                rules.quiet || rules.json};
  if (!rules.memory.empty())
    here.worker_options.insert(here.worker_options.end(), {"--memory", rules.memory});
  if (!rules.patience.empty())
    here.worker_options.insert(here.worker_options.end(), {"--patience", rules.patience});
  const auto summary = run_here(here, *task.expansion);
  if (!summary) return report_error(summary.error().message);
  const int status = exit_status(*summary, task.database, rules.suffices);
  // Only `run` and `resume` print this command, because `resume` measures on this machine.
  print_summary(*summary, task, status,
                {rules.json, rules.quiet, "kernsweep resume " + quoted_word(task.database)});
  return status;
}

}  // namespace kernsweep
