#include "worker/slot/pack_search.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "shared/installation.hpp"
#include "shared/suggest.hpp"
#include "shared/wire/protocol.pb.h"

extern char** environ;

namespace kernsweep {
namespace {

// What `kernsweep-slot --describe` says of the pack; false: it did not come to the end of it.
bool describe_elsewhere(const std::string& pack, wire::Catalogue& out) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::string program = program_path(), option = "--describe", file = pack;
  char* const words[] = {program.data(), option.data(), file.data(), nullptr};
  pid_t child = -1;
  const bool started = posix_spawn(&child, program.c_str(), &actions, nullptr, words, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string bytes;
  char buffer[4096];
  for (ssize_t got; started && (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  return started && waitpid(child, &status, 0) == child && status == 0 && out.ParseFromString(bytes);
}

}  // namespace

Result<std::string> pack_with_family(const std::string& family) {
  const std::vector<std::string> folders = pack_folders();
  std::vector<std::string> families;
  std::string broken;
  for (const std::string& pack : pack_files(folders)) {
    wire::Catalogue described;
    if (!describe_elsewhere(pack, described)) broken += "; " + pack + " could not be described";
    for (const std::string& reason : described.broken()) broken += "; " + reason;
    for (const auto& each : described.families()) {
      if (each.name() == family) return pack;
      families.push_back(each.name());
    }
  }
  if (families.empty()) return failure("there are no packs of kernels in " + folders.back() + broken);
  return failure("no pack has the family '" + family + "'" + did_you_mean(family, families) + broken);
}

}  // namespace kernsweep
