// What was built on this host for this user: a folder with one entry for each command, compiler and kind of
// host, kept below a budget.
//
//   ENTRY/built     the file that the command has written, and what it has written beside it
//   ENTRY/record    when, how long, the content of `built`, and of each file that it was made of
//
// An entry is locked while it is used or changed; a record is written last. What was used least recently is
// removed first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "shared/base/digest.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

struct BuildRecord {
  double unix_s = 0;   // when it was built
  double seconds = 0;  // that the build took
  std::uint64_t bytes = 0;
  std::string hash;     // of the content of `built`, 32 hex digits
  std::string sources;  // shared/lists/source_lines.hpp
  std::string notes;    // one per line
  friend bool operator==(const BuildRecord&, const BuildRecord&) = default;
};

std::string text_of(const BuildRecord& record);
std::optional<BuildRecord> build_record(std::string_view text);  // nothing: not such a text

// An entry, locked. The destructor unlocks it.
class BuildEntry {
 public:
  BuildEntry(std::filesystem::path folder, int lock) : folder_(std::move(folder)), lock_(lock) {}
  BuildEntry(BuildEntry&& other) noexcept;
  BuildEntry& operator=(BuildEntry&&) = delete;
  ~BuildEntry();

  std::string folder() const { return folder_.string(); }
  std::string built() const { return (folder_ / "built").string(); }
  std::optional<BuildRecord> record() const;
  // Removes all but the record.
  Status clear() const;
  Status write(const BuildRecord& record) const;
  void note_use() const;

 private:
  std::filesystem::path folder_;
  int lock_ = -1;
};

class BuildStore {
 public:
  static constexpr std::uint64_t kBudgetBytes = std::uint64_t{2} << 30;

  explicit BuildStore(std::filesystem::path folder, std::uint64_t budget_bytes = kBudgetBytes);
  // $XDG_CACHE_HOME/kernsweep/builds, or ~/.cache/kernsweep/builds. Error: neither variable is set.
  static Result<BuildStore> of_user();

  // Makes the entry if it is missing, and waits for its lock, until the descriptor `interrupted` is
  // readable. Error: the folder cannot be written, or it was interrupted.
  Result<BuildEntry> entry(const Digest& key, int interrupted = -1) const;
  // Removes entries until the rest is below the budget: the least recently used first, but none that is
  // locked, or was used within the last hour or since this store was opened. So what a worker has built is
  // there until it ends.
  void evict() const;

 private:
  std::filesystem::path folder_;
  std::uint64_t budget_bytes_;
  std::filesystem::file_time_type opened_ = std::filesystem::file_time_type::clock::now();
};

}  // namespace kernsweep
