// run, coordinator, resume: a sweep from its file to its findings.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/commands/claims_of_sweep.hpp"
#include "cli/commands/local_run.hpp"
#include "cli/commands/stored_point.hpp"
#include "cli/grammar/arguments.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/show/json.hpp"
#include "language/command_template.hpp"
#include "language/file/replacements_text.hpp"
#include "results/answer/findings.hpp"
#include "results/read/reader.hpp"
#include "results/report/answer_text.hpp"
#include "results/report/json.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

struct Task {
  std::optional<Expansion> expansion;  // nothing: a coordinator to which clients bring sweeps
  Replacements replacements;
  std::string database;
};

Result<Task> task_of(const Arguments& arguments) {
  if (arguments.command == Command::coordinator && arguments.file.empty()) {
    if (arguments.database.empty())
      return failure("coordinator: give a sweep file, or --db FILE for the sweeps that clients submit");
    return Task{std::nullopt, arguments.replacements, arguments.database};
  }
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

bool was_stopped(const SweepSummary& summary) {
  using coordinator::Ending;
  return summary.ending != Ending::complete && summary.ending != Ending::incomplete;
}

// Stopped, and nobody has said that he does not want the rest.
bool goes_on(const SweepSummary& summary) {
  return was_stopped(summary) && !summary.cancelled;
}

// Its rules have rejected every point, which was not found out beforehand.
bool is_empty(const SweepSummary& summary) {
  return summary.nothing_to_do && summary.tally.done == 0;
}

int exit_status(const SweepSummary& summary, const std::string& database) {
  if (was_stopped(summary)) return kExitResumable;
  if (is_empty(summary)) return report_error("'" + summary.name + "' has no point left to measure");
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
  const auto& tally = summary.tally;
  if (summary.nothing_to_do && tally.done > 0) {
    std::printf("Nothing to do: every job of '%s' has its outcome in %s. Use --again to measure anew.\n",
                summary.name.c_str(), task.database.c_str());
  }
  if (!quiet) print_findings(task.database, summary.sweep);
  if (!summary.nothing_to_do) {
    const auto jobs = tally.ok + tally.failed;
    const std::string reused = tally.reused == 0 ? ""
                                                 : ", " + counted(tally.reused, "more has", "more have") +
                                                       " results of earlier sweeps";
    std::printf("\n%s %s in %s: %s measured, %s without a result%s; results: %s\n",
                text_of_count(jobs).c_str(), jobs == 1 ? "job" : "jobs",
                text_of_wait(summary.seconds).c_str(), text_of_count(tally.ok).c_str(),
                text_of_count(tally.failed).c_str(), reused.c_str(), task.database.c_str());
  }
  const std::string rejected =
      task.expansion ? text_of(summary.rejections, *task.expansion, "were") : std::string();
  if (!rejected.empty()) std::printf("%s\n", for_terminal(rejected).c_str());
}

// `resume` measures on this machine: workers of others come back to nobody but the same coordinator.
void print_how_to_go_on(const Arguments& arguments, const Task& task, bool time_limit) {
  std::string how = "kernsweep resume " + quoted_word(task.database);
  if (arguments.command == Command::coordinator)
    how = arguments.to_go_on.empty() ? command_to_go_on(arguments.words) : arguments.to_go_on;
  std::printf("%sStopped before the end. To go on: %s\n",
              time_limit ? "The time limit of the sweep (timeout.sweep) was reached. " : "", how.c_str());
}

void print_json(const SweepSummary& summary, const Task& task, int status) {
  std::string told, judged;
  const std::vector<Filter> rules = task.expansion ? task.expansion->filters() : std::vector<Filter>();
  if (auto reader = Reader::open(task.database)) {
    const auto found = findings(*reader, std::to_string(summary.sweep.value));
    if (found) told = to_json(*found);
    const auto claims = claims_of_sweep(*reader, {std::to_string(summary.sweep.value)});
    if (claims && *claims) judged = to_json(**claims);
  }
  std::printf("%s\n", summary_json(summary, rules, task.database, status, told, judged).c_str());
}

// In the clear only what asks for it, or what no other user's process can listen to.
Status choose_keys(const Arguments& arguments, const Task& task, CoordinatorConfig& config) {
  const bool tcp =
      std::ranges::any_of(arguments.listen, [](const auto& e) { return !e.starts_with("ipc://"); });
  if (arguments.insecure.empty()) {
    if (!tcp) return Done{};
    config.join = arguments.join;
    if (config.join.empty()) {
      const std::string name = task.expansion ? task.expansion->sweep().name
                                              : std::filesystem::path(task.database).stem().string();
      config.join = name + ".join";
    }
    config.advertised = arguments.advertise;
    return Done{};
  }
  if (arguments.insecure != "yes" && arguments.insecure != "yes-on-a-network")
    return failure("--insecure=" + arguments.insecure +
                   ": write --insecure or --insecure=yes-on-a-network");
  if (!arguments.join.empty())
    return failure("--insecure has no keys that a join file could hold; leave out --insecure or --join");
  for (const std::string& endpoint : arguments.listen) {
    if (!beyond_this_machine(endpoint) || arguments.insecure == "yes-on-a-network") continue;
    return failure("--listen " + endpoint +
                   " can be reached from other machines, and --insecure neither encrypts nor asks who "
                   "connects; leave it out, or listen on tcp://127.0.0.1:PORT, or say "
                   "--insecure=yes-on-a-network");
  }
  return Done{};
}

// An address of all interfaces, as a worker writes it: HOST is this machine's name or address.
std::string with_a_host(const std::string& endpoint) {
  for (const std::string all : {"tcp://0.0.0.0:", "tcp://*:", "tcp://[::]:"}) {
    if (endpoint.starts_with(all)) return "tcp://HOST:" + endpoint.substr(all.size());
  }
  return endpoint;
}

// `coordinator`: workers of other machines join by its join file.
Result<CoordinatorSummary> coordinate_network(const Arguments& arguments, const Task& task, bool quiet) {
  CoordinatorConfig config;
  if (const Status secured = choose_keys(arguments, task, config); !secured)
    return tl::unexpected(secured.error());
  config.database = task.database;
  config.replacements = text_of(task.replacements);
  config.again = arguments.again;
  config.metrics = arguments.metrics;
  config.stay = arguments.stay || !task.expansion;
  config.endpoints = arguments.listen;
  bool told = arguments.quiet;
  config.listening = [&](const std::string& endpoint) {
    if (!arguments.quiet) std::fprintf(stderr, "listening on %s\n", endpoint.c_str());
    if (!std::exchange(told, true)) {
      const std::string how = config.join.empty() ? "--connect " + quoted_word(with_a_host(endpoint))
                                                  : "--join " + quoted_word(config.join);
      std::fprintf(stderr, "workers join by: kernsweep worker %s\n", how.c_str());
    }
  };
  return coordinate_watched(config, task.expansion ? &*task.expansion : nullptr, quiet);
}

void tell(const SweepSummary& summary, const Arguments& arguments, const Task& task, int status) {
  if (arguments.json) {
    print_json(summary, task, status);
  } else {
    print_summary(summary, task, arguments.quiet);
    if (goes_on(summary))
      print_how_to_go_on(arguments, task, summary.ending == coordinator::Ending::time_limit);
  }
}

// The worst of all sweeps; that of the command's own sweep is told last.
int coordinator_status(const Arguments& arguments, const Task& task, const CoordinatorSummary& summary) {
  int worst = summary.failure.empty() ? kExitAllAccepted : kExitResumable;
  for (const SweepSummary& each : summary.others) {
    const int status = exit_status(each, task.database);
    worst = std::max(worst, status);
    if (arguments.json) {
      tell(each, arguments, task, status);
    } else {
      std::printf("%s@%u: %s measured, %s without a result\n", each.name.c_str(), each.sweep.value,
                  text_of_count(each.tally.ok).c_str(), text_of_count(each.tally.failed).c_str());
    }
  }
  if (summary.own) {
    worst = std::max(worst, exit_status(*summary.own, task.database));
    tell(*summary.own, arguments, task, worst);
  }
  const bool told = summary.own && goes_on(*summary.own);
  if (!told && !arguments.json && std::ranges::any_of(summary.others, goes_on))
    print_how_to_go_on(arguments, task, false);
  return worst;
}

}  // namespace

int run_command(const Arguments& arguments) {
  const auto task = task_of(arguments);
  if (!task) return report_error(task.error().message);
  if (task->expansion) {
    // The first job would not be sent before such a point is found, either.
    CheckLimits limits;
    limits.points = UINT64_MAX;
    limits.time = std::chrono::seconds(30);
    if (const Status some = leaves_a_point(*task->expansion, limits); !some)
      return report_error(some.error().message);
  }
  const bool quiet = arguments.quiet || arguments.json;
  if (arguments.command == Command::coordinator) {
    const auto summary = coordinate_network(arguments, *task, quiet);
    if (!summary) return report_error(summary.error().message);
    return coordinator_status(arguments, *task, *summary);
  }
  LocalRun here{task->database, task->replacements, arguments.again, logging_options(arguments), quiet};
  if (!arguments.worker.memory.empty())
    here.worker_options.insert(here.worker_options.end(), {"--memory", arguments.worker.memory});
  const auto summary = run_here(here, *task->expansion);
  if (!summary) return report_error(summary.error().message);
  const int status = exit_status(*summary, task->database);
  tell(*summary, arguments, *task, status);
  return status;
}

}  // namespace kernsweep
