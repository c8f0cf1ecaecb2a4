// The command line: what is wrong, and how to go on.
#include "cli/grammar/program_options.hpp"

namespace kernsweep {
namespace {

constexpr const char* kDoctorFooter =
    "-v tells of good findings too why they matter; docs/reference/doctor.md explains each check.\n"
    "Exit status: 0 nothing is bad, 1 something is, 2 bad usage.";

constexpr const char* kRecoverFooter =
    "The damaged file is only read. Go on with the new one: kernsweep resume <name>.recovered.db\n"
    "Exit status: 0 all saved, 1 some rows are lost, 2 nothing could be saved or bad usage;\n"
    "with --check: 0 no damage found, 1 damage, of which recover saves what it can, 2 nothing to be saved.";

}  // namespace

void CommandLine::add_repair() {
  CLI::App* const doctor = command(Command::doctor, "doctor",
                                   "Look whether this machine is fit to be measured on; changes nothing");
  add_json(doctor);
  doctor->footer(kDoctorFooter);

  CLI::App* const resume = command(Command::resume, "resume", "Go on with a sweep that was stopped");
  resume->add_option("database", out_.file, "Results database")->required();
  resume->add_option("--sweep", out_.sweep, "Name or number of the sweep (default: the newest)");
  resume->add_flag("-q,--quiet", out_.quiet, "No progress, only the result");
  add_memory(resume);
  add_json(resume);

  CLI::App* const recover =
      command(Command::recover, "recover", "Save what can be saved of a damaged database");
  add_database(recover);
  recover->add_option("--to", out_.database, "New database (default: <name>.recovered.db beside it)");
  recover->add_flag("--check", out_.only_check, "Only look for damage; nothing is written");
  recover->footer(kRecoverFooter);

  client(Command::readmit, "readmit", "Let a quarantined host join again: all its jobs had failed")
      ->add_option("host", out_.which,
                   "Name or number of the host, as the reason why it is quarantined has it")
      ->required();
}

}  // namespace kernsweep
