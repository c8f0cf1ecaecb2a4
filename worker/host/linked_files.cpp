#include "worker/host/linked_files.hpp"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>

#include "shared/lists/launched_program.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kBeginningRead = 4096;  // bytes; contains the tables that linkers write

std::string part_of_file(const std::string& path, std::size_t at, std::size_t size) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return "";
  std::string bytes(size, '\0');
  const ssize_t got = pread(file, bytes.data(), size, static_cast<off_t>(at));
  close(file);
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

// The file names its linker, and may come from a stranger, so only a linker of the system is started.
bool is_linker(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  const std::string name = std::filesystem::path(path).filename().string();
  return !error && path.starts_with('/') && is_of_system(real.native()) &&
         (name.starts_with("ld-") || name.starts_with("ld64"));
}

// The dynamic linker that a 64-bit ELF program of this machine's byte order names; "" if it names none.
std::string linker_of(const std::string& program, const std::string& beginning) {
  Elf64_Ehdr header;
  if (beginning.size() < sizeof header) return "";
  std::memcpy(&header, beginning.data(), sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return "";
  const std::string table =
      part_of_file(program, header.e_phoff, std::size_t{header.e_phnum} * sizeof(Elf64_Phdr));
  for (std::size_t at = 0; at + sizeof(Elf64_Phdr) <= table.size(); at += sizeof(Elf64_Phdr)) {
    Elf64_Phdr part;
    std::memcpy(&part, table.data() + at, sizeof part);
    if (part.p_type != PT_INTERP || part.p_filesz == 0 || part.p_filesz > kBeginningRead) continue;
    std::string linker = part_of_file(program, part.p_offset, part.p_filesz - 1);
    return is_linker(linker) ? linker : "";
  }
  return "";
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// The output of the program; "" if it fails.
std::string printed_by(std::vector<std::string> words, std::vector<std::string> environment,
                       const std::string& folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = -1;
  const bool started = posix_spawn(&child, words[0].c_str(), &actions, nullptr, pointers_to(words).data(),
                                   pointers_to(environment).data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string out;
  char buffer[4096];
  for (ssize_t got = 1; started && got != 0;) {
    got = read(ends[0], buffer, sizeof buffer);
    if (got < 0 && errno != EINTR) break;
    if (got > 0) out.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  pid_t ended = -1;
  while (started && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  return started && ended == child && status == 0 ? out : "";
}

// The output of ld.so about the program, which it does not start.
std::string list_of(const std::string& linker, const std::string& program,
                    std::vector<std::string> environment, const std::string& folder) {
  std::string list = printed_by({linker, "--list", program}, environment, folder);
  const bool is_of_glibc = !std::filesystem::path(linker).filename().string().starts_with("ld-musl");
  if (!list.empty() || !is_of_glibc) return list;
  // --list ends at the first missing library; this lists all.
  environment.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
  return printed_by({linker, program}, std::move(environment), folder);
}

// The interpreter of "#!/bin/sh", the two of "#!/usr/bin/env -S A=1 python3"; sets the variables that env
// sets.
std::vector<LinkedFile> interpreters_of(const std::string& beginning,
                                        std::vector<std::string>& environment) {
  std::istringstream line(beginning.substr(2, beginning.find('\n') - 2));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  if (words.empty()) return {};
  std::vector<LinkedFile> out = {{words[0], words[0]}};
  if (std::filesystem::path(words[0]).filename() != "env") return out;
  words[0] = "env";
  if (words.size() > 1 && words[1] == "-S") words.erase(words.begin() + 1);  // the rest is split already
  Launched by = launched_by(words, environment);
  if (by.at == by.words.size()) return out;
  const std::string path = path_of_program(by, by.words[by.at]);
  if (!path.empty()) out.push_back({by.words[by.at], path});
  environment = std::move(by.environment);
  return out;
}

}  // namespace

std::vector<LinkedFile> linked_files_in(std::string_view printed) {
  std::vector<LinkedFile> out;
  while (!printed.empty()) {
    const auto end = printed.find('\n');
    std::string_view line = printed.substr(0, end);
    printed = end == std::string_view::npos ? std::string_view() : printed.substr(end + 1);
    while (!line.empty() && (line.front() == '\t' || line.front() == ' ')) line.remove_prefix(1);
    line = line.substr(0, line.rfind(" (0x"));
    constexpr std::string_view kArrow = " => ";
    const auto arrow = line.find(kArrow);
    const std::string_view path =
        arrow == std::string_view::npos ? line : line.substr(arrow + kArrow.size());
    const bool is_missing = path == "not found";
    if (path.find('/') == std::string_view::npos && !is_missing) continue;  // the vDSO
    out.push_back({std::string(line.substr(0, arrow)), is_missing ? "" : std::string(path)});
  }
  return out;
}

std::vector<LinkedFile> linked_files(const std::string& program,
                                     const std::vector<std::string>& environment,
                                     const std::string& folder) {
  constexpr int kScriptsMax = 4;  // as Linux: the interpreter may be a script itself
  const auto from_here = [&](const std::string& path) {
    return path.empty() || path.starts_with('/') ? path : folder + path;
  };
  std::vector<LinkedFile> out;
  std::string file = program;
  std::vector<std::string> variables = environment;
  for (int depth = 0; depth < kScriptsMax; ++depth) {
    const std::string beginning = part_of_file(file, 0, kBeginningRead);
    if (beginning.starts_with(ELFMAG)) {
      const std::string linker = linker_of(file, beginning);
      if (linker.empty()) break;
      // A name without a slash would be looked up as a library.
      std::string path = file.find('/') == std::string::npos ? "./" + file : file;
      std::error_code error;
      if (!folder.empty()) path = std::filesystem::absolute(path, error).string();
      for (LinkedFile& each : linked_files_in(list_of(linker, path, variables, folder)))
        out.push_back({std::move(each.name), from_here(each.path)});
      break;
    }
    if (!beginning.starts_with("#!")) break;
    const auto interpreters = interpreters_of(beginning, variables);
    if (interpreters.empty()) break;
    for (const LinkedFile& each : interpreters) out.push_back({each.name, from_here(each.path)});
    file = out.back().path;
  }
  return out;
}

bool is_of_system(std::string_view path) {
  if (path.starts_with("/usr/local/")) return false;
  for (const std::string_view folder :
       {"/usr/", "/lib/", "/lib32/", "/lib64/", "/libx32/", "/bin/", "/sbin/"})
    if (path.starts_with(folder)) return true;
  return false;
}

}  // namespace kernsweep
