// worker: the agent of this host.
#include <unistd.h>

#include "cli/arguments.hpp"
#include "shared/installation.hpp"
#include "worker/agent/agent.hpp"

namespace kernsweep {

int worker_command(const Arguments& arguments) {
  AgentConfig config;
  config.endpoint = arguments.connect;
  config.cores = arguments.cores;
  config.pack_folders = pack_folders();
  config.wait_for_coordinator = from_seconds(arguments.wait_s);
  if (arguments.local) {
    constexpr int kTokenDescriptor = 3;
    char token[16];
    if (read(kTokenDescriptor, token, sizeof token) != sizeof token)
      return report_error("--local is for 'kernsweep run' only");
    config.token.assign(token, sizeof token);
    close(kTokenDescriptor);
  }
  return run_agent(config);
}

}  // namespace kernsweep
