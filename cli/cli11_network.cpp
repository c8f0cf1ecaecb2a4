// The command line: many machines.
#include "cli/cli11.hpp"

namespace kernsweep {
namespace {

constexpr const char* kWorkerFooter =
    "Exit status: 0 the coordinator is done or the worker was stopped, 1 refused or nobody answered,\n"
    "2 this host cannot work, or bad usage.";

}  // namespace

void CommandLine::add_network() {
  CLI::App* const coordinator =
      command(Command::coordinator, "coordinator", "Run a sweep on the workers that connect");
  add_file(coordinator);
  add_replacements(coordinator);
  add_output(coordinator);
  coordinator
      ->add_option("--listen", out_.listen,
                   "Address for workers, such as tcp://127.0.0.1:7777 (port *: any)")
      ->required();
  coordinator->add_flag("--stay", out_.stay, "Do not end when every job has its outcome");
  coordinator->add_option("--insecure", out_.insecure,
                          "Listen beyond this machine without encryption: --insecure=yes-on-a-network");

  CLI::App* const worker = command(Command::worker, "worker", "Measure for a coordinator");
  worker->add_option("--connect", out_.connect, "Address of the coordinator, such as tcp://127.0.0.1:7777")
      ->required();
  worker->add_option("--cores", out_.cores, "Cores to offer (default: all that this process may use)");
  worker->add_option("--wait", out_.wait_s,
                     "Give up when no coordinator answers for so many seconds (default: wait for ever)");
  worker->add_flag("--local", out_.local)->group("");
  worker->footer(kWorkerFooter);
}

}  // namespace kernsweep
