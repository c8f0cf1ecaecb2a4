// The commands `status`, `workers`, `cancel`, `explain` and `drain`: one request each, with at most one
// argument.
#include "cli/commands/cluster/client_command_base.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {

CommandEntry status_command() {
  return request_command({"status", "The sweeps of a coordinator, and their progress", nullptr, nullptr,
                          [](wire::Request& request, const std::string&) { request.mutable_status(); }});
}

CommandEntry workers_command() {
  return request_command({"workers", "The workers of a coordinator, and what they do", nullptr, nullptr,
                          [](wire::Request& request, const std::string&) { request.mutable_workers(); }});
}

CommandEntry cancel_command() {
  return request_command({"cancel", "End a sweep; what it has measured is kept", "sweep",
                          "Name or number of the sweep, as status shows it",
                          [](wire::Request& request, const std::string& sweep) {
                            request.mutable_cancel()->set_sweep(sweep);
                          }});
}

CommandEntry explain_command() {
  return request_command(
      {"explain", "Why a job is not running, or where it is", "job",
       "SWEEP/JOB, such as gemm/17; JOB alone: of the newest sweep. kernsweep expand FILE --jobs "
       "lists their numbers",
       [](wire::Request& request, const std::string& job) { request.mutable_why()->set_job(job); }});
}

CommandEntry drain_command() {
  return request_command({"drain", "Let a worker finish what runs, and leave", "worker",
                          "Number of the worker, or name of its host, as workers shows them",
                          [](wire::Request& request, const std::string& worker) {
                            if (const auto number = number_of<std::uint32_t>(worker)) {
                              request.mutable_drain()->set_worker(*number);
                            } else {
                              request.mutable_drain()->set_host(worker);
                            }
                          }});
}

}  // namespace kernsweep
