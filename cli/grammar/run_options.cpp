// The command line: one machine, and what a sweep file means.
#include "cli/grammar/program_options.hpp"

namespace kernsweep {
void CommandLine::add_run() {
  CLI::App* const run = command(Command::run, "run", "Run a sweep on this machine");
  add_file(run);
  add_replacements(run);
  add_output(run);
  add_memory(run);
}

void CommandLine::add_sweep_files() {
  CLI::App* const check =
      command(Command::check, "check", "Explain a sweep file: axes, counts, rejected points, time");
  add_file(check);
  add_replacements(check);
  add_json(check);
  check->footer(kAnswerFooter);

  CLI::App* const expand = command(Command::expand, "expand", "Show each point of a sweep file");
  add_file(expand);
  add_replacements(expand);
  expand->add_flag("--list", out_.list, "Only the points that will be measured (default)");
  expand->add_flag("--explain", out_.explain, "Rejected points too, with the rule that rejected each");
  expand->add_flag("--jobs", out_.jobs,
                   "The numbers of each point's jobs, by which `explain` and the database call them");
  add_json(expand);
  expand->footer(kAnswerFooter);

  command(Command::schema, "schema", "Print the JSON Schema of sweep files, for editors")
      ->footer(kAnswerFooter);

  CLI::App* const kernels = command(Command::kernels, "kernels",
                                    "List kernels, variants and parameters, and what cannot run here");
  kernels->add_option("family", out_.which, "Only this family");
  add_json(kernels);
  kernels->footer(kAnswerFooter);
}

}  // namespace kernsweep
