#include "shared/lists/launched_program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace kernsweep {
namespace {

struct Launcher {
  std::string_view name;
  std::string_view valued;   // options with a value: "u unset" for -u NAME, --unset NAME and --unset=NAME
  std::size_t operands = 0;  // words between its options and the program
};

constexpr Launcher kLaunchers[] = {
    {"chrt", "T sched-runtime P sched-period D sched-deadline", 1},
    {"env", "u unset C chdir S split-string"},
    {"ionice", "c class n classdata"},
    {"ld",
     "L library-path P preload A audit R inhibit-rpath 0 argv0 H glibc-hwcaps-prepend M "
     "glibc-hwcaps-mask"},
    {"nice", "n adjustment"},
    {"nohup", ""},
    {"numactl",
     "i interleave w weighted-interleave p preferred P preferred-many c cpubind N cpunodebind "
     "C physcpubind m membind"},
    {"setsid", ""},
    {"stdbuf", "i input o output e error"},
    {"taskset", "", 1},
    {"time", "f format o output"},
    {"timeout", "k kill-after s signal", 1},
};

const Launcher* launcher_of(std::string_view program) {
  const auto slash = program.rfind('/');
  std::string_view name = slash == std::string_view::npos ? program : program.substr(slash + 1);
  const std::string_view folder = program.substr(0, program.size() - name.size());
  if (!folder.empty() && folder != "/bin/" && !folder.starts_with("/usr/bin/") &&
      !folder.starts_with("/lib") && !folder.starts_with("/usr/lib"))
    return nullptr;
  if (name.starts_with("ld-linux") || name == "ld.so" || name.starts_with("ld64.so")) name = "ld";
  const auto found = std::ranges::find(kLaunchers, name, &Launcher::name);
  const bool is_linker = name == "ld";
  if (found == std::end(kLaunchers) || (is_linker && program == "ld")) return nullptr;
  return found;
}

// The letter of the option `name`: "u" or "unset", which may be shortened; 0: it takes no value.
char valued_option(const Launcher& launcher, std::string_view given, bool is_long) {
  std::istringstream all{std::string(launcher.valued)};
  std::string letter, name;
  while (all >> letter >> name)
    if (is_long ? name.starts_with(given) : given == letter) return letter[0];
  return 0;
}

bool is_of_variable(std::string_view line, std::string_view name) {
  return line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=';
}

void unset(std::vector<std::string>& environment, std::string_view name) {
  std::erase_if(environment, [&](const std::string& line) { return is_of_variable(line, name); });
}

// Reads the words of one launcher after the other.
class Reading {
 public:
  Reading(std::vector<std::string> words, std::vector<std::string> environment)
      : out_{std::move(words), 0, "", std::move(environment), {}} {}

  std::optional<Launched> read() {
    while (out_.at < out_.words.size()) {
      const Launcher* const launcher = launcher_of(out_.words[out_.at]);
      if (launcher == nullptr) return std::move(out_);
      ++out_.at;
      out_.changes.emplace_back("env");
      if (!read_options(*launcher)) return std::nullopt;
      read_operands(*launcher);
    }
    return std::nullopt;  // `env` alone
  }

 private:
  bool read_options(const Launcher& launcher) {
    while (out_.at < out_.words.size()) {
      const std::string word = out_.words[out_.at];
      if (word.empty() || word[0] != '-') return true;
      ++out_.at;
      if (word == "--") return true;
      if (word == "-" && launcher.name == "env") clear();
      if (!(word.starts_with("--") ? read_long(launcher, word.substr(2)) : read_short(launcher, word)))
        return false;
    }
    return true;
  }

  bool read_long(const Launcher& launcher, const std::string& option) {
    const auto equals = option.find('=');
    const std::string name = option.substr(0, equals);
    if (const char letter = valued_option(launcher, name, true); letter != 0)
      return equals == std::string::npos ? use_next(launcher, letter)
                                         : use(launcher, letter, option.substr(equals + 1));
    if (launcher.name == "env" && name.size() > 1 &&
        std::string_view("ignore-environment").starts_with(name))
      clear();
    return true;
  }

  bool read_short(const Launcher& launcher, const std::string& options) {
    for (std::size_t i = 1; i < options.size(); ++i) {
      if (const char letter = valued_option(launcher, options.substr(i, 1), false); letter != 0)
        return i + 1 == options.size() ? use_next(launcher, letter)
                                       : use(launcher, letter, options.substr(i + 1));
      if (launcher.name == "env" && options[i] == 'i') clear();
    }
    return true;
  }

  bool use_next(const Launcher& launcher, char letter) {
    if (out_.at == out_.words.size()) return false;
    return use(launcher, letter, std::string(out_.words[out_.at++]));
  }

  bool use(const Launcher& launcher, char letter, const std::string& value) {
    if (launcher.name == "env" && letter == 'u') {
      unset(out_.environment, value);
      out_.changes.insert(out_.changes.end(), {"-u", value});
    } else if (launcher.name == "env" && letter == 'C') {
      out_.folder = (value.starts_with('/') ? "" : out_.folder) + value + "/";
      out_.changes.insert(out_.changes.end(), {"-C", value});
    } else if (launcher.name == "env" && letter == 'S') {
      if (value.find_first_of("\\\"'$#") != std::string::npos) return false;
      std::istringstream text(value);
      std::vector<std::string> split;
      for (std::string word; text >> word;) split.push_back(word);
      out_.words.insert(out_.words.begin() + static_cast<std::ptrdiff_t>(out_.at), split.begin(),
                        split.end());
    } else if (launcher.name == "ld" && letter == 'L') {
      set_variable("LD_LIBRARY_PATH=" + value);
    } else if (launcher.name == "ld" && letter == 'P') {
      set_variable("LD_PRELOAD=" + value);
    }
    return true;
  }

  void read_operands(const Launcher& launcher) {
    for (; launcher.name == "env" && out_.at < out_.words.size(); ++out_.at) {
      if (out_.words[out_.at].find('=') == std::string::npos) break;
      set_variable(out_.words[out_.at]);
    }
    out_.at += launcher.operands;
  }

  void clear() {
    out_.environment.clear();
    out_.changes.emplace_back("-i");
  }

  void set_variable(const std::string& line) {
    unset(out_.environment, std::string_view(line).substr(0, line.find('=')));
    out_.environment.push_back(line);
    out_.changes.push_back(line);
  }

  Launched out_;
};

std::string value_of_variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& line : environment)
    if (is_of_variable(line, name)) return line.substr(name.size() + 1);
  return "/bin:/usr/bin";  // of execvp, without PATH
}

}  // namespace

bool is_launcher(const std::string& program) {
  return launcher_of(program) != nullptr;
}

bool is_linker(const std::string& program) {
  const Launcher* const launcher = launcher_of(program);
  return launcher != nullptr && launcher->name == "ld";
}

Launched launched_by(const std::vector<std::string>& words, std::vector<std::string> environment) {
  if (auto read = Reading(words, environment).read()) return *read;
  return {words, words.size(), "", std::move(environment), {}};
}

std::string path_of_word(const Launched& launched, const std::string& word) {
  return word.starts_with('/') ? word : launched.folder + word;
}

std::string path_of_program(const Launched& launched, const std::string& name) {
  if (name.find('/') != std::string::npos) return path_of_word(launched, name);
  std::istringstream folders(value_of_variable(launched.environment, "PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string path = path_of_word(launched, (folder.empty() ? "." : folder) + "/" + name);
    struct stat about {};
    if (access(path.c_str(), X_OK) == 0 && stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode))
      return path;
  }
  return "";
}

std::string name_of_launched(const Launched& launched, const std::string& word) {
  std::string out;
  const auto add = [&](const std::string& each) {
    if (!out.empty()) out += ' ';
    for (const char c : each) {
      if (c == ' ' || c == '\\') out += '\\';
      out += c;
    }
  };
  for (const std::string& change : launched.changes) add(change);
  add(word);
  return out;
}

Launched launched_of_name(std::string_view name, std::vector<std::string> environment) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ' ') {
      words.emplace_back();
    } else {
      if (name[i] == '\\' && i + 1 < name.size()) ++i;
      words.back() += name[i];
    }
  }
  return launched_by(words, std::move(environment));
}

}  // namespace kernsweep
