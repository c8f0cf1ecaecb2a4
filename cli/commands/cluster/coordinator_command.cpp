// The command `coordinator`: runs a sweep, or the sweeps that clients submit, on the workers that connect.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "cli/commands/run/local_run.hpp"
#include "cli/commands/run/sweep_summary.hpp"
#include "cli/exit_status.hpp"
#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/grammar/replacement_words.hpp"
#include "cli/show/output.hpp"
#include "language/file/command_template.hpp"
#include "language/file/replacements_text.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

class CoordinatorCommand : public Command {
 public:
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 private:
  Result<SweepTask> task() const;
  Status choose_keys(const SweepTask& task, CoordinatorConfig& config) const;
  Result<CoordinatorSummary> coordinate_network(const SweepTask& task) const;
  int tell(const SweepTask& task, const CoordinatorSummary& summary, const std::string& how_to_go_on) const;

  std::string file_, database_, join_, metrics_, insecure_, again_;
  std::string to_go_on_;  // if `ssh` or `slurm` started it: how the user resumes the sweep
  std::vector<std::string> listen_, advertise_;
  Replacements replacements_;
  bool stay_ = false, quiet_ = false, json_ = false;
};

void CoordinatorCommand::declare(Options& to) {
  to.option("file", file_, "Sweep file; none: clients submit sweeps (needs --db)");
  add_replacements(to, replacements_);
  add_new_database(to, database_);
  add_again(to, again_);
  add_quiet(to, quiet_);
  add_json(to, json_);
  to.option("--listen", listen_,
            "Address for workers, such as tcp://*:7777 (port *: any); may be given several times")
      .required();
  to.flag("--stay", stay_,
          "Do not end when every job has its outcome; wait for hosts that fit as long as it takes");
  to.option("--join", join_,
            "Join file to write for workers (default: <name of the sweep, or else of the database>.join)");
  to.option("--advertise", advertise_,
            "Address that workers are to use, such as tcp://HOST:7777, if this host's own does not work");
  to.option("--metrics", metrics_,
            "Serve metrics for Prometheus at PORT of this machine, or HOST:PORT of a network");
  to.flag("--insecure{yes}", insecure_,
          "No keys, no encryption: on this machine, or anywhere with --insecure=yes-on-a-network");
  to.option("--to-go-on", to_go_on_, "").hidden();
}

Result<SweepTask> CoordinatorCommand::task() const {
  if (!file_.empty()) return task_of_file(file_, replacements_, database_);
  if (database_.empty())
    return failure("coordinator: give a sweep file, or --db FILE for the sweeps that clients submit");
  return SweepTask{std::nullopt, replacements_, database_};
}

bool beyond_this_machine(const std::string& endpoint) {
  for (const char* local : {"tcp://127.", "tcp://localhost:", "tcp://[::1]:", "ipc://"}) {
    if (endpoint.starts_with(local)) return false;
  }
  return true;
}

// Replaces "all interfaces" in an address by HOST, which the user replaces by this machine's name.
std::string with_a_host(const std::string& endpoint) {
  for (const std::string all : {"tcp://0.0.0.0:", "tcp://*:", "tcp://[::]:"}) {
    if (endpoint.starts_with(all)) return "tcp://HOST:" + endpoint.substr(all.size());
  }
  return endpoint;
}

// Sets the join file and the advertised addresses. Connections are encrypted unless --insecure is given or
// all addresses are ipc://, to which processes of other users cannot listen.
Status CoordinatorCommand::choose_keys(const SweepTask& task, CoordinatorConfig& config) const {
  const bool tcp = std::ranges::any_of(listen_, [](const auto& e) { return !e.starts_with("ipc://"); });
  if (insecure_.empty()) {
    if (!tcp) return Done{};
    config.join = join_;
    if (config.join.empty()) {
      const std::string name = task.expansion ? task.expansion->sweep().name
                                              : std::filesystem::path(task.database).stem().string();
      config.join = name + ".join";
    }
    config.advertised = advertise_;
    return Done{};
  }
  if (insecure_ != "yes" && insecure_ != "yes-on-a-network")
    return failure("--insecure=" + insecure_ + ": write --insecure or --insecure=yes-on-a-network");
  if (!join_.empty())
    return failure("--insecure has no keys that a join file could hold; leave out --insecure or --join");
  for (const std::string& endpoint : listen_) {
    if (!beyond_this_machine(endpoint) || insecure_ == "yes-on-a-network") continue;
    return failure(
        "--listen " + endpoint +
        " can be reached from other machines, and --insecure neither encrypts nor authenticates; leave it "
        "out, listen on tcp://127.0.0.1:PORT, or write --insecure=yes-on-a-network");
  }
  return Done{};
}

Result<CoordinatorSummary> CoordinatorCommand::coordinate_network(const SweepTask& task) const {
  CoordinatorConfig config;
  KS_RETURN_IF_ERROR(choose_keys(task, config));
  config.database = task.database;
  config.replacements = text_of(task.replacements);
  config.again = again_of(again_);
  config.metrics = metrics_;
  config.stay = stay_ || !task.expansion;
  config.endpoints = listen_;
  bool hint_shown = quiet_;
  // libzmq's name for all addresses of both versions, which is replaced unless the user has written it.
  constexpr std::string_view kAll = "tcp://[::]:";
  const bool as_asked = std::ranges::any_of(listen_, [&](const auto& e) { return e.starts_with(kAll); });
  config.listening = [&](const std::string& bound) {
    const std::string endpoint =
        bound.starts_with(kAll) && !as_asked ? "tcp://*:" + bound.substr(kAll.size()) : bound;
    if (!quiet_) std::fprintf(stderr, "listening on %s\n", endpoint.c_str());
    if (!std::exchange(hint_shown, true)) {
      const std::string how = config.join.empty() ? "--connect " + quoted_word(with_a_host(endpoint))
                                                  : "--join " + quoted_word(config.join);
      std::fprintf(stderr, "workers join by: kernsweep worker %s\n", how.c_str());
    }
  };
  return coordinate_watched(config, task.expansion ? &*task.expansion : nullptr, quiet_ || json_);
}

// Prints the summaries, the command's own sweep last. Returns the worst exit status of all sweeps.
int CoordinatorCommand::tell(const SweepTask& task, const CoordinatorSummary& summary,
                             const std::string& how_to_go_on) const {
  const SummaryStyle style{json_, quiet_, how_to_go_on};
  int worst = summary.failure.empty() && summary.low_space.empty() ? kExitAllAccepted : kExitResumable;
  for (const SweepSummary& each : summary.others) {
    const int status = exit_status(each, task.database);
    worst = std::max(worst, status);
    if (json_) {
      print_summary(each, task, status, style);
    } else {
      std::printf("%s@%u: %s measured, %s without a result\n", each.name.c_str(), each.sweep.value,
                  text_of_count(each.tally.ok).c_str(), text_of_count(each.tally.failed).c_str());
    }
  }
  if (summary.own) {
    worst = std::max(worst, exit_status(*summary.own, task.database));
    print_summary(*summary.own, task, worst, style);
  }
  const bool own_goes_on = summary.own && goes_on(*summary.own);
  if (!own_goes_on && !json_ && std::ranges::any_of(summary.others, goes_on))
    print_how_to_go_on(how_to_go_on, false);
  return worst;
}

int CoordinatorCommand::run(const Invocation& given) {
  const auto sweep_task = task();
  if (!sweep_task) return report_error(sweep_task.error().message);
  const auto summary = coordinate_network(*sweep_task);
  if (!summary) return report_error(summary.error().message);
  return tell(*sweep_task, *summary, to_go_on_.empty() ? command_to_go_on(given.words) : to_go_on_);
}

}  // namespace

CommandEntry coordinator_command() {
  return {"coordinator", "Run a sweep on the workers that connect", kMeasureFooter,
          std::make_unique<CoordinatorCommand>()};
}

}  // namespace kernsweep
