#include "cli/grammar/recurring_options.hpp"

namespace kernsweep {

Option add_sweep_file(Options& to, std::string& into) {
  return to.option("file", into, "Sweep file (YAML or JSON)").required();
}
Option add_database(Options& to, std::string& into) {
  return to.option("database", into, "Results database").required();
}
Option add_sweep_name(Options& to, std::string& into) {
  return to.option("--sweep", into, "Name or number of the sweep (default: the newest)");
}
Option add_result(Options& to, std::string& into) {
  return to.option("result", into, "Number of a result, or SWEEP/JOB").required();
}
Option add_new_database(Options& to, std::string& into) {
  return to.option("--db", into, "Results database (default: <name of the sweep>.db in this folder)");
}
Option add_json(Options& to, bool& into) {
  return to.flag("--json", into, "Answer as JSON on stdout");
}
Option add_quiet(Options& to, bool& into) {
  return to.flag("-q,--quiet", into, "No progress, only the result");
}
Option add_again(Options& to, bool& into) {
  return to.flag("--again", into, "Measure anew what has been measured");
}
Option add_all_grades(Options& to, bool& into) {
  return to.flag("--all-grades", into, "Use rows graded C too (default: A and B)");
}
Option add_threshold(Options& to, std::string& into) {
  return to.option("--threshold", into, "Differences below are of no interest (default: 1%)");
}
Option add_worker_memory(Options& to, std::string& into) {
  return to.option(
      "--memory", into,
      "Memory for all slots and operands together, a quarter of it for operands: 8GiB, 50% (default: a "
      "quarter of the machine's for operands, four fifths for each slot)");
}

void add_replacements(Options& to, Replacements& into) {
  to.option("-a,--axis", into.axes,
            "Replace an axis: -a 'threads[pow2]=[0:3]', -a 'dtype=[f32]', or add one: -a '+n=[1,2]'");
  to.option("--set", into.settings, "Replace a setting: --set measure.processes=5");
  to.option("--only", into.only, "Keep the points for which the expression holds");
  to.option("--sample", into.sample, "Keep a seeded share of the points: --sample 10%");
  to.flag("--quick", into.quick, "A first look: one process, few samples; results are marked");
}

}  // namespace kernsweep
