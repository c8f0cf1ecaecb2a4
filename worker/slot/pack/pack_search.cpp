#include "worker/slot/pack/pack_search.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "shared/base/installation.hpp"
#include "shared/text/suggest.hpp"
#include "shared/wire/protocol.pb.h"
#include "worker/host/pack_index.hpp"

extern char** environ;

namespace kernsweep {
namespace {

// Describes the pack by `kernsweep-slot --describe`. False: that process has failed.
bool describe_elsewhere(const std::string& pack, wire::Catalogue& out) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::string program = slot_program(), option = "--describe", file = pack;
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

// Preference of a pack that has the family; larger is better.
int rank_of(const wire::Family& family, const std::string& variant) {
  const bool has_it = std::ranges::any_of(
      family.variants(), [&](const wire::Variant& each) { return each.name() == variant; });
  const bool for_gpus = std::ranges::any_of(
      family.variants(), [](const wire::Variant& each) { return each.device() == "gpu"; });
  return (has_it ? 3 : 1) + (for_gpus ? 0 : 1);
}

}  // namespace

bool is_installed_pack(const std::string& pack) {
  namespace fs = std::filesystem;
  std::error_code error;
  return fs::weakly_canonical(fs::path(pack).parent_path(), error) ==
         fs::weakly_canonical(pack_folders().back(), error);
}

Result<std::string> pack_with_kernel(const std::string& family, const std::string& variant) {
  const std::vector<std::string> folders = pack_folders();
  std::vector<std::string> families, candidates;
  for (const std::string& pack : pack_files(folders)) {
    const auto indexed = indexed_families(pack);
    if (!indexed || may_have_family(pack, family)) candidates.push_back(pack);
    if (indexed) families.insert(families.end(), indexed->begin(), indexed->end());
  }
  // Which variants a pack has does not matter if no other has the family.
  if (candidates.size() == 1 && indexed_families(candidates.front())) return candidates.front();
  std::string found;
  int found_rank = 0;
  std::string broken;
  for (const std::string& pack : candidates) {
    wire::Catalogue described;
    if (!describe_elsewhere(pack, described)) broken += "; " + pack + " could not be described";
    for (const std::string& reason : described.broken()) broken += "; " + reason;
    for (const auto& each : described.families()) {
      families.push_back(each.name());
      const int rank = each.name() == family ? rank_of(each, variant) : 0;
      if (rank > found_rank) found = pack;
      found_rank = std::max(rank, found_rank);
    }
  }
  if (found_rank > 0) return found;
  if (families.empty()) return failure("there are no packs of kernels in " + folders.back() + broken);
  return failure("no pack has the family '" + family + "'" + did_you_mean(family, families) + broken);
}

}  // namespace kernsweep
