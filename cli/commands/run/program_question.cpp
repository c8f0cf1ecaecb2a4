#include "cli/commands/run/program_question.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "cli/commands/run/local_catalogue.hpp"
#include "cli/commands/run/slot_question.hpp"
#include "language/file/command_template.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/log.hpp"
#include "shared/lists/executable.hpp"
#include "shared/lists/launched_program.hpp"
#include "shared/lists/started_files.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/suggest.hpp"
#include "worker/catalogue.hpp"
#include "worker/process/environment.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kPointsAsked = 10'000;
constexpr std::size_t kFunctionsAsked = 16;
constexpr std::string_view kOperand = "operand.";
const std::string kSetup = "command.setup", kCleanup = "command.cleanup", kBuild{kBuildColumn};

// The names that a function gets at a point, as the pack makes them from columns, each after a ','.
std::string keywords_of(const Sweep& sweep, const NamedValues& values) {
  std::string out;
  for (const auto& [name, value] : values) {
    const auto column = std::ranges::find(sweep.columns, name, &Column::name);
    const bool is_derived = column != sweep.columns.end() && column->origin == Column::Origin::derived;
    const bool is_operand = name.starts_with(kOperand);
    if (value.is_null() || name == sweep.program_column || is_derived || is_kept_from_kernels(name))
      continue;
    std::string keyword = is_operand ? name.substr(kOperand.size()) : name;
    if (!is_operand) std::ranges::replace(keyword, '.', '_');
    out += "," + keyword;
  }
  return out;
}

// A slot that tries to prepare the program or function of a point.
Result<Child> asked_slot(const std::string& pack, const Sweep& sweep, const NamedValues& values,
                         const std::string& text, const std::string& gpus) {
  std::vector<std::string> words{"--prepare", pack, sweep.kernel, sweep.kernel, sweep.kernel + "=" + text};
  if (sweep.kind == KernelKind::python) words.push_back("python.keywords=" + keywords_of(sweep, values));
  return ask_slot(std::move(words), environment_of_point(values, gpus));
}

// "": it can, or did not answer in time.
std::string why_not(const Sweep& sweep, const std::string& text, Result<Child>& asked) {
  const SlotAnswer answer = answer_of(asked);
  if (answer.good || answer.late) return "";
  if (sweep.kind == KernelKind::command) return fmt::format("the program of '{}': {}", text, answer.reason);
  const bool is_not_found = answer.reason.find("No module named") != std::string::npos;
  const std::string from =
      is_not_found ? " (looked for from " + std::filesystem::current_path().string() + ")" : "";
  return fmt::format("the function '{}': {}{}", text, answer.reason, from);
}

std::string text_in(const NamedValues& values, std::string_view column) {
  const auto found = std::ranges::find(values, column, &NamedValues::value_type::first);
  return found == values.end() || found->second.is_null() ? "" : found->second.to_text();
}

bool has_gpus(const NamedValues& values) {
  const std::string gpus = text_in(values, "gpus");
  return text_in(values, "device") == "gpu" || (!gpus.empty() && gpus != "0");
}

NamedValues values_of(const Expansion& expansion, const Point& point) {
  NamedValues out;
  const std::vector<Column>& columns = expansion.sweep().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) out.emplace_back(columns[c].name, point.values[c]);
  return out;
}

// The text that distinguishes questions: the function, its environment, the names of its parameters.
std::string question_of(const Sweep& sweep, const NamedValues& values) {
  std::string out = keywords_of(sweep, values);
  for (const auto& [name, value] : values)
    if (name == sweep.program_column || is_environment(name)) out += "\n" + name + "=" + value.to_text();
  return out;
}

}  // namespace

std::vector<std::string> environment_of_point(const NamedValues& values, const std::string& gpus) {
  std::map<std::string, std::string> environment;
  unsigned threads = 1;
  for (const auto& [name, value] : values) {
    if (is_environment(name) && !value.is_null())
      environment[std::string(environment_variable_of(name))] = value.to_text();
    if (name == "threads" && value.integer()) threads = static_cast<unsigned>(*value.integer());
  }
  return slot_environment(environment, threads, gpus);
}

bool is_distrusted(const Expansion& expansion, const Point& point) {
  return expansion.rules(expansion.rules_of(point)).measure.verify.distrust;
}

std::string why_no_program(const Sweep& sweep, const NamedValues& values, const std::string& gpus) {
  if (sweep.kind == KernelKind::family || sweep.kind == KernelKind::source) return "";
  const auto pack = first_pack_with(pack_folders(), sweep.kernel);
  if (!pack) return "";  // which is reported elsewhere
  const std::string text = text_in(values, sweep.program_column);
  if (text.find(kBuildPlace) != std::string::npos) return "";  // the build finds the missing program
  auto asked = asked_slot(*pack, sweep, values, text, gpus);
  return why_not(sweep, text, asked);
}

namespace {

// Whether the reason also applies on a GPU. A question sees no GPU, so an import or a setup may fail in any
// other way.
bool holds_on_gpu(const std::string& why) {
  constexpr std::string_view kSure[] = {"ModuleNotFoundError: ", "TypeError: ", "AttributeError: module ",
                                        "SyntaxError: "};
  return std::ranges::any_of(kSure,
                             [&](std::string_view each) { return why.find(each) != std::string::npos; });
}

MissingPrograms missing_functions(const Expansion& expansion) {
  struct AskedFunction {
    std::string text, point;
    bool on_gpu;  // of the point; the question has none
    Result<Child> asked;
  };
  const Sweep& sweep = expansion.sweep();
  const auto pack = first_pack_with(pack_folders(), sweep.kernel);
  if (!pack) return {};  // which is reported elsewhere
  std::set<std::string> known;
  std::vector<AskedFunction> questions;
  Point point;
  bool all_asked = expansion.raw_points() <= kPointsAsked;
  for (std::uint64_t at = 0; at < std::min(kPointsAsked, expansion.raw_points()); ++at) {
    expansion.point_at(at, point);
    if (expansion.rejection(at, point)) continue;
    const NamedValues values = values_of(expansion, point);
    const bool may_ask = !is_distrusted(expansion, point);
    if (may_ask && !known.insert(question_of(sweep, values)).second) continue;
    const std::string text = text_in(values, sweep.program_column);
    const bool asks = may_ask && questions.size() < kFunctionsAsked;
    all_asked = all_asked && asks;
    if (asks)
      questions.push_back(
          {text, expansion.label_of(point), has_gpus(values), asked_slot(*pack, sweep, values, text, "")});
  }
  MissingPrograms out;
  for (AskedFunction& question : questions)
    if (std::string why = why_not(sweep, question.text, question.asked);
        !why.empty() && (!question.on_gpu || holds_on_gpu(why)))
      out.reasons.push_back({std::move(why), question.point, "", sweep.kernel_place, false});
  out.all = all_asked && !questions.empty() && out.reasons.size() == questions.size();
  return out;
}

// The value of PATH among "NAME=value"; "": none.
std::string path_in(const std::vector<std::string>& environment) {
  for (const std::string& line : environment)
    if (line.starts_with("PATH=")) return line.substr(5);
  return "";
}

std::string own_path() {
  const char* const path = std::getenv("PATH");
  return path != nullptr ? path : "";
}

// What to do about a first word that only a shell understands; empty: it is none.
std::string advice_of_shell(const std::string& word) {
  constexpr std::string_view kOfShell[] = {"cd",    "export", "source", ".",   "eval", "ulimit",
                                           "umask", "set",    "alias",  "for", "if",   "while"};
  if (std::ranges::find(kOfShell, word) != std::end(kOfShell))
    return "; it is a word of a shell: give it, and what follows, to sh -c '...'";
  const std::string name = word.substr(0, word.find('='));
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name.size() == word.size() || name.empty() || !std::ranges::all_of(name, fits)) return "";
  return fmt::format("; there is no shell that sets a variable: leave it out, and say -a env.{}", word);
}

// Why the program cannot be started, and what to do; nothing: it can.
std::optional<MissingPrograms::Reason> why_missing(const std::string& name, const std::string& path) {
  const command::Executable found = command::find_executable(name, path.c_str());
  if (!found.path.empty()) return std::nullopt;
  MissingPrograms::Reason out{found.reason, "", "", {}, false};
  const bool is_there = access(name.c_str(), F_OK) == 0;
  const bool in_path = name.find('/') == std::string::npos;
  constexpr std::size_t kShort = 3;  // a shorter name is close to many others
  const auto near = is_there || name.size() < kShort
                        ? std::nullopt
                        : nearest(name, command::other_executables(name, path.c_str()));
  if (near) out.advice = fmt::format("; did you mean '{}'?", *near);
  if (!near && !is_there && in_path) out.advice = "; install it, or give the path of its file";
  if (const std::string advice = advice_of_shell(name); !advice.empty()) out.advice = advice;
  // The user knows the PATH of the shell.
  const std::string shown = " (" + path + ")";
  if (const auto at = out.why.find(shown); path == own_path() && at != std::string::npos)
    out.why.erase(at, shown.size());
  return out;
}

// The programs that a command line starts, by name: its first word, and the programs that `env` and the
// like start. If these search other folders than the current one and the PATH of the line, the run reports
// it.
std::vector<std::string> programs_of(const std::string& line, const std::vector<std::string>& environment) {
  const auto words = split_command(line);
  if (!words || words->empty()) return {};
  std::vector<std::string> out{words->front()};
  if (!is_launcher(words->front())) return out;
  const Launched by = launched_by(*words, environment);
  const bool is_known = by.at > 0 && by.at < by.words.size() && by.folder.empty();
  if (is_known && !is_linker(words->front()) && path_in(by.environment) == path_in(environment))
    out.push_back(by.words[by.at]);
  return out;
}

// The place of the command of a column in the file.
Place place_of(const Sweep& sweep, std::string_view column) {
  const auto found = std::ranges::find(sweep.columns, column, &Column::name);
  const bool has_own = column == kBuildColumn && found != sweep.columns.end();
  return has_own ? found->place : sweep.kernel_place;
}

// Checks the commands in these columns.
MissingPrograms missing_commands(const Expansion& expansion, const std::vector<std::string>& asked) {
  const Sweep& sweep = expansion.sweep();
  std::set<std::string> known;
  MissingPrograms out;
  Point point;
  bool any_compiler = expansion.raw_points() > kPointsAsked;
  for (std::uint64_t at = 0; at < std::min(kPointsAsked, expansion.raw_points()); ++at) {
    expansion.point_at(at, point);
    if (expansion.rejection(at, point)) continue;
    const NamedValues values = values_of(expansion, point);
    const std::vector<std::string> environment = environment_of_point(values, "");
    for (const std::string& column : asked) {
      const bool may_be_made = column != kSetup && column != kBuild && !text_in(values, kSetup).empty();
      // A build does not get the variables of a point.
      const std::string path = column == kBuild ? own_path() : path_in(environment);
      for (const std::string& name : programs_of(text_in(values, column), environment)) {
        if (name.find(kBuildPlace) != std::string::npos) continue;
        if (may_be_made && name.find('/') != std::string::npos) continue;
        if (!known.insert(name + "\n" + path).second) continue;
        auto why = why_missing(name, path);
        any_compiler = any_compiler || (!why && column == kBuild);
        if (!why) continue;
        why->of_build = column == kBuild;
        why->point = expansion.label_of(point);
        why->place = place_of(sweep, column);
        out.reasons.push_back(std::move(*why));
      }
    }
  }
  if (!any_compiler)
    for (MissingPrograms::Reason& each : out.reasons) each.of_build = false;
  return out;
}

}  // namespace

MissingPrograms missing_programs(const Expansion& expansion) {
  switch (expansion.sweep().kind) {
    case KernelKind::command:
      return missing_commands(expansion, {kBuild, expansion.sweep().program_column, kSetup, kCleanup});
    case KernelKind::python: {
      MissingPrograms out = missing_commands(expansion, {kBuild});
      const bool no_compiler = !std::ranges::all_of(out.reasons, &MissingPrograms::Reason::of_build);
      MissingPrograms functions = missing_functions(expansion);
      std::ranges::move(functions.reasons, std::back_inserter(out.reasons));
      out.all = no_compiler || functions.all;
      return out;
    }
    case KernelKind::source:
      return missing_commands(expansion, {kBuild});
    case KernelKind::family:
      break;
  }
  return {};
}

std::string note_of_unknown(const Expansion& expansion) {
  const Sweep& sweep = expansion.sweep();
  if (sweep.kind != KernelKind::command || !sweep.depends.empty()) return "";
  std::set<std::string> known;
  std::vector<std::string> unknown;
  Point point;
  for (std::uint64_t at = 0; at < std::min(kPointsAsked, expansion.raw_points()); ++at) {
    expansion.point_at(at, point);
    if (expansion.rejection(at, point)) continue;
    const NamedValues values = values_of(expansion, point);
    const std::string line = text_in(values, sweep.program_column);
    const auto words = split_command(line);
    // A build or a setup may make the files.
    if (line.find(kBuildPlace) != std::string::npos || !text_in(values, kSetup).empty()) continue;
    if (!words || words->empty() || !known.insert(line).second) continue;
    const Launched by = launched_by(*words, environment_of_point(values, ""));
    const std::string program = by.at < by.words.size() ? path_of_program(by, by.words[by.at]) : "";
    for (const std::string& each : started_files(by, program).unknown)
      if (std::ranges::find(unknown, each) == unknown.end()) unknown.push_back(each);
  }
  return text_of_unknown(unknown);
}

void tell(const MissingPrograms& missing) {
  for (const MissingPrograms::Reason& each : missing.reasons)
    complain(fmt::format("cannot be measured on this machine: {}{}{}{}", each.point,
                         each.point.empty() ? "" : ": ", each.why, each.advice));
}

Status find_programs(const Expansion& expansion) {
  const Sweep& sweep = expansion.sweep();
  MissingPrograms missing = missing_programs(expansion);
  const auto refusing = std::ranges::find(missing.reasons, false, &MissingPrograms::Reason::of_build);
  const bool is_refused =
      missing.all || (sweep.kind == KernelKind::command && refusing != missing.reasons.end());
  if (is_refused) {
    const MissingPrograms::Reason first = *refusing;
    missing.reasons.erase(refusing);
    if (sweep.kind == KernelKind::command) tell(missing);
    return failure(fmt::format("{}: {}; nothing was measured{}", place_text(sweep, first.place), first.why,
                               first.advice));
  }
  tell(missing);
  return Done{};
}

}  // namespace kernsweep
