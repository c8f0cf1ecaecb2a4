#include "worker/software_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "shared/base/installation.hpp"
#include "shared/lists/launched_program.hpp"
#include "shared/lists/library_lines.hpp"
#include "shared/lists/source_lines.hpp"
#include "shared/text/home_path.hpp"
#include "shared/text/utf8.hpp"
#include "worker/host/programs.hpp"
#include "worker/process/environment.hpp"
#include "worker/process/run_to_exit.hpp"

namespace kernsweep::worker {
namespace {

constexpr Duration kFindLimit = std::chrono::seconds(20);

std::string value_of(const char* name, const SearchVariables& variables) {
  const auto own = variables.find(name);
  const char* const inherited = std::getenv(name);
  return own != variables.end() ? own->second : inherited ? inherited : "";
}

std::string real_path(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

// True if a file in the working directory now has the module's name: Python searches there first.
bool is_hidden_by_another(const SourceLine& module) {
  if (module.path.starts_with("./")) return false;
  std::string file(module.name);
  std::replace(file.begin(), file.end(), '.', '/');
  std::error_code error;
  return std::filesystem::exists(file + ".py", error) ||
         std::filesystem::exists(file + "/__init__.py", error);
}

// The Python that a script now starts; "" if the script no longer works.
std::string program_of_script(const std::string& interpreter, const SearchVariables& variables) {
  Launch start;
  start.program = interpreter;
  start.arguments = {"-c", "import os; print('\\n' + os.path.realpath('/proc/self/exe'))"};
  start.environment = slot_environment(variables, 1);
  start.capture_output = true;
  auto child = launch(start);
  if (!child) return "";
  const ExitedProcess exited = run_to_exit(*child, kFindLimit);
  std::string said = exited.in_time ? exited.output : "";
  while (said.ends_with('\n')) said.pop_back();
  return said.substr(said.rfind('\n') + 1);
}

// Roles: "interpreter": the file that was found; "interpreter_program": the program that it starts, if it
// is a script.
std::string flaw_of_interpreter(const SourceLine& line, const SearchVariables& variables) {
  const std::string found =
      find_interpreter([&](const char* variable) { return value_of(variable, variables); });
  const bool is_same = without_home(found) == line.name;
  const std::string real =
      line.role == "interpreter" ? real_path(found) : program_of_script(found, variables);
  if (is_same && real == real_path(with_home(std::string(line.path)))) return "";
  if (found.empty()) return "there is no Python any more";
  return "the Python that is found now is another one: " + (is_same ? real : found);
}

}  // namespace

std::string SoftwareCheck::flaw_of(const std::string& path, std::string_view hash) {
  const auto now = hashes_.hash_of(with_home(path));
  if (!now) return path + " is gone, or cannot be read any more";
  return now->hex() == hash ? "" : path + " has changed";
}

void SoftwareCheck::begin(const wire::SoftwareChecks& questions) {
  programs_.clear();
  built_.clear();
  std::set<std::string> commands;
  for (const wire::SoftwareCheck& each : questions.checks())
    each_source(each.sources(), [&](const SourceLine& line, std::string_view) {
      if (line.role == "build") commands.insert(line.name);
    });
  if (rebuild_ && !commands.empty()) built_ = rebuild_(commands);
}

// Names a file that may be the cause.
std::string SoftwareCheck::flaw_of_build(const SourceLine& build, std::string_view sources) {
  const auto now = built_.find(build.name);
  if (now == built_.end()) return "it cannot be built now, to compare";
  if (now->second == build.hash) return "";
  std::string cause;
  each_source(sources, [&](const SourceLine& line, std::string_view) {
    if (cause.empty() && line.role == "built_from") cause = flaw_of(line.path, line.hash);
  });
  return "the build makes another file now" + (cause.empty() ? "" : ": " + cause);
}

const SoftwareCheck::Program& SoftwareCheck::program_of(const SourceLine& line, const std::string& path,
                                                        const SearchVariables& variables) {
  const bool is_started = line.role == "started";
  const auto [found, fresh] =
      programs_.try_emplace({is_started, is_started ? std::string(line.name) : path, variables});
  Program& program = found->second;
  if (!fresh) return program;
  auto environment = slot_environment(variables, 1);
  std::string folder;
  program.path = path;
  if (is_started) {
    Launched by = launched_of_name(line.name, std::move(environment));
    program.path = by.at < by.words.size() ? path_of_program(by, by.words[by.at]) : "";
    environment = std::move(by.environment);
    folder = by.folder;
  }
  program.linked = linked_files(with_home(program.path), environment, folder);
  std::erase_if(program.linked, [](const LinkedFile& file) { return file.path.empty(); });
  return program;
}

// The libraries that the program would load now must be those that it has loaded, by name and content.
std::string SoftwareCheck::flaw_of_linked(const std::vector<SourceLine>& recorded,
                                          const std::set<LinkedFile>& now) {
  for (const LinkedFile& file : now) {
    const auto same_name = [&](const SourceLine& line) { return line.name == as_utf8(file.name); };
    if (std::ranges::none_of(recorded, same_name)) return file.name + " is loaded now, too";
    const auto content = hashes_.hash_of(file.path);
    if (!content || std::ranges::none_of(recorded, [&](const SourceLine& line) {
          return same_name(line) && line.hash == content->hex();
        }))
      return file.path + " has changed";
  }
  for (const SourceLine& line : recorded)
    if (std::ranges::none_of(now, [&](const LinkedFile& file) { return as_utf8(file.name) == line.name; }))
      return line.name + " is not found any more";
  return "";
}

std::string SoftwareCheck::changed(const wire::SoftwareCheck& software) {
  if (software.version() != version_text())
    return "Kernsweep " + software.version() + " measured it, this is " + version_text();
  std::string flaw;
  each_library(software.libraries(), [&](const LibraryLine& library, std::string_view) {
    if (flaw.empty()) flaw = flaw_of(library.path, library.hash);
  });
  SearchVariables variables;
  each_source(software.sources(), [&](const SourceLine& line, std::string_view) {
    if (line.role == "variable") variables[std::string(line.name)] = line.path;
  });
  std::vector<SourceLine> recorded;
  std::set<LinkedFile> linked;
  each_source(software.sources(), [&](const SourceLine& line, std::string_view) {
    if (line.role == "linked") recorded.push_back(line);
    if (!flaw.empty() || line.role == "variable" || line.role == "linked") return;
    // The content of the build includes these.
    if (line.role == "compiler" || line.role == "built_from" || line.role == "built_with") return;
    std::string path(line.path);
    const std::string name(line.name);
    if (line.role == "program" || line.role == "reference_program") {
      path = find_program(name, value_of("PATH", variables));
    } else if (line.role == "library") {
      path = find_library_(name, variables);
    } else if (line.role.starts_with("interpreter")) {
      flaw = flaw_of_interpreter(line, variables);
      if (!flaw.empty()) return;
    }
    if (may_run(line.role)) {
      const Program& program = program_of(line, path, variables);
      path = program.path;
      linked.insert(program.linked.begin(), program.linked.end());
    }
    if (line.role == "build") {
      flaw = flaw_of_build(line, software.sources());
    } else if (line.role == "closed") {
      flaw = "the content of " + name + " is not known";
    } else if (path.empty()) {
      flaw = name + " is not found any more";
    } else if (line.role == "pack" && std::ranges::none_of(packs_, [&, real = real_path(with_home(path))](
                                                                       const std::string& pack) {
                 return real_path(pack) == real;
               })) {
      flaw = "the pack " + path + " is not used here any more";
    } else if (line.role == "module" && is_hidden_by_another(line)) {
      flaw = "the module " + name + " is another file now";
    } else {
      flaw = flaw_of(path, line.hash);
    }
  });
  return flaw.empty() ? flaw_of_linked(recorded, linked) : flaw;
}

AnsweredChecks answer(SoftwareCheck& check, const AskedChecks& questions) {
  AnsweredChecks out{questions.session, {}};
  check.begin(questions.checks);
  for (const wire::SoftwareCheck& each : questions.checks.checks()) {
    wire::SoftwareAnswer& answer = *out.answers.add_answers();
    answer.set_number(each.number());
    answer.set_changed(as_utf8(check.changed(each)));
  }
  return out;
}

std::string find_library(const std::string& name, const SearchVariables& variables) {
  Launch start;
  start.program = slot_program();
  start.arguments = {"--opens", name};
  start.environment = slot_environment(variables, 1);
  start.capture_output = true;
  auto child = launch(start);
  if (!child) return "";
  const ExitedProcess exited = run_to_exit(*child, kFindLimit);
  if (!exited.in_time || !exited.ending || exited.ending->signalled || exited.ending->number != 0)
    return "";
  constexpr std::string_view kWord = "\npath ";
  const auto at = exited.output.rfind(kWord);
  if (at == std::string::npos) return "";
  const auto from = at + kWord.size();
  return exited.output.substr(from, exited.output.find('\n', from) - from);
}

}  // namespace kernsweep::worker
