// The command line: many machines.
#include "cli/grammar/program_options.hpp"

namespace kernsweep {
namespace {

constexpr const char* kWorkerFooter =
    "Exit status: 0 the coordinator is done or the worker was stopped, 1 refused or nobody answered,\n"
    "2 this host cannot work, or bad usage.";

}  // namespace

void CommandLine::add_network() {
  CLI::App* const coordinator =
      command(Command::coordinator, "coordinator", "Run a sweep on the workers that connect");
  coordinator->add_option("file", out_.file, "Sweep file; none: clients submit sweeps (needs --db)");
  add_replacements(coordinator);
  add_output(coordinator);
  coordinator
      ->add_option("--listen", out_.listen,
                   "Address for workers, such as tcp://*:7777 (port *: any); may be given several times")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  coordinator->add_flag("--stay", out_.stay, "Do not end when every job has its outcome");
  coordinator->add_option(
      "--join", out_.join,
      "Join file to write for workers (default: <name of the sweep, or else of the database>.join)");
  coordinator
      ->add_option(
          "--advertise", out_.advertise,
          "Address that workers are to use, such as tcp://HOST:7777, where this host's own will not do")
      ->take_all()
      ->allow_extra_args(false);
  coordinator
      ->add_option("--metrics", out_.metrics,
                   "Serve metrics for Prometheus at PORT of this machine, or HOST:PORT of a network")
      ->check(not_empty);
  coordinator->add_flag(
      "--insecure{yes}", out_.insecure,
      "No keys, no encryption: on this machine, or anywhere with --insecure=yes-on-a-network");
  coordinator->add_option("--to-go-on", out_.to_go_on)->group("");

  CLI::App* const worker = command(Command::worker, "worker", "Measure for a coordinator");
  CLI::Option_group* const whom = worker->add_option_group("coordinator");
  whom->add_option("--join", out_.join, "Join file that the coordinator has written");
  whom->add_option("--connect", out_.connect, "Address of a coordinator that listens with --insecure");
  whom->require_option(1);
  add_worker_limits(worker);
  worker
      ->add_option("--wait", out_.wait_s,
                   "Give up when no coordinator answers for so many seconds (default: wait for ever)")
      ->check(CLI::Range(0.001, 31536000.0));
  worker->add_flag("--local", out_.local)->group("");
  worker->footer(kWorkerFooter);
}

}  // namespace kernsweep
