// The command `readmit`: lets a quarantined host join again.
#include "cli/commands/cluster/client_command_base.hpp"

namespace kernsweep {

CommandEntry readmit_command() {
  return request_command(
      {"readmit", "Let a quarantined host join again: all its jobs had failed", "host",
       "Name or number of the host, as in the reason for its quarantine",
       [](wire::Request& request, const std::string& host) { request.mutable_readmit()->set_host(host); }});
}

}  // namespace kernsweep
