// Files that were built on this host for this user, by their content, kept below a budget.
//
//   CONTENT/built   the file that the command has written, and other files that it has written
//   work-KEY        where the build of one command runs: `out` becomes CONTENT, `tmp` stays until the next
//   build
//
// Builds of one key have the same folder, so that its path in their output makes no difference. A work
// folder is locked while it is used. Content never changes, so equal builds share it, also those of several
// workers. The least recently used content is removed first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "shared/base/digest.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// A locked folder. The destructor unlocks it.
class WorkFolder {
 public:
  WorkFolder(std::filesystem::path folder, int lock) : folder_(std::move(folder)), lock_(lock) {}
  WorkFolder(WorkFolder&& other) noexcept;
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  std::string path() const { return folder_.string(); }
  std::string out() const { return (folder_ / "out").string(); }
  std::string built() const { return (folder_ / "out" / "built").string(); }
  // Removes all its content, and creates `out`.
  Status begin() const;

 private:
  std::filesystem::path folder_;
  int lock_ = -1;
};

class BuildStore {
 public:
  static constexpr std::uint64_t kBudgetBytes = std::uint64_t{2} << 30;
  static constexpr std::uint64_t kNoBudget = UINT64_MAX;  // evict() removes nothing

  explicit BuildStore(std::filesystem::path folder, std::uint64_t budget_bytes = kBudgetBytes);
  // $XDG_CACHE_HOME/kernsweep/builds, or ~/.cache/kernsweep/builds. Error: neither variable is set.
  static Result<BuildStore> of_user(std::uint64_t budget_bytes = kBudgetBytes);

  // Creates the folder if it is missing, and waits for its lock, until the descriptor `interrupted` is
  // readable. Error: the folder cannot be written, or it was interrupted.
  Result<WorkFolder> work(const Digest& key, int interrupted = -1) const;
  // Moves `out` to the folder of its content, unless that exists. Returns the path of the file `built`
  // there.
  Result<std::string> keep(const WorkFolder& work) const;
  // Removes the least recently used folders until the rest is below the budget, except for those that are
  // locked, or were used within the last hour or since this store was opened. So the builds of a worker
  // exist until it ends.
  void evict() const;

 private:
  std::filesystem::path folder_;
  std::uint64_t budget_bytes_;
  std::filesystem::file_time_type opened_ = std::filesystem::file_time_type::clock::now();
};

}  // namespace kernsweep
