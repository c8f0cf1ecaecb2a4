// The command `worker`: runs the worker of this host.
#include <unistd.h>

#include "cli/grammar/arguments.hpp"
#include "shared/base/installation.hpp"
#include "worker/process/limits.hpp"
#include "worker/spool/spool_folder.hpp"
#include "worker/worker.hpp"

namespace kernsweep {
namespace {

Status add_limits(const WorkerArguments& asked, WorkerConfig& config) {
  config.gpus = asked.gpus;
  config.reserve_core = asked.reserve_core;
  config.memory = asked.memory;
  config.name = asked.name;
  config.tags = asked.tags;
  config.drain_time = from_seconds(asked.drain_time_s);
  config.spool_folder = asked.spool.empty() ? usual_spool_folder() : asked.spool;
  if (asked.allow.empty()) return Done{};
  auto allowed = allowed_kinds(asked.allow);
  if (!allowed) return tl::unexpected(allowed.error());
  config.allow = std::move(*allowed);
  return Done{};
}

}  // namespace

int worker_command(const Arguments& arguments) {
  WorkerConfig config;
  config.endpoint = arguments.connect;
  config.join_file = arguments.join;
  config.cores = arguments.cores;
  config.pack_folders = pack_folders();
  config.wait_for_coordinator = from_seconds(arguments.wait_s);
  if (const Status limited = add_limits(arguments.worker, config); !limited)
    return report_error(limited.error().message);
  if (arguments.local) {
    // Whoever runs it delivers or starts again at once: no copy on the disk, and nobody waits for it.
    config.spool_folder.clear();
    config.drain_time = {};
    constexpr int kTokenDescriptor = 3;
    char token[16];
    if (read(kTokenDescriptor, token, sizeof token) != sizeof token)
      return report_error("--local is for 'kernsweep run' only");
    config.token.assign(token, sizeof token);
    close(kTokenDescriptor);
  }
  return run_worker(config);
}

}  // namespace kernsweep
