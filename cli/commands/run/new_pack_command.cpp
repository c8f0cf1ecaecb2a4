// The command `new-pack`: writes a project that builds a pack of kernels outside of this tree.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "cli/commands/run/new_pack_files.hpp"
#include "cli/grammar/command.hpp"
#include "cli/show/output.hpp"
#include "language/file/command_template.hpp"
#include "shared/base/installation.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

std::string complaint_about(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (!std::ranges::all_of(name, fits) || (name[0] >= '0' && name[0] <= '9') || name[0] == '_')
    return "'" + name +
           "' is not a valid name of a pack: write letters, digits and _, beginning with a letter";
  constexpr std::size_t kNameLongest = 40;
  if (name.size() > kNameLongest)
    return "'" + name + "' is too long: a name has at most " + std::to_string(kNameLongest) + " letters";
  // CMake's own targets, and the kernels that are programs and functions.
  for (const char* taken : {"ALL_BUILD", "INSTALL", "PACKAGE", "RUN_TESTS", "ZERO_CHECK", "all", "clean",
                            "command", "depend", "edit_cache", "help", "install", "list_install_components",
                            "package", "package_source", "preinstall", "python", "rebuild_cache", "test"})
    if (name == taken)
      return "'" + name + "' is a reserved word of CMake or Kernsweep: choose another name";
  return "";
}

// `kernsweep`, if a shell finds this program with that name; otherwise its path.
std::string program_word() {
  const char* const listed = std::getenv("PATH");
  std::string rest = listed == nullptr ? "" : listed;
  while (!rest.empty()) {
    const std::string folder = rest.substr(0, rest.find(':'));
    rest.erase(0, std::min(rest.size(), folder.size() + 1));
    const fs::path found = fs::path(folder) / "kernsweep";
    std::error_code error;
    if (access(found.c_str(), X_OK) != 0 || !fs::is_regular_file(found, error)) continue;
    if (fs::canonical(found, error) == program_path()) return "kernsweep";
    break;  // another program
  }
  return quoted_word(program_path());
}

// One line each, in the folder of the pack: build it, try it, sweep it.
std::vector<std::string> commands_for(const std::string& name) {
  const std::string root = installation_folder(), program = program_word();
  const bool is_found = root == "/usr" || root == "/usr/local";
  return {"cmake -B build" + (is_found ? "" : " -D CMAKE_PREFIX_PATH=" + quoted_word(root)) +
              " && cmake --build build",
          program + " try build/" + name + ".so -a n=1000",
          "KERNSWEEP_PACKS=$PWD/build " + program + " run " + name + ".yaml"};
}

std::string filled_in(std::string text, const std::string& mark, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
    text.replace(at, mark.size(), value);
  return text;
}

Status write_file(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return Done{};
  return failure(path.string() + ": cannot be written: " + std::strerror(errno ? errno : EIO));
}

class NewPackCommand : public Command {
 public:
  void declare(Options& to) override {
    to.option("pack_name", name_, "Name of the pack, of its family and of its files").required();
    to.option("--folder", folder_, "Folder to write to, new or empty (default: ./NAME)");
  }

  int run(const Invocation&) override {
    if (const std::string complaint = complaint_about(name_); !complaint.empty())
      return report_error(complaint);
    const fs::path folder = folder_.empty() ? name_ : folder_;
    if (const Status made = make(folder); !made) return report_error(made.error().message);
    std::string commands;
    for (const std::string& line : commands_for(name_)) commands += (commands.empty() ? "" : "\n") + line;
    std::string said = "Wrote in " + folder.string() + ":";
    for (const NewPackFile& file : kNewPackFiles) {
      const std::string target =
          filled_in(filled_in(std::string(file.name), "pack", name_), "sweep", name_);
      const std::string text = filled_in(std::string(file.text), "@COMMANDS@", commands);
      if (const Status done = write_file(folder / target, filled_in(text, "@NAME@", name_)); !done)
        return report_error(done.error().message);
      said += " " + target;
    }
    return print_answer(said + "\n\nNow build it, try it, and sweep it:\ncd " +
                        quoted_word(folder.string()) + "\n" + commands + "\n");
  }

 private:
  static Status make(const fs::path& folder) {
    std::error_code error;
    const std::string where = folder.string();
    if (fs::exists(folder, error) && !fs::is_directory(folder, error))
      return failure(where + " is a file; give another name, or --folder FOLDER");
    fs::create_directories(folder, error);
    if (error) return failure(where + ": the folder cannot be made: " + error.message());
    const bool empty = fs::is_empty(folder, error);
    if (error) return failure(where + ": cannot be read: " + error.message());
    if (!empty) return failure(where + " is not empty; give another name, or --folder FOLDER");
    return Done{};
  }

  std::string name_, folder_;
};

}  // namespace

CommandEntry new_pack_command() {
  return {"new-pack", "Write a small project with a kernel of your own, to build on",
          "docs/guides/own-pack.md has the next steps.\n"
          "Exit status: 0 written, 2 bad input or usage.",
          std::make_unique<NewPackCommand>()};
}

}  // namespace kernsweep
