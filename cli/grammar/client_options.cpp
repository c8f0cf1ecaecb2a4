// The command line: questions to a running coordinator.
#include "cli/grammar/program_options.hpp"

namespace kernsweep {
namespace {

constexpr const char* kClientFooter =
    "The coordinator is named by --join FILE; without it by the one *.client.join file of this folder.\n"
    "Exit status: 0 answered, 2 bad input or usage, nobody answers, or the coordinator says no.";

}  // namespace

CLI::App* CommandLine::client(Command which, const std::string& name, const std::string& what) {
  CLI::App* const added = command(which, name, what);
  CLI::Option* const join = added->add_option("--join", out_.join, "Client's join file of the coordinator");
  added->add_option("--connect", out_.connect, "Address of a coordinator that listens with --insecure")
      ->excludes(join);
  add_json(added);
  added->footer(kClientFooter);
  return added;
}

void CommandLine::add_clients() {
  CLI::App* const submit = client(Command::submit, "submit", "Bring a sweep to a running coordinator");
  add_file(submit);
  add_replacements(submit);
  submit->add_option("--priority", out_.priority, "Larger goes first (default: 0)")
      ->check(CLI::Range(-1'000'000, 1'000'000));
  submit->add_flag("--again", out_.again, "Measure anew what has been measured");

  CLI::App* const status =
      client(Command::status, "status", "The sweeps of a coordinator, and how far they are");
  status->add_flag("--watch", out_.watch,
                   "Show it again every second until Ctrl-C, also when the coordinator is away meanwhile");

  CLI::App* const workers =
      client(Command::workers, "workers", "The workers of a coordinator, and what they do");
  workers->add_flag("--watch", out_.watch,
                    "Show it again every second until Ctrl-C, also when the coordinator is away meanwhile");

  client(Command::cancel, "cancel", "End a sweep; what it has measured is kept")
      ->add_option("sweep", out_.which, "Name or number of the sweep, as status shows it")
      ->required();
  client(Command::explain, "explain", "Why a job is not running, or where it is")
      ->add_option(
          "job", out_.which,
          "SWEEP/JOB, such as gemm/17; JOB alone: of the newest sweep. kernsweep expand FILE --jobs "
          "lists their numbers")
      ->required();
  client(Command::drain, "drain", "Let a worker finish what runs, and leave")
      ->add_option("worker", out_.which, "Number of the worker, or name of its host, as workers shows them")
      ->required();
}

}  // namespace kernsweep
