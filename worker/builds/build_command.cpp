#include "worker/builds/build_command.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "shared/base/installation.hpp"
#include "shared/lists/launched_program.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/source_call.hpp"

namespace kernsweep {
namespace {

// "/usr/bin/arm-linux-g++-12", "clang".
bool is_compiler_with_lists(std::string_view program) {
  std::string_view name = program.substr(program.rfind('/') + 1);
  const auto version = name.find_last_not_of("0123456789.");
  if (version != std::string_view::npos && name[version] == '-') name = name.substr(0, version);
  constexpr std::array<std::string_view, 7> kNames = {"gcc",   "g++",     "cc",  "c++",
                                                      "clang", "clang++", "nvcc"};
  return std::ranges::any_of(kNames, [&](std::string_view each) {
    return name == each || (name.ends_with(each) && name[name.size() - each.size() - 1] == '-');
  });
}

bool is_source(std::string_view word) {
  constexpr std::array<std::string_view, 8> kEndings = {".c", ".cc", ".cpp", ".cxx",
                                                        ".C", ".cu", ".S",   ".m"};
  return !word.starts_with('-') &&
         std::ranges::any_of(kEndings, [&](std::string_view each) { return word.ends_with(each); });
}

}  // namespace

std::vector<std::string> BuildCommand::words_for(const std::string& out) const {
  std::vector<std::string> filled = words;
  const std::string folder = installation_folder() + "/share/kernsweep/source/";
  std::ranges::replace(filled, kCallInC, folder + "call.c");
  std::ranges::replace(filled, kCallInCpp, folder + "call.cpp");
  for (std::string& word : filled)
    for (auto at = word.find(kOutPlace); at != std::string::npos;
         at = word.find(kOutPlace, at + out.size()))
      word.replace(at, kOutPlace.size(), out);
  if (!lists_sources) return filled;
  const std::string_view program = words[compiler];
  const auto behind = filled.begin() + static_cast<std::ptrdiff_t>(compiler) + 1;
  if (program.ends_with("nvcc")) {  // does not accept -MD with linking without a name for the list
    filled.insert(behind, {"-MD", "-MF", out + ".d"});
  } else {
    filled.insert(behind, "-MD");
  }
  return filled;
}

Result<BuildCommand> build_command(std::string_view line) {
  auto words = command_words(line);
  if (!words) return failure("a quote in the command is not closed: " + std::string(line));
  if (words->empty()) return failure("the command is empty; its first word is the program");
  BuildCommand out{std::move(*words), 0, false};
  if (is_launcher(out.words.front())) {
    // Its words are those of the command, unless `env -S` splits one of them.
    const Launched by = launched_by(out.words, {});
    if (by.words == out.words && by.at < out.words.size()) out.compiler = by.at;
  }
  if (out.words[out.compiler].ends_with("ccache") && out.compiler + 1 < out.words.size()) ++out.compiler;
  const auto arguments = out.words.begin() + static_cast<std::ptrdiff_t>(out.compiler) + 1;
  // A command that requests lists itself gets its own; those of several sources overwrite each other.
  const bool asks = std::any_of(arguments, out.words.end(),
                                [](const std::string& word) { return word.starts_with("-M"); });
  const auto sources = std::count_if(arguments, out.words.end(), is_source);
  const std::string& program = out.words[out.compiler];
  const bool lists_all = sources < 2 || program.find("clang") == std::string::npos;
  out.lists_sources = is_compiler_with_lists(program) && !asks && lists_all;
  return out;
}

std::vector<std::string> files_in_rules(std::string_view rules) {
  std::set<std::string> files;
  std::string word;
  bool behind_colon = false;
  const auto end_word = [&] {
    if (!word.empty() && behind_colon) files.insert(word);
    word.clear();
  };
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const char c = rules[i];
    const char next = i + 1 < rules.size() ? rules[i + 1] : '\n';
    if (c == '\\' && next == '\n') {
      ++i;
      end_word();
    } else if ((c == '\\' && (next == ' ' || next == '#' || next == '\\')) || (c == '$' && next == '$')) {
      word += next;
      ++i;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
    } else if (c == '\n') {
      end_word();
      behind_colon = false;
    } else if (c == ':' && !behind_colon && (next == ' ' || next == '\n' || next == '\\')) {
      word.clear();
      behind_colon = true;
    } else {
      word += c;
    }
  }
  end_word();
  return {files.begin(), files.end()};
}

}  // namespace kernsweep
