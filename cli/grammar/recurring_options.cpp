#include "cli/grammar/recurring_options.hpp"

#include "shared/text/duration_text.hpp"

namespace kernsweep {
namespace {

std::string no_patience(const std::string& text) {
  const auto patience = duration_of(text);
  if (!patience) return patience.error().message;
  const bool too_long = *patience > std::chrono::hours(1);
  return too_long ? "'" + text + "' is longer than an hour; stop what disturbs, or measure elsewhere" : "";
}

}  // namespace

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
Option add_again(Options& to, std::string& into) {
  return to
      .flag(
          "--again{all}", into,
          "Measure again what has been measured; --again=doubtful: only what is graded C or has no result")
      .check([](const std::string& word) {
        const bool known = word == "all" || word == "doubtful";
        return known ? std::string() : "'" + word + "' is neither 'all' nor 'doubtful'";
      });
}
Option add_all_grades(Options& to, bool& into) {
  return to.flag("--all-grades", into, "Use rows graded C too (default: A and B)");
}
Option add_where(Options& to, std::string& into) {
  return to.option("--where", into, "SQL condition over the columns of the sweep's view: --where 'm > 64'");
}
Option add_margin(Options& to, std::string& into) {
  return to.option(
      "--margin", into,
      "Differences below this share do not matter: results shown to differ by less are the same "
      "(default: 1%)");
}
Option add_worker_memory(Options& to, std::string& into) {
  return to.option(
      "--memory", into,
      "Memory for all slots and operands together, a quarter of it for operands: 8GiB, 50% (default: a "
      "quarter of the machine's for operands, four fifths for each slot)");
}

Option add_patience(Options& to, std::string& into) {
  return to
      .option("--patience", into,
              "How long the jobs of a sweep may wait, all together, until others on this host are quiet: "
              "--patience 2m (default: 10s, less for a short sweep; 0: do not wait)")
      .check(no_patience);
}

void add_replacements(Options& to, Replacements& into) {
  to.option("-a,--axis", into.axes,
            "Replace an axis: -a 'threads[pow2]=[0:3]', -a 'dtype=[f32]', or add one: -a '+n=[1,2]'");
  to.option("--set", into.settings, "Replace a setting: --set measure.processes=5");
  to.option("--only", into.only, "Keep the points for which the expression holds");
  to.option("--sample", into.sample, "Keep a seeded share of the points: --sample 10%");
  const auto set = [&into](const char* setting) {
    return [&into, setting](const std::string& word) { into.settings.push_back(setting + word); };
  };
  const Option processes =
      to.option("--processes", set("measure.processes="), "Measure each point in so many processes")
          .range(std::int64_t{1}, std::int64_t{1000});
  Option quick =
      to.flag("--quick", into.quick, "A first look: one process, few samples; results are marked");
  quick.excludes(processes);
  to.flag(
        "--decide", into.decide,
        "Measure until it is decided: each point in 10 processes (in 3, if there are more than 8 points), "
        "and only points of comparisons that are still open in up to 20")
      .excludes(processes)
      .excludes(quick);
  const auto set_budget = set("measure.processes.budget=");
  to.option(
        "--budget",
        [&into, set_budget](const std::string& word) {
          into.decide = true;
          set_budget(word);
        },
        "What the processes beyond those of each point may take together, with --decide: --budget 20m, "
        "--budget '200 jobs'")
      .excludes(processes)
      .excludes(quick);
}

}  // namespace kernsweep
