#include "shared/lists/started_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "shared/lists/end_notes.hpp"
#include "shared/lists/executable.hpp"
#include "shared/lists/shell_commands.hpp"
#include "shared/lists/shell_values.hpp"
#include "shared/lists/started_programs.hpp"

namespace kernsweep {
namespace {

constexpr int kTextsDeep = 6, kTextsMost = 256;
constexpr std::size_t kFoldersMost = 16;

using Words = std::vector<std::string>;

bool is_known(const std::string& word) {
  return word != ShellValues::kUnknown;
}

bool are_known(const Words& words) {
  return std::ranges::all_of(words, is_known);
}

bool is_of_system(const std::string& path) {
  return (path.starts_with("/usr/") && !path.starts_with("/usr/local/")) || path.starts_with("/bin/");
}

Words behind(const Words& words, std::size_t at) {
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())), words.end()};
}

// Looks up what the commands of texts name. The folder that `cd` has led to is not followed: a relative
// path is looked for in each folder of the text, because more files do no harm. So are all values of a
// variable.
class Lookup {
 public:
  explicit Lookup(const Launched& by) : base_(by), folders_{by.folder}, values_(by.environment) {}

  void note_unknown(const std::string& what) {
    if (std::ranges::find(out_.unknown, what) == out_.unknown.end()) out_.unknown.push_back(what);
  }
  // `path`: the file of words[0].
  void run_kind(const Words& words, const std::string& path) {
    if (is_shell(words[0])) {
      run_shell(words);
    } else if (is_python(words[0])) {
      run_python(words);
    } else if (builds_and_runs(words[0], behind(words, 1))) {
      note_unknown(words[0].substr(words[0].rfind('/') + 1));
    } else {
      for (std::size_t i = 1; is_interpreter(words[0]) && i < words.size(); ++i) note_file(words[i], true);
      // What PATH has is a tool, whose own file counts; a script of the user is read.
      if (words[0].find('/') != std::string::npos && !is_of_system(path)) run_script(path, words[0]);
      run_inner(words);
    }
  }
  // What was found. The values and folders stay: a function may use what is set behind it.
  StartedFiles take() {
    texts_ = 0;
    return std::exchange(out_, {});
  }

 private:
  void run_text(const std::string& text, const std::string& what) {
    if (++depth_ > kTextsDeep || ++texts_ > kTextsMost) return --depth_, note_unknown(what);
    ShellText read = read_shell_text(text);
    if (!read.is_understood) note_unknown(what);
    functions_.merge(read.functions);
    written_.merge(read.written);
    for (const ShellCommand& command : read.commands) run_command(command);
    --depth_;
  }

  void run_command(const ShellCommand& command) {
    for (const auto& [name, value] : command.assigned)
      for (const std::string& each : texts_of(value)) values_.add(name, each);
    for (const ShellTextWord& file : command.reads)
      for (const std::string& each : texts_of(file)) note_file(each, true);
    Words words;
    std::size_t first = 0;
    for (; first < command.words.size(); ++first) {  // `$EMPTY ./bench`
      if (texts_of(command.words[first]) != Words{""}) break;
    }
    if (first == command.words.size()) {
      if (first > 0) note_unknown(shown(command.words[0]));  // something else may set it
      return;
    }
    for (std::size_t i = first + 1; i < command.words.size(); ++i)
      for (const std::string& each : texts_of(command.words[i])) words.push_back(each);
    for (const std::string& name : texts_of(command.words[first])) {
      Words all{name};
      all.insert(all.end(), words.begin(), words.end());
      has_input_ = command.has_input;
      if (is_known(name))
        run_words(all);
      else
        note_unknown(shown(command.words[first]));
    }
  }

  void run_words(const Words& words) {
    const std::string& name = words[0];
    const std::string argument = words.size() > 1 ? words[1] : "";
    const bool is_bare = name.find('/') == std::string::npos;
    if (is_bare && functions_.contains(name)) return;
    if (name == "cd" || name == "pushd") {
      add_folder(words.size() > 1 ? words.back() : "");
    } else if (name == "." || name == "source") {
      run_file(argument);
    } else if (name == "eval" || name == "trap") {
      std::string text;
      for (std::size_t i = 1; i < (name == "trap" ? std::min<std::size_t>(words.size(), 2) : words.size());
           ++i)
        text += words[i] + " ";
      if (text.find(ShellValues::kUnknown) != std::string::npos) return note_unknown(name);
      if (!text.starts_with('-')) run_text(text, name);
    } else if (name == "exec" || name == "command" || name == "builtin") {
      std::size_t at = 1;
      while (at < words.size() && words[at].starts_with('-')) ++at;
      if (at < words.size() && (at == 1 || name == "exec")) run_words(behind(words, at));
    } else if (name == "export" || name == "readonly" || name == "declare" || name == "local" ||
               name == "typeset") {
      for (const std::string& each : behind(words, 1))
        if (const auto equals = each.find('='); equals != std::string::npos && equals > 0)
          values_.add(each.substr(0, equals), each.substr(equals + 1));
    } else if (name == "read" || name == "mapfile" || name == "readarray" || name == "getopts") {
      for (const std::string& each : behind(words, 1)) values_.forget(each);
    } else if (!is_bare || !is_shell_builtin(name)) {
      run_program(words);
    }
  }

  void run_program(const Words& words) {
    if (is_launcher(words[0])) {
      const std::string file = path_of_program(base_, words[0]);
      if (command::is_file(file)) add({false, words[0], file});
      const Launched inner = launched_by(words, base_.environment);
      if (inner.at >= inner.words.size()) return note_arguments(words);
      if (!inner.folder.empty()) add_folder(inner.folder);
      for (const std::string& line : inner.changes)
        if (line.starts_with("PATH=")) values_.add("PATH", line.substr(5));
      return run_words(behind(inner.words, inner.at));
    }
    bool any = false;
    const Words folders = folders_;  // what is started may add others
    for (const std::string& folder : folders)
      for (const std::string& search : searches(words[0])) {
        const Launched by = from(folder, search);
        const std::string path = path_of_program(by, words[0]);
        if (!command::is_file(path) || access(path.c_str(), X_OK) != 0) continue;
        any = true;
        add({true, name_of_launched(by, words[0]), path});
        run_kind(words, path);
      }
    if (!any || !are_known(searches(words[0]))) note_unknown(words[0]);
    note_arguments(words);
  }

  void run_shell(const Words& words) {
    bool has_text = false;
    std::size_t i = 1;
    for (; i < words.size() && (words[i].starts_with('-') || words[i].starts_with('+')); ++i)
      has_text = has_text || (!words[i].starts_with("--") && words[i].find('c') != std::string::npos);
    if (i == words.size()) {
      if (depth_ > 0 || has_input_) note_unknown(words[0]);  // it reads its input
    } else if (!is_known(words[i])) {
      note_unknown(words[0]);
    } else if (has_text) {
      run_text(words[i], words[0]);
    } else {
      run_file(words[i]);
    }
  }

  // A file with the text of a shell, by `.` or as the word of a shell.
  void run_file(const std::string& word) {
    bool any = false;
    for (const std::string& path : paths_of(word)) {
      const auto text = shell_file_text(path);
      any = any || text.has_value();
      add({false, word, path});
      if (text) run_in_folder_of(path, *text, word);
    }
    if (!any) note_unknown(word);
  }

  void run_script(const std::string& path, const std::string& word) {
    const auto text = script_text(path);
    if (!text) return note_unknown(word);
    if (!text->empty()) run_in_folder_of(path, *text, word);
  }

  void run_in_folder_of(const std::string& path, const std::string& text, const std::string& word) {
    const std::string before =
        std::exchange(script_, path.find('/') == std::string::npos ? "." : path.substr(0, path.rfind('/')));
    run_text(text, word);
    script_ = before;
  }

  void run_python(const Words& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (!word.starts_with('-')) return note_file(word, true);
      const std::size_t letter = word.find_first_of("cmWX");
      if (word.starts_with("--") || letter == std::string::npos) continue;
      const std::string rest = word.substr(letter + 1);
      if (word[letter] == 'c') return;
      if (word[letter] == 'm')
        return run_module(!rest.empty() ? rest : i + 1 < words.size() ? words[i + 1] : "");
      if (rest.empty()) ++i;
    }
  }

  // Of a module of the user. Those of an installation are not compared.
  void run_module(const std::string& module) {
    std::string file = module;
    std::ranges::replace(file, '.', '/');
    Words folders{""};
    for (const std::string& each : values_.of("PYTHONPATH")) folders.push_back(each + "/");
    for (const std::string& folder : folders)
      for (const char* const ending : {".py", "/__main__.py"})
        for (const std::string& path : paths_of(folder + file + ending)) add({false, module, path});
  }

  // A shell, or a script, among the words of another program: xargs, setarch, sudo.
  void run_inner(const Words& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const Words rest = behind(words, i);
      if (is_shell(words[i]) && rest.size() > 1) return run_shell(rest);
      if (builds_and_runs(words[i], behind(rest, 1)) && words[i].find('/') == std::string::npos && i == 1)
        note_unknown(words[i]);
      if (words[i].find('/') == std::string::npos) continue;
      for (const std::string& path : paths_of(words[i]))
        if (access(path.c_str(), X_OK) == 0 && !is_of_system(path)) run_script(path, words[i]);
    }
  }

  void note_arguments(const Words& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      note_file(words[i], false);
      if (const auto equals = words[i].find('='); equals != std::string::npos)
        note_file(words[i].substr(equals + 1), false);
    }
  }

  // A file that cannot be executed counts if it is read; otherwise the command may write it.
  void note_file(const std::string& word, bool is_read) {
    if (!is_known(word) || word.empty() || written_.contains(word)) return;
    for (const std::string& path : paths_of(word)) {
      const bool runs = access(path.c_str(), X_OK) == 0;
      if (runs && word.find('/') != std::string::npos)
        add({true, name_of_launched(base_, word), path});
      else if (runs || is_read || word.find(".so") != std::string::npos)
        add({false, word, path});
    }
  }

  void add(StartedFile file) {
    if (std::ranges::find(out_.files, file) == out_.files.end()) out_.files.push_back(std::move(file));
  }

  std::vector<std::string> paths_of(const std::string& word) const {
    std::vector<std::string> out;
    for (const std::string& folder : folders_) {
      const std::string path = word.starts_with('/') ? word : folder + word;
      if (command::is_file(path) && std::ranges::find(out, path) == out.end()) out.push_back(path);
    }
    return out;
  }

  // Below each folder that is known, because a loop or a function may change it again.
  void add_folder(const std::string& word) {
    if (word.empty() || word == "-" || word == "-P" || word == "-L") return;
    if (!is_known(word)) return note_unknown("cd");
    bool any = false;
    for (std::size_t i = 0, count = folders_.size(); i < count; ++i) {
      const std::string folder = (word.starts_with('/') ? "" : folders_[i]) + word + "/";
      if (access(folder.c_str(), X_OK) != 0) continue;
      any = true;
      if (folders_.size() < kFoldersMost && std::ranges::find(folders_, folder) == folders_.end())
        folders_.push_back(folder);
    }
    if (!any) note_unknown("cd");
  }

  Words searches(const std::string& name) {
    if (name.find('/') != std::string::npos) return {""};
    const Words& all = values_.of("PATH");
    return all.empty() ? Words{""} : all;
  }

  Launched from(const std::string& folder, const std::string& search) {
    Launched out{{}, 0, folder, base_.environment, base_.changes};
    Words added;
    if (folder != base_.folder) added = {"-C", folder.substr(0, folder.size() - 1)};
    const auto path = std::ranges::find_if(
        out.environment, [](const std::string& line) { return line.starts_with("PATH="); });
    if (!search.empty() && (path == out.environment.end() || *path != "PATH=" + search)) {
      if (path != out.environment.end()) out.environment.erase(path);
      out.environment.push_back("PATH=" + search);
      added.push_back("PATH=" + search);
    }
    for (const char* const name : {"LD_LIBRARY_PATH", "LD_PRELOAD"})
      if (values_.is_set_by_text(name) && is_known(values_.of(name).front()))
        added.push_back(std::string(name) + "=" + values_.of(name).front());
    if (!added.empty()) out.changes.emplace_back("env");
    out.changes.insert(out.changes.end(), added.begin(), added.end());
    return out;
  }

  Words texts_of(const ShellTextWord& word) { return values_.texts_of(word, folders_, script_); }

  static std::string shown(const ShellTextWord& word) {
    std::string out;
    for (const char c : word.text)
      if (c == ShellTextWord::kExpands)
        out += '$';
      else if (c != ShellTextWord::kExpanded)
        out += c;
    return out;
  }

  const Launched base_;
  StartedFiles out_;
  Words folders_;  // "" or with '/' at the end
  ShellValues values_;
  std::set<std::string> functions_, written_;
  std::string script_;  // the folder of the script that is read
  bool has_input_ = false;
  int depth_ = 0, texts_ = 0;
};

}  // namespace

StartedFiles started_files(const Launched& by, const std::string& program) {
  Lookup lookup(by);
  const bool is_split = std::ranges::any_of(by.words, [](const std::string& each) {
    return each.starts_with("-S") || each.starts_with("--split");
  });
  for (int pass = 0; pass < 2 && by.at < by.words.size(); ++pass) {
    (void)lookup.take();
    lookup.run_kind(behind(by.words, by.at), program);
  }
  if (by.at < by.words.size()) return lookup.take();
  if (!by.words.empty() && is_launcher(by.words[0]) && is_split) lookup.note_unknown(by.words[0]);
  return lookup.take();
}

std::string text_of_unknown(const std::vector<std::string>& unknown) {
  constexpr std::size_t kShown = 3;
  if (unknown.empty()) return "";
  std::string out = "what ";
  for (std::size_t i = 0; i < unknown.size() && i < kShown; ++i)
    out += (i > 0 ? ", " : "") + ("`" + unknown[i] + "`");
  if (unknown.size() > kShown) out += " and others";
  out += unknown.size() > 1 ? " run is not known" : " runs is not known";
  return out + ", so the result is never reused" + std::string(kListFiles);
}

}  // namespace kernsweep
