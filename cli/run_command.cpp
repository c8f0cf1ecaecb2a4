// run, coordinator, resume: a sweep from its file to its findings.
#include <cstdio>
#include <filesystem>

#include "cli/arguments.hpp"
#include "cli/claims_of_sweep.hpp"
#include "cli/json.hpp"
#include "cli/local_run.hpp"
#include "cli/stored_point.hpp"
#include "coordinator/sweep/replacements_text.hpp"
#include "results/answer_text.hpp"
#include "results/findings.hpp"
#include "results/json.hpp"
#include "results/reader.hpp"
#include "results/units.hpp"

namespace kernsweep {
namespace {

struct Task {
  Expansion expansion;
  Replacements replacements;
  std::string database;
};

Result<Task> task_of(const Arguments& arguments) {
  if (arguments.command != Command::resume) {
    auto expansion = Expansion::read(arguments.file, arguments.replacements);
    if (!expansion) return tl::unexpected(expansion.error());
    const std::string database =
        arguments.database.empty() ? expansion->sweep().name + ".db" : arguments.database;
    return Task{std::move(*expansion), arguments.replacements, database};
  }
  auto reader = Reader::open(arguments.file);
  if (!reader) return tl::unexpected(reader.error());
  const auto stored = reader->find_sweep(arguments.sweep);
  if (!stored) return tl::unexpected(stored.error());
  auto task = task_of(*stored);
  if (!task) return tl::unexpected(task.error());
  return Task{std::move(task->expansion), std::move(task->replacements), arguments.file};
}

bool beyond_this_machine(const std::string& endpoint) {
  for (const char* local : {"tcp://127.", "tcp://localhost:", "tcp://[::1]:", "ipc://"}) {
    if (endpoint.starts_with(local)) return false;
  }
  return true;
}

// Whether every job of the sweep that has an outcome has an accepted result.
bool all_accepted(const std::string& database, SweepId id) {
  auto reader = Reader::open(database);
  if (!reader) return false;
  const auto accepted = reader->all_accepted(id);
  return accepted && *accepted;
}

int exit_status(const SweepSummary& summary, const std::string& database) {
  using coordination::Ending;
  if (summary.ending != Ending::complete && summary.ending != Ending::incomplete) return kExitResumable;
  return all_accepted(database, summary.sweep) ? kExitAllAccepted : kExitSomeWithout;
}

void print_findings(const std::string& database, SweepId id) {
  constexpr std::size_t kProblemsShown = 24;
  constexpr std::size_t kEffectsShown = 12;
  auto reader = Reader::open(database);
  if (!reader) return;
  const auto found = findings(*reader, std::to_string(id.value), kProblemsShown);
  const bool any_row = found && !found->best.rows.rows.empty();
  // Where nothing has a result, the reasons of the failures below say so.
  if (any_row || (found && found->best.left_out_grade > 0)) {
    std::printf("\nBest setting for each problem:\n%s",
                text_of(found->best, database, kProblemsShown).c_str());
    if (any_row && found->best.left_out() > 0)
      std::printf("%s", text_of_left_out(found->best, best_with_grade_c(database)).c_str());
    const std::string told = text_of(found->effects, kEffectsShown);
    if (!told.empty()) std::printf("\n%s", told.c_str());
  }
  const ClaimsQuestion question{std::to_string(id.value)};
  const auto claims = claims_of_sweep(*reader, question);
  if (claims && *claims) std::printf("\nClaims:\n%s", text_of(**claims, question).c_str());
  if (!claims) std::printf("\nThe claims could not be judged: %s\n", claims.error().message.c_str());
  if (found && found->all_ok) return;
  const auto failures = text_of_failures(*reader, id);
  if (failures && !failures->empty()) std::printf("\nJobs without a result:\n%s", failures->c_str());
}

void print_summary(const SweepSummary& summary, const Task& task, bool quiet) {
  using coordination::Ending;
  const auto& tally = summary.tally;
  if (summary.nothing_to_do) {
    std::printf("Nothing to do: every job of '%s' has its outcome in %s. Use --again to measure anew.\n",
                task.expansion.sweep().name.c_str(), task.database.c_str());
  }
  if (!quiet) print_findings(task.database, summary.sweep);
  if (!summary.nothing_to_do) {
    const auto jobs = tally.ok + tally.failed;
    std::printf("\n%s %s in %s: %s measured, %s without a result; results: %s\n",
                text_of_count(jobs).c_str(), jobs == 1 ? "job" : "jobs",
                text_of_wait(summary.seconds).c_str(), text_of_count(tally.ok).c_str(),
                text_of_count(tally.failed).c_str(), task.database.c_str());
  }
  switch (summary.ending) {
    case Ending::complete:
    case Ending::incomplete:
      break;
    case Ending::time_limit:
      std::printf("The time limit of the sweep (timeout.sweep) was reached. ");
      [[fallthrough]];
    case Ending::stopped:
    case Ending::store_failed:
      std::printf("Stopped before the end. To go on: kernsweep resume %s\n", task.database.c_str());
  }
}

void print_json(const SweepSummary& summary, const Task& task, int status) {
  std::string told, judged;
  if (auto reader = Reader::open(task.database)) {
    const auto found = findings(*reader, std::to_string(summary.sweep.value));
    if (found) told = to_json(*found);
    const auto claims = claims_of_sweep(*reader, {std::to_string(summary.sweep.value)});
    if (claims && *claims) judged = to_json(**claims);
  }
  const std::string& name = task.expansion.sweep().name;
  std::printf("%s\n", summary_json(summary, name, task.database, status, told, judged).c_str());
}

// `coordinator`: agents of other machines join by its address.
Result<SweepSummary> coordinate_network(const Arguments& arguments, const Task& task, bool quiet) {
  if (beyond_this_machine(arguments.listen) && arguments.insecure != "yes-on-a-network") {
    return failure("--listen " + arguments.listen +
                   " can be reached from other machines, and this version neither encrypts nor asks who "
                   "connects; listen on tcp://127.0.0.1:PORT, or say --insecure=yes-on-a-network");
  }
  CoordinatorConfig config;
  config.database = task.database;
  config.replacements = text_of(task.replacements);
  config.again = arguments.again;
  config.stay = arguments.stay;
  config.endpoint = arguments.listen;
  config.listening = [&](const std::string& endpoint) {
    if (!arguments.quiet) std::fprintf(stderr, "listening on %s\n", endpoint.c_str());
  };
  return coordinate_watched(config, task.expansion, quiet);
}

}  // namespace

int run_command(const Arguments& arguments) {
  const auto task = task_of(arguments);
  if (!task) return report_error(task.error().message);
  const bool quiet = arguments.quiet || arguments.json;
  const LocalRun here{task->database, task->replacements, arguments.again, arguments.verbose, quiet};
  const auto summary = arguments.command == Command::coordinator
                           ? coordinate_network(arguments, *task, quiet)
                           : run_here(here, task->expansion);
  if (!summary) return report_error(summary.error().message);
  const int status = exit_status(*summary, task->database);
  if (arguments.json) {
    print_json(*summary, *task, status);
  } else {
    print_summary(*summary, *task, arguments.quiet);
  }
  return status;
}

}  // namespace kernsweep
