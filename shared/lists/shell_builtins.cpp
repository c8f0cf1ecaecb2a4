// The commands of a shell itself.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "shared/lists/shell_reading.hpp"

namespace kernsweep {
namespace {

constexpr int kCallsMax = 16;  // of functions inside each other
const std::string kUnsaid(1, kUnknownText);

std::string joined_words(const std::vector<std::string>& words, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < words.size(); ++i) out += (i > from ? " " : "") + words[i];
  return out;
}

// The first word behind the options.
std::size_t behind_options(const std::vector<std::string>& words, std::string_view with_value = "") {
  std::size_t i = 1;
  for (; i < words.size() && words[i].size() > 1 && words[i][0] == '-'; ++i) {
    if (words[i] == "--") return i + 1;
    if (with_value.find(words[i].back()) != std::string_view::npos) ++i;
  }
  return i;
}

std::string folder_inside(const std::string& folder, const std::string& to) {
  if (!is_known_text(to) || (!is_known_text(folder) && !to.starts_with('/'))) return kUnsaid + "/";
  std::string out = std::filesystem::path(to.starts_with('/') ? to : folder + to).lexically_normal();
  if (out == "." || out == "./") return "";
  return out.ends_with('/') ? out : out + "/";
}

bool is_plain_builtin(std::string_view name) {
  constexpr std::string_view kPlain[] = {
      ":",    "true", "false",   "echo",   "printf",   "test",   "[",        "times",   "ulimit",  "umask",
      "wait", "exit", "break",   "let",    "continue", "hash",   "type",     "alias",   "unalias", "shopt",
      "jobs", "fg",   "bg",      "kill",   "disown",   "enable", "complete", "compgen", "bind",    "caller",
      "dirs", "fc",   "history", "logout", "suspend",  "return", "compopt",  "help",    "pwd"};
  return std::ranges::find(kPlain, name) != std::end(kPlain);
}

}  // namespace

// Nothing: it is a command of no other kind.
std::optional<ShellReading::Start> ShellReading::run_builtin(const Words& words) {
  const std::string& name = words[0];
  if (is_plain_builtin(name)) {
    read_arguments(words, false);
    emit_of(words);
    if (name == "printf" && words.size() > 2 && words[1] == "-v") assign(words[2], {kUnsaid}, false, false);
  } else if (name == "cd" || name == "pushd" || name == "popd") {
    change_folder(words);
  } else if (name == "export" || name == "readonly" || name == "local" || name == "declare" ||
             name == "typeset") {
    for (std::size_t i = behind_options(words); i < words.size(); ++i) assign_text(words[i]);
  } else if (name == "unset") {
    for (std::size_t i = behind_options(words); i < words.size(); ++i) {
      state_.variables[words[i]] = {{""}, false};
      state_.functions.erase(words[i]);
    }
  } else if (name == "read" || name == "mapfile" || name == "readarray" || name == "getopts") {
    for (std::size_t i = 1; i < words.size(); ++i)
      if (length_of_name(words[i]) == words[i].size()) assign(words[i], {kUnsaid}, false, false);
  } else if (name == "shift") {
    const bool is_one = words.size() == 1 && conditional_ == 0;
    if (is_one && !state_.arguments.empty()) state_.arguments.erase(state_.arguments.begin());
    if (!is_one) std::ranges::fill(state_.arguments, kUnsaid);
  } else if (name == "set") {
    const std::size_t at = behind_options(words, "oO");
    const bool sets = at < words.size() || (words.size() > 1 && words.back() == "--");
    if (sets && !(words.size() > 1 && words[1].starts_with('+')))
      state_.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())),
                              words.end());
  } else {
    return run_nested(words);
  }
  return Start::known;
}

// Builtins that run other commands.
std::optional<ShellReading::Start> ShellReading::run_nested(const Words& words) {
  const std::string& name = words[0];
  const auto from = [&](std::size_t at) {
    return Words(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  };
  if (name == "eval")
    return is_known_text(joined_words(words, 1)) ? read_text(joined_words(words, 1)) : Start::unknown;
  if (name == "." || name == "source") return run_source(words);
  if (name == "trap") {
    const std::size_t at = behind_options(words);
    ++conditional_;
    if (at + 1 < words.size() && words[at] != "-" && !words[at].empty()) (void)read_text(words[at]);
    --conditional_;
    return Start::known;
  }
  const bool is_exec = name == "exec", is_command = name == "command" || name == "builtin";
  if (!is_exec && !is_command) return std::nullopt;
  const std::size_t at = behind_options(words, is_exec ? "a" : "");
  if (at >= words.size()) return Start::known;
  if (is_command && (words[1] == "-v" || words[1] == "-V")) {
    emit_of(words);
    return Start::known;
  }
  const auto functions = std::exchange(state_.functions, {});
  const Start start = run_words(from(at));
  state_.functions = functions;
  return start;
}

void ShellReading::change_folder(const Words& words) {
  const std::vector<std::string> before = state_.folders;
  std::vector<std::string> now;
  const std::size_t at = behind_options(words);
  if (words[0] == "popd") {
    now = state_.pushed.empty() ? std::vector{kUnsaid + "/"} : state_.pushed.back();
    if (!state_.pushed.empty()) state_.pushed.pop_back();
  } else {
    std::vector<std::string> to;
    if (at < words.size()) to = {words[at]};
    if (at >= words.size())
      to = ShellExpansion(state_, outputs_).texts(words[0] == "cd" ? "$HOME" : kUnsaid);
    if (to == std::vector<std::string>{"-"} || (to.size() == 1 && to[0].starts_with('+'))) to = {kUnsaid};
    for (const std::string& folder : before)
      for (const std::string& each : to) now.push_back(folder_inside(folder, each));
    if (words[0] == "pushd") state_.pushed.push_back(before);
  }
  if (conditional_ > 0) now.insert(now.end(), before.begin(), before.end());
  std::ranges::sort(now);
  now.erase(std::unique(now.begin(), now.end()), now.end());
  if (now.size() > kShellValuesMax) now = {kUnsaid + "/"};
  state_.folders = std::move(now);
}

// What a command prints, if somebody reads it.
void ShellReading::emit_of(const Words& words) {
  if (capture_ == nullptr) return;
  const std::string name = words[0].substr(words[0].rfind('/') + 1);
  const std::size_t at = behind_options(words);
  const std::string first = at < words.size() ? words[at] : "";
  const std::filesystem::path path(first);
  if (name == "pwd") {
    std::vector<std::string> folders;
    for (const std::string& folder : state_.folders)
      folders.push_back(is_known_text(folder) ? absolute_folder(folder) : kUnsaid);
    emit(folders);
  } else if (!is_known_text(joined_words(words, 1))) {
    emit({kUnsaid});
  } else if (name == "echo") {
    emit({joined_words(words, words.size() > 1 && words[1] == "-n" ? 2 : 1) + "\n"});
  } else if (name == "printf") {
    const bool is_text = words.size() == 3 && (words[1] == "%s" || words[1] == "%s\\n");
    emit({is_text                                                                   ? words[2]
          : words.size() == 2 && words[1].find_first_of("%\\") == std::string::npos ? words[1]
                                                                                    : kUnsaid});
  } else if (name == "dirname" && !first.empty()) {
    const std::string parent = path.has_filename() ? path.parent_path() : path.parent_path().parent_path();
    emit({parent.empty() ? "." : parent});
  } else if (name == "basename" && words.size() == 2) {
    emit({path.has_filename() ? path.filename() : path.parent_path().filename()});
  } else if ((name == "realpath" || name == "readlink") && !first.empty()) {
    std::vector<std::string> real;
    for (const std::string& folder : state_.folders) {
      std::error_code error;
      const auto whole = std::filesystem::absolute(first.starts_with('/') ? first : folder + first, error);
      const auto resolved = std::filesystem::weakly_canonical(whole, error);
      real.push_back(error || !is_known_text(folder) ? kUnsaid : resolved.string());
    }
    emit(real);
  } else if (name == "command" || name == "which" || name == "type") {
    bool is_sure = true;
    const auto files = files_of(first, is_sure);
    emit({is_sure && name != "type" ? files.empty() ? "" : files[0].path : kUnsaid});
  } else if (name == "uname") {
    emit({words.size() == 1 || words[1] == "-s" ? "Linux" : kUnsaid});
  } else if (!is_plain_builtin(name)) {
    emit({kUnsaid});
  }
}

ShellReading::Start ShellReading::run_function(const ShellNode& body, const Words& words) {
  if (depth_ > kCallsMax) return Start::known;  // it calls itself
  const auto arguments = std::exchange(state_.arguments, Words(words.begin() + 1, words.end()));
  ++depth_;
  read(body);
  --depth_;
  state_.arguments = arguments;
  return Start::known;
}

// `. FILE`: its commands run here.
ShellReading::Start ShellReading::run_source(const Words& words) {
  const std::size_t at = behind_options(words);
  if (at >= words.size() || !is_known_text(words[at])) return Start::unknown;
  const std::string& name = words[at];
  std::vector<std::string> paths;
  for (const std::string& folder : state_.folders) {
    if (!is_known_text(folder) && !name.starts_with('/')) return Start::unknown;
    paths.push_back(name.starts_with('/') ? name : folder + name);
    if (name.starts_with('/')) break;
  }
  bool any = false;
  for (const std::string& path : paths) {
    const auto text = small_text(path);
    if (!text) continue;
    any = true;
    found_.files.push_back({false, name, path});
    const std::string source =
        std::exchange(state_.source, path.starts_with('/') ? path : absolute_folder(path));
    const auto arguments = state_.arguments;
    if (at + 1 < words.size())
      state_.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
    (void)read_text(*text);
    if (at + 1 < words.size()) state_.arguments = arguments;
    state_.source = source;
  }
  return any ? Start::known : Start::missing;
}

}  // namespace kernsweep
