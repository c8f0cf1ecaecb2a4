#include "cli/grammar/program_options.hpp"

#include <algorithm>
#include <cstdio>

#include "shared/base/installation.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

// What is missing when a positional argument is; empty: CLI11's own words will do.
std::string how_to_give(const std::string& argument) {
  if (argument == "file") return "give a sweep file, such as sweeps/first_look.yaml";
  if (argument == "database") return "give a results database, such as first-look.db";
  if (argument == "result") return "give the number of a result, from the column `result`, or SWEEP/JOB";
  if (argument == "sides") return "give what to compare, such as gemm.db variant=blas variant=onednn";
  if (argument == "statement") return "give a statement, such as \"select * from results\"";
  return "";
}

constexpr const char* kExamples =
    "Examples:\n"
    "  kernsweep doctor                                    what would spoil numbers on this machine\n"
    "  kernsweep check sweeps/first_look.yaml              what a sweep will do, and how long at least\n"
    "  kernsweep run sweeps/first_look.yaml                measure; the results are in first-look.db\n"
    "  kernsweep best first-look.db                        the best setting for each problem\n"
    "  kernsweep show first-look.db 1                      one result, and how it was obtained\n"
    "  kernsweep compare first-look.db variant=blas variant=onednn\n"
    "  kernsweep coordinator FILE --listen tcp://*:7777    then, on each host:\n"
    "  kernsweep worker --join NAME.join                   measure for that coordinator\n"
    "  kernsweep recover first-look.db                     save what a damaged database still has\n"
    "kernsweep COMMAND --help tells its options and its exit statuses.";

}  // namespace

std::string not_empty(const std::string& word) {
  return word.empty() ? "is empty; leave the option out, or give it a word" : "";
}

CommandLine::CommandLine(Arguments& out) : out_(out) {
  app_.require_subcommand(1);
  app_.set_version_flag("--version", "kernsweep " + version_text());
  app_.footer(kFooter);
  app_.add_flag("-v,--verbose", out_.verbose, "Tell more about what happens, on stderr");
  app_.add_option("--log", out_.log, "Append what happens to FILE, an object of JSON per line")
      ->check(not_empty);
  app_.group("Run");  // commands take it over, as they do the footer
  add_run();
  add_sweep_files();
  add_roofs();
  add_one_result();
  app_.group("Ask the results");
  add_queries();
  add_compare();
  app_.group("Cluster");
  add_network();
  add_launchers();
  add_keys();
  add_clients();
  app_.group("Repair");
  add_repair();
  app_.footer(kExamples);
}

int CommandLine::parse(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
    return -1;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_.exit(error);  // help and version
    std::fprintf(stderr, "%s\n", complaint(error, argc, argv).c_str());
    return kExitBadInput;
  }
}

Status CommandLine::check(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
    return Done{};
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return failure("--help and --version start no worker");
    const std::string words = complaint(error, argc, argv);
    const std::string name = "kernsweep: ";
    return failure(words.starts_with(name) ? words.substr(name.size()) : words);
  }
}

std::string CommandLine::complaint(const CLI::ParseError& error, int argc, char** argv) const {
  const auto chosen = app_.get_subcommands();
  if (chosen.empty()) return no_command(error, argc, argv);
  const CLI::App* at = chosen.front();
  std::string whose = "kernsweep " + at->get_name();
  for (auto deeper = at->get_subcommands(); !deeper.empty(); deeper = at->get_subcommands()) {
    at = deeper.front();  // `keys add`
    whose += " " + at->get_name();
  }
  const std::string why = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
    return whose + ": " + left_over(*at) + " see " + whose + " --help";
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    const std::string hint = how_to_give(why.substr(0, why.find(' ')));
    if (!hint.empty()) return whose + ": " + hint;
  }
  return "kernsweep: " + why + "; see " + whose + " --help";
}

// What nothing takes: an option that does not exist, before words that it would have taken.
std::string CommandLine::left_over(const CLI::App& chosen) const {
  const std::vector<std::string> words = app_.remaining(true);
  const auto option =
      std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("-"); });
  if (option == words.end()) return "'" + (words.empty() ? "" : words.front()) + "' is one word too many;";
  const std::string name = option->substr(0, option->find('='));
  std::vector<std::string> known;
  for (const CLI::App* app : {&chosen, &app_})
    for (const CLI::Option* each : app->get_options())
      for (const std::string& word : each->get_lnames()) known.push_back("--" + word);
  for (const CLI::Option* each : chosen.get_options())
    for (const std::string& word : each->get_snames()) known.push_back("-" + word);
  if (std::ranges::count(known, name) > 0)
    return "'" + name + "' belongs to '" + chosen.get_name() + "': give it behind that word;";
  const auto near = nearest(name, known);
  return "there is no option '" + name + "'" + (near ? "; did you mean '" + *near + "'?" : ";");
}

// CLI11 only misses a command where there is a word that is none.
std::string CommandLine::no_command(const CLI::ParseError& error, int argc, char** argv) const {
  std::vector<std::string> names;
  for (const CLI::App* each : app_.get_subcommands({})) names.push_back(each->get_name());
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;
    const std::string near = did_you_mean(argv[i], names);
    return "kernsweep: there is no command '" + std::string(argv[i]) + "'" + near +
           (near.ends_with('?') ? "" : ";") + " see kernsweep --help";
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError))
    return "kernsweep: give a command, such as run; see kernsweep --help";
  return "kernsweep: " + std::string(error.what()) + "; see kernsweep --help";
}

CLI::App* CommandLine::command(Command which, const std::string& name, const std::string& what) {
  CLI::App* const added = app_.add_subcommand(name, what);
  added->callback([this, which] { out_.command = which; });
  added->fallthrough();
  return added;
}

void CommandLine::add_file(CLI::App* to) {
  to->add_option("file", out_.file, "Sweep file (YAML or JSON)")->required();
}
void CommandLine::add_json(CLI::App* to) {
  to->add_flag("--json", out_.json, "Answer as JSON on stdout");
}

void CommandLine::add_replacements(CLI::App* to) {
  to->add_option("-a,--axis", out_.replacements.axes,
                 "Replace an axis: -a 'threads[pow2]=[0:3]', -a 'dtype=[f32]', or add one: -a '+n=[1,2]'")
      ->take_all()
      ->allow_extra_args(false);
  to->add_option("--set", out_.replacements.settings, "Replace a setting: --set measure.processes=5")
      ->take_all()
      ->allow_extra_args(false);
  to->add_option("--only", out_.replacements.only, "Keep the points for which the expression holds");
  to->add_option("--sample", out_.replacements.sample, "Keep a seeded share of the points: --sample 10%");
  to->add_flag("--quick", out_.replacements.quick,
               "A first look: one process, few samples; results are marked");
}

void CommandLine::add_output(CLI::App* to) {
  to->add_option("--db", out_.database,
                 "Results database (default: <name of the sweep>.db in this folder)");
  to->add_flag("--again", out_.again, "Measure anew what has been measured");
  to->add_flag("-q,--quiet", out_.quiet, "No progress, only the result");
  add_json(to);
}

void CommandLine::add_database(CLI::App* to) {
  to->add_option("database", out_.file, "Results database")->required();
}
void CommandLine::add_sweep(CLI::App* to) {
  to->add_option("--sweep", out_.sweep, "Name or number of the sweep (default: the newest)");
}

Status check_worker_options(const std::vector<std::string>& options) {
  std::vector<std::string> words = {"kernsweep", "worker", "--join", "file"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  Arguments unused;
  return CommandLine(unused).check(static_cast<int>(argv.size()), argv.data());
}

int read_arguments(int argc, char** argv, Arguments& out) {
  out.words.assign(argv + std::min(argc, 1), argv + argc);
  return CommandLine(out).parse(argc, argv);
}

}  // namespace kernsweep
