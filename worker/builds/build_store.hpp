// Files that were built on this host for this user, by their content, kept below a budget.
//
//   CONTENT/built   the file that the command has written, and what it has written beside it
//   work-KEY        where the build of one command runs: `out` becomes CONTENT, `tmp` stays until the next
//   one
//
// Builds of one key have the same folder, so that a path in what they write is no difference. A work folder
// is locked while it is used. Content never changes: equal builds share it, also of several workers. What
// was used least recently is removed first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "shared/base/digest.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Locked. The destructor unlocks it.
class WorkFolder {
 public:
  WorkFolder(std::filesystem::path folder, int lock) : folder_(std::move(folder)), lock_(lock) {}
  WorkFolder(WorkFolder&& other) noexcept;
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  std::string path() const { return folder_.string(); }
  std::string out() const { return (folder_ / "out").string(); }
  std::string built() const { return (folder_ / "out" / "built").string(); }
  // Removes all that is in it, and makes `out`.
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

  // Makes the folder if it is missing, and waits for its lock, until the descriptor `interrupted` is
  // readable. Error: the folder cannot be written, or it was interrupted.
  Result<WorkFolder> work(const Digest& key, int interrupted = -1) const;
  // Moves `out` to its content, unless that is there. Returns the path of the file `built` there.
  Result<std::string> keep(const WorkFolder& work) const;
  // Removes folders until the rest is below the budget: the least recently used first, but none that is
  // locked, or was used within the last hour or since this store was opened. So what a worker has built is
  // there until it ends.
  void evict() const;

 private:
  std::filesystem::path folder_;
  std::uint64_t budget_bytes_;
  std::filesystem::file_time_type opened_ = std::filesystem::file_time_type::clock::now();
};

}  // namespace kernsweep
