// The command `worker`: runs the worker of this host.
#include <unistd.h>

#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "shared/text/duration_text.hpp"
#include "worker/process/limits.hpp"
#include "worker/process/orphans.hpp"
#include "worker/spool/spool_folder.hpp"
#include "worker/worker.hpp"

namespace kernsweep {
namespace {

constexpr double kYear_s = 31536000;

// Checks of option values: each returns what is wrong, or an empty text if the value is valid.
std::string no_cores(const std::string& cores) {
  const bool none = !cores.empty() && cores.find_first_not_of('0') == std::string::npos;
  return none ? "0 leaves nothing to measure with; give 1 or more, or leave it out" : "";
}

std::string no_name_of_a_host(const std::string& name) {
  const bool number = name.find_first_not_of("0123456789") == std::string::npos;  // like a worker's number
  const bool odd =
      number || name.empty() || name.size() > 253 || name.find_first_of(" \t\n@/") != std::string::npos;
  return odd ? "a name has 1 to 253 characters, not only digits, no blanks, no '@' and no '/'" : "";
}

class WorkerCommand : public Command {
 public:
  void declare(Options& to) override;
  int run(const Invocation& given) override;

 private:
  Result<WorkerConfig> config() const;
  Status take_token(WorkerConfig& config) const;

  std::string join_, connect_, memory_, name_, allow_, spool_, patience_;
  std::vector<std::string> tags_;
  std::uint32_t cores_ = 0;
  std::optional<std::uint32_t> gpus_;
  double wait_s_ = 0, drain_time_s_ = 60;
  bool reserve_core_ = false;
  std::string family_;  // the only family that `run` measures
  bool local_ = false;  // true: started by `run`, and reads its token from descriptor 3
};

void WorkerCommand::declare(Options& to) {
  Options whom = to.exactly_one("coordinator");
  whom.option("--join", join_, "Join file that the coordinator has written");
  whom.option("--connect", connect_, "Address of a coordinator that listens with --insecure");
  to.option("--cores", cores_, "Cores to offer (default: all that this process may use)").check(no_cores);
  to.flag("--reserve-core", reserve_core_,
          "Keep the core with the lowest number for the worker itself: no job gets it");
  add_worker_memory(to, memory_);
  to.option("--gpus", gpus_, "GPUs to offer (default: all that CUDA shows; 0: none)");
  to.option("--name", name_, "Name of this host in results and lists (default: its hostname)")
      .check(no_name_of_a_host);
  to.option("--tag", tags_,
            "A fact of this host, for `requires` of sweeps: --tag rack=7 is host.rack; can be repeated");
  to.option(
      "--allow", allow_,
      "What to run: --allow packs,command,python,build (default: all); without command, sweeps cannot "
      "set LD_PRELOAD and its like either; sweeps with `build` need command and build");
  to.option("--spool", spool_,
            "Folder for what was measured and not delivered yet (default: kernsweep/spool in "
            "$XDG_STATE_HOME or in ~/.local/state)");
  to.option("--drain-time", drain_time_s_,
            "When stopped (SIGTERM, Ctrl-C), let what runs finish for so many seconds (default: 60; 0: "
            "end at once, as a second signal does)")
      .range(0.0, kYear_s);
  add_patience(to, patience_);
  to.option("--wait", wait_s_,
            "Give up when no coordinator answers for so many seconds (default: wait for ever)")
      .range(0.001, kYear_s);
  to.flag("--local", local_, "").hidden();
  to.option("--family", family_, "").hidden();
}

Result<WorkerConfig> WorkerCommand::config() const {
  WorkerConfig config;
  config.endpoint = connect_;
  config.join_file = join_;
  config.cores = cores_;
  config.gpus = gpus_;
  config.reserve_core = reserve_core_;
  config.memory = memory_;
  config.name = name_;
  config.tags = tags_;
  config.pack_folders = pack_folders();
  config.family = family_;
  config.wait_for_coordinator = from_seconds(wait_s_);
  config.drain_time = from_seconds(drain_time_s_);
  if (!patience_.empty()) {
    KS_ASSIGN_OR_RETURN(const auto patience, duration_of(patience_));
    config.patience = patience;
  }
  config.spool_folder = spool_.empty() ? usual_spool_folder() : spool_;
  if (!allow_.empty()) {
    KS_ASSIGN_OR_RETURN(config.allow, allowed_kinds(allow_));
  }
  return config;
}

Status WorkerCommand::take_token(WorkerConfig& config) const {
  constexpr int kTokenDescriptor = 3;
  char token[16];
  if (read(kTokenDescriptor, token, sizeof token) != sizeof token)
    return failure("--local is for 'kernsweep run' only");
  config.token.assign(token, sizeof token);
  close(kTokenDescriptor);
  return Done{};
}

int WorkerCommand::run(const Invocation&) {
  auto settings = config();
  if (!settings) return report_error(settings.error().message);
  if (local_) {
    // `run` receives results at once, or restarts the worker: it needs no spool on disk and no drain.
    settings->spool_folder.clear();
    settings->drain_time = {};
    if (const Status taken = take_token(*settings); !taken) return report_error(taken.error().message);
  }
  adopt_and_end_orphans();
  return run_worker(*settings);
}

}  // namespace

CommandEntry worker_command() {
  return {"worker", "Measure for a coordinator",
          "Exit status: 0 the coordinator is done or the worker was stopped, 1 refused or no reply,\n"
          "2 this host cannot work, or bad usage.",
          std::make_unique<WorkerCommand>()};
}

}  // namespace kernsweep
