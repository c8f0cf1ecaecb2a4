// The command line: what a worker offers and what it keeps to.
#include "cli/grammar/program_options.hpp"

namespace kernsweep {

void CommandLine::add_memory(CLI::App* to) {
  to->add_option(
      "--memory", out_.worker.memory,
      "Memory for all slots and operands together, a quarter of it for operands: 8GiB, 50% (default: a "
      "quarter of the machine's for operands, four fifths for each slot)");
}

void CommandLine::add_worker_limits(CLI::App* to) {
  WorkerArguments& out = out_.worker;
  to->add_option("--cores", out_.cores, "Cores to offer (default: all that this process may use)")
      ->check([](const std::string& cores) {
        const bool none = !cores.empty() && cores.find_first_not_of('0') == std::string::npos;
        return none ? std::string("0 leaves nothing to measure with; give 1 or more, or leave it out") : "";
      });
  to->add_flag("--reserve-core", out.reserve_core,
               "Keep the core with the lowest number for the worker itself: no job gets it");
  add_memory(to);
  to->add_option("--gpus", out.gpus, "GPUs to offer (default: all that CUDA shows; 0: none)");
  to->add_option("--name", out.name, "Name of this host in results and lists (default: its hostname)")
      ->check([](const std::string& name) {
        const bool number =
            name.find_first_not_of("0123456789") == std::string::npos;  // of a worker or host
        const bool odd = number || name.empty() || name.size() > 253 ||
                         name.find_first_of(" \t\n@/") != std::string::npos;
        return odd ? std::string(
                         "a name has 1 to 253 characters, not only digits, no blanks, no '@' and no '/'")
                   : "";
      });
  to->add_option(
        "--tag", out.tags,
        "A fact of this host, for `requires` of sweeps: --tag rack=7 is host.rack; can be repeated")
      ->take_all()
      ->allow_extra_args(false);
  to->add_option("--allow", out.allow,
                 "Kinds of kernels to run: --allow packs,command,python (default: all); without command, "
                 "sweeps cannot set LD_PRELOAD and its like either");
  to->add_option("--spool", out.spool,
                 "Folder for what was measured and not delivered yet (default: kernsweep/spool in "
                 "$XDG_STATE_HOME or in ~/.local/state)");
  to->add_option(
        "--drain-time", out.drain_time_s,
        "When stopped (SIGTERM, Ctrl-C), let what runs finish for so many seconds (default: 60; 0: "
        "end at once, as a second signal does)")
      ->check(CLI::Range(0.0, 31536000.0));
}

}  // namespace kernsweep
