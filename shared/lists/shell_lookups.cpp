// The files that the words of a shell's commands name.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "shared/lists/executable.hpp"
#include "shared/lists/shell_reading.hpp"

namespace kernsweep {
namespace {

constexpr std::string_view kSearchVariables[] = {"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD"};

// The value among "NAME=value"; "": none.
std::string value_among(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& line : environment)
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=')
      return line.substr(name.size() + 1);
  return "";
}

void set_among(std::vector<std::string>& environment, const std::string& name, const std::string& value) {
  std::erase_if(environment, [&](const std::string& line) { return line.starts_with(name + "="); });
  environment.push_back(name + "=" + value);
}

}  // namespace

ShellReading::Start ShellReading::run_words(const Words& words) {
  if (words.empty()) return Start::known;
  const std::string& name = words[0];
  if (!is_known_text(name)) {
    read_arguments(words, false);
    run_inner(words);
    return Start::unknown;
  }
  if (name.find('/') == std::string::npos) {
    if (const auto function = state_.functions.find(name); function != state_.functions.end())
      return run_function(*std::shared_ptr(function->second), words);
    if (const auto start = run_builtin(words)) return *start;
  }
  return is_launcher(name) ? run_launched(words) : run_program(words);
}

ShellReading::Start ShellReading::run_launched(const Words& words) {
  note_word(words[0], false);
  bool is_sure = true;
  for (const Place& place : files_of(words[0], is_sure)) note_program(words[0], place);
  const auto [base, state] = std::pair(base_, state_);
  base_ = launched_from(state_.folders.front(), ShellExpansion(state_, outputs_).texts("$PATH").front());
  Launched by = launched_by(words, base_.environment);
  Start start = Start::known;
  if (by.at < by.words.size()) {
    base_.folder = by.folder.starts_with('/') ? by.folder : base_.folder + by.folder;
    base_.changes.insert(base_.changes.end(), by.changes.begin(), by.changes.end());
    base_.environment = state_.environment = by.environment;
    state_.variables.clear();
    state_.functions.clear();
    if (!by.folder.empty()) state_.folders = {base_.folder};
    start = run_program(Words(by.words.begin() + static_cast<std::ptrdiff_t>(by.at), by.words.end()));
  } else if (std::ranges::any_of(words, [](const std::string& each) {
               return each.starts_with("-S") || each.starts_with("--split");
             })) {
    start = Start::unknown;
  } else {
    emit_of(words);
  }
  base_ = base;
  state_ = state;
  return start;
}

ShellReading::Start ShellReading::run_program(const Words& words) {
  bool is_sure = is_known_text(words[0]);
  const std::vector<Place> places = is_sure ? files_of(words[0], is_sure) : std::vector<Place>{};
  for (const Place& place : places) note_program(words[0], place);
  read_arguments(words, false);
  emit_of(words);
  std::vector<std::string> unread{""};
  auto* const capture = std::exchange(capture_, capture_ == nullptr ? nullptr : &unread);
  for (const Place& place : places) run_kind(words, place.path);
  if (places.empty()) run_inner(words);
  capture_ = capture;
  return !is_sure ? Start::unknown : places.empty() ? Start::missing : Start::known;
}

void ShellReading::read_arguments(const Words& words, bool all) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    note_word(words[i], all);
    const auto equals = words[i].find('=');
    if (equals != std::string::npos) note_word(words[i].substr(equals + 1), all);
  }
}

// `is_read`: a file that cannot be executed counts, too; otherwise the command may write it.
void ShellReading::note_word(const std::string& word, bool is_read) {
  if (word.empty() || !is_known_text(word)) return;
  for (const std::string& folder : state_.folders) {
    const std::string path = word.starts_with('/') ? word : folder + word;
    if (!is_known_text(path) || !command::is_file(path)) continue;
    const bool runs = access(path.c_str(), X_OK) == 0;
    const bool is_library = word.find(".so") != std::string::npos;
    if (!runs && !is_read && !is_library) continue;
    if (runs && word.find('/') != std::string::npos) {
      note_program(word, {folder, "", path});
    } else if (StartedFile file{false, word, path};
               std::ranges::find(found_.files, file) == found_.files.end()) {
      found_.files.push_back(std::move(file));
    }
  }
}

void ShellReading::note_program(const std::string& word, const Place& place) {
  const Launched from = launched_from(place.folder, place.search);
  std::string name = word;
  // The same name below another folder.
  if (const std::string here = absolute_folder("") + "/"; from.changes.empty() && word.starts_with(here))
    name = "./" + word.substr(here.size());
  const bool is_started = !is_launcher(word);
  StartedFile file{is_started, is_started ? name_of_launched(from, name) : name, place.path};
  if (std::ranges::find(found_.files, file) == found_.files.end()) found_.files.push_back(std::move(file));
}

// `is_sure` becomes false if another file may be meant.
std::vector<ShellReading::Place> ShellReading::files_of(const std::string& name, bool& is_sure) {
  std::vector<Place> out;
  const bool has_slash = name.find('/') != std::string::npos;
  const auto searches =
      has_slash ? std::vector<std::string>{""} : ShellExpansion(state_, outputs_).texts("\"$PATH\"");
  for (const std::string& folder : state_.folders) {
    const bool is_relative = !name.starts_with('/') && has_slash;
    if (!is_known_text(folder) && is_relative) is_sure = false;
    if (!is_known_text(folder) && is_relative) continue;
    for (const std::string& search : searches) {
      if (!is_known_text(search)) is_sure = false;
      const std::string path = path_of_program(launched_from(folder, search), name);
      const bool is_new = std::ranges::find(out, path, &Place::path) == out.end();
      if (is_new && command::is_file(path) && access(path.c_str(), X_OK) == 0)
        out.push_back({folder, search, path});
    }
  }
  return out;
}

std::vector<std::string> ShellReading::environment() const {
  std::vector<std::string> out = state_.environment;
  for (const auto& [name, variable] : state_.variables)
    if (!variable.values.empty() && !variable.is_array) set_among(out, name, variable.values.front());
  return out;
}

// The folder and the variables by which a program is found, as changes by `env`.
Launched ShellReading::launched_from(const std::string& folder, const std::string& search) const {
  Launched out{{}, 0, folder, environment(), base_.changes};
  std::vector<std::string> added;
  if (folder != base_.folder) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < out.changes.size(); ++i) {
      if (out.changes[i] == "-C")
        ++i;
      else
        kept.push_back(out.changes[i]);
    }
    out.changes = std::move(kept);
    if (!folder.empty()) added = {"-C", folder.size() > 1 ? folder.substr(0, folder.size() - 1) : folder};
  }
  for (const std::string_view each : kSearchVariables) {
    const std::string name(each);
    if (name == "PATH" && !search.empty()) set_among(out.environment, name, search);
    const std::string value = value_among(out.environment, name);
    if (is_known_text(value) && value != value_among(base_.environment, name))
      added.push_back(name + "=" + value);
  }
  if (!added.empty()) out.changes.emplace_back("env");
  out.changes.insert(out.changes.end(), added.begin(), added.end());
  return out;
}

}  // namespace kernsweep
