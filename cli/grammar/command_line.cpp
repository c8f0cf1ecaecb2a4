#include "cli/grammar/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/exit_status.hpp"
#include "cli/grammar/grammar.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "shared/base/installation.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

// Advice if a positional argument is missing; empty: the message of CLI11 is used.
std::string how_to_give(const std::string& argument) {
  if (argument == "file") return "give a sweep file, such as sweeps/first_look.yaml";
  if (argument == "database") return "give a results database, such as first-look.db";
  if (argument == "result") return "give the number of a result, from the column `result`, or SWEEP/JOB";
  if (argument == "sides") return "give what to compare, such as gemm.db variant=blas variant=onednn";
  if (argument == "pack") return "give the .so of a pack, such as build/scale.so";
  if (argument == "pack_name") return "give a name for the pack, such as scale";
  if (argument == "statement") return "give a statement, such as \"select * from results\"";
  return "";
}

constexpr const char* kExamples =
    "Examples:\n"
    "  kernsweep doctor                                    what makes numbers of this machine unreliable\n"
    "  kernsweep check sweeps/first_look.yaml              what a sweep will do, and how long at least\n"
    "  kernsweep run sweeps/first_look.yaml                measure; the results are in first-look.db\n"
    "  kernsweep best first-look.db                        the best setting for each problem\n"
    "  kernsweep show first-look.db 1                      one result, and how it was obtained\n"
    "  kernsweep compare first-look.db variant=blas variant=onednn\n"
    "  kernsweep new-pack scale                            a project with a kernel of your own\n"
    "  kernsweep coordinator FILE --listen tcp://*:7777    then, on each host:\n"
    "  kernsweep worker --join NAME.join                   measure for that coordinator\n"
    "  kernsweep recover first-look.db                     save what a damaged database still has\n"
    "kernsweep COMMAND --help shows its options and exit statuses.";

// A CLI11 parser with all commands of the program, and with error messages of its own.
class CommandLine {
 public:
  CommandLine();

  int parse(int argc, char** argv, ChosenCommand& out);
  Status check(int argc, char** argv);
  std::vector<GrammarCommand> grammar() const;

 private:
  void add(CommandEntry entry, const std::string& group);
  std::string complaint(const CLI::ParseError& error, int argc, char** argv) const;
  std::string left_over(const CLI::App& chosen) const;
  std::string no_command(const CLI::ParseError& error, int argc, char** argv) const;

  CLI::App app_{"Sweeps over compute kernels, with numbers that can be trusted.", "kernsweep"};
  Invocation given_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::map<std::string, CLI::App*> by_name_;  // "keys", "keys add"
  std::vector<std::string> names_;            // the same, in the order of --help
  std::size_t chosen_ = 0;                    // index into commands_
};

CommandLine::CommandLine() {
  app_.require_subcommand(1);
  app_.set_version_flag("--version", "kernsweep " + version_text());
  app_.footer(kExamples);
  app_.add_flag("-v,--verbose", given_.verbose, "Report more about what happens, on stderr");
  Options(&app_).option("--log", given_.log, "Append what happens to FILE, an object of JSON per line");
  for (CommandGroup& group : all_commands()) {
    for (CommandEntry& entry : group.commands) add(std::move(entry), group.title);
  }
}

void CommandLine::add(CommandEntry entry, const std::string& group) {
  const auto blank = entry.name.find(' ');
  const bool nested = blank != std::string::npos;
  CLI::App& parent = nested ? *by_name_.at(entry.name.substr(0, blank)) : app_;
  CLI::App* const added =
      parent.add_subcommand(nested ? entry.name.substr(blank + 1) : entry.name, entry.what);
  by_name_[entry.name] = added;
  names_.push_back(entry.name);
  added->group(nested ? "Subcommands" : group);
  added->footer(entry.footer);
  added->fallthrough();
  if (!entry.command) {
    added->require_subcommand(1);
    return;
  }
  added->callback([this, number = commands_.size()] { chosen_ = number; });
  Options options(added);
  entry.command->declare(options);
  commands_.push_back(std::move(entry.command));
}

// CLI11 would take the next word as the value of `--db=`.
std::string without_value(int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      return std::string(word) + " has no value: write it directly after the =, or leave the option out";
  }
  return "";
}

int CommandLine::parse(int argc, char** argv, ChosenCommand& out) {
  if (const std::string flaw = without_value(argc, argv); !flaw.empty()) {
    std::fprintf(stderr, "kernsweep: %s\n", flaw.c_str());
    return kExitBadInput;
  }
  try {
    app_.parse(argc, argv);
    given_.words.assign(argv + std::min(argc, 1), argv + argc);
    out = {std::move(commands_[chosen_]), std::move(given_)};
    return -1;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_.exit(error);  // help and version
    std::fprintf(stderr, "%s\n", complaint(error, argc, argv).c_str());
    return kExitBadInput;
  }
}

Status CommandLine::check(int argc, char** argv) {
  if (const std::string flaw = without_value(argc, argv); !flaw.empty()) return failure(flaw);
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

// What replaces an option of hyperfine (docs/guides/own-programs.md); empty: it has none of this name.
static std::string way_of_hyperfine(std::string_view option) {
  struct Way {
    std::string_view brief, full, way;
  };
  constexpr std::string_view kList = "-a 'NAME[range]=[1:9]', -a 'NAME[range]=[1:9:2]', -a 'NAME=[a,b]'";
  constexpr std::string_view kRuns = "--set measure.processes=N, each with its samples";
  constexpr Way kWays[] = {
      {"-w", "--warmup", "--set measure.warmup.min_runs=N"},
      {"-r", "--runs", kRuns},
      {"-m", "--min-runs", kRuns},
      {"-M", "--max-runs", kRuns},
      {"-P", "--parameter-scan", kList},
      {"-D", "--parameter-step-size", kList},
      {"-L", "--parameter-list", kList},
      {"-n", "--command-name", "--name NAME"},
      {"-s", "", "--setup COMMAND"},
      {"-p", "--prepare", "sh -c, which undoes changes within the time of a run"},
      {"-N", "--shell", "there is no shell; for one write -c \"sh -c '...'\""},
      {"-S", "", "there is no shell; for one write -c \"sh -c '...'\""},
      {"-i", "--ignore-failure", "sh -c '... || true', as a run whose status is not 0 has no time"},
      {"", "--export-json", "--json > FILE"},
      {"", "--reference", "kernsweep compare DB \"command=A\" \"command=B\""}};
  for (const Way& each : kWays)
    if (option == each.brief || option == each.full) return std::string(each.way);
  return "";
}

// The message for unused words. Names an unknown option first, because other words may be its values.
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
  const std::string of_hyperfine = std::ranges::count(known, "--metrics") > 0 ? way_of_hyperfine(name) : "";
  if (!of_hyperfine.empty())
    return "there is no option '" + name + "'; in place of hyperfine's: " + of_hyperfine + ";";
  const auto near = name.size() > 2 ? nearest(name, known) : std::nullopt;
  return "there is no option '" + name + "'" + (near ? "; did you mean '" + *near + "'?" : ";");
}

// The message if no command was recognised. CLI11 only reports that one is missing; this finds the word
// that was meant as a command.
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

// "{larger,smaller}" of "TEXT:{larger,smaller}", the format of CLI11 for IsMember.
std::vector<std::string> words_in(const std::string& type) {
  std::vector<std::string> words;
  const auto begin = type.find(":{");
  if (begin == std::string::npos || !type.ends_with('}')) return words;
  const std::string list = type.substr(begin + 2, type.size() - begin - 3);
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t end = std::min(list.find(',', from), list.size());
    words.push_back(list.substr(from, end - from));
    from = end + 1;
  }
  return words;
}

GrammarCommand described(const std::string& name, const CLI::App& app) {
  GrammarCommand command{
      .name = name, .what = app.get_description(), .options = {}, .arguments = {}, .words = {}};
  const auto add = [&](const CLI::App& from) {
    for (const CLI::Option* each : from.get_options()) {
      if (each->get_group().empty()) continue;
      if (each->get_positional()) {
        if (command.arguments.empty()) command.words = words_in(each->get_type_name());
        command.arguments.push_back(each->get_name());
        continue;
      }
      GrammarOption option{.names = {},
                           .takes_word = each->get_items_expected_min() > 0,
                           .words = {},
                           .what = each->get_description()};
      for (const std::string& word : each->get_snames()) option.names.push_back("-" + word);
      for (const std::string& word : each->get_lnames()) option.names.push_back("--" + word);
      if (option.takes_word) option.words = words_in(each->get_type_name());
      command.options.push_back(std::move(option));
    }
  };
  add(app);
  // A group of options is an app without a name.
  for (const CLI::App* group : app.get_subcommands({}))
    if (group->get_name().empty()) add(*group);
  return command;
}

std::vector<GrammarCommand> CommandLine::grammar() const {
  std::vector<GrammarCommand> all = {described("", app_)};
  for (const std::string& name : names_) all.push_back(described(name, *by_name_.at(name)));
  return all;
}

}  // namespace

std::vector<GrammarCommand> grammar() {
  return CommandLine().grammar();
}

Status check_command_line(const std::vector<std::string>& words) {
  std::vector<std::string> all = {"kernsweep"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  return CommandLine().check(static_cast<int>(argv.size()), argv.data());
}

Status check_worker_options(const std::vector<std::string>& options) {
  std::vector<std::string> words = {"worker", "--join", "file"};
  words.insert(words.end(), options.begin(), options.end());
  return check_command_line(words);
}

int read_command_line(int argc, char** argv, ChosenCommand& out) {
  return CommandLine().parse(argc, argv, out);
}

}  // namespace kernsweep
