// What a file holds, as an identity: the XXH3-128 of its bytes (content_hash.hpp), read once for each state
// of the file. A path says nothing about content: whatever is reused, compared or kept asks here.
//
// A state is known by its stamp. Two things make a stamp lie, and both are met: a file that is written
// while it is read is read again, and a file that was changed less than kSettledSeconds before it was read
// is not remembered, because a second change within one tick of the file system's clock leaves the same
// stamp. That costs a reading each time until the file is that old. A time of modification that somebody
// sets back changes the time of change, which nobody can set. Not seen: writes to a mapping of the file
// that the kernel has not yet noted.
//
// No lock: one owner, one thread at a time.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "shared/base/digest.hpp"
#include "shared/base/moment.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// What tells that a file is still the same. Times in nanoseconds since 1970. Means nothing on another host.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  friend auto operator<=>(const FileStamp&, const FileStamp&) = default;
  std::string bytes() const;  // 40 bytes, in this machine's order: between processes of one host
};
std::optional<FileStamp> file_stamp_from_bytes(std::string_view bytes);  // nothing: not 40 bytes
// Of the regular file at `path`, links followed, without opening it; nothing: there is none.
std::optional<FileStamp> file_stamp_at(const std::string& path);

class FileHashes {
 public:
  struct Content {
    Digest hash;
    std::uint64_t bytes = 0;
  };
  static constexpr double kSettledSeconds = 2.0;       // seconds; FAT keeps times in steps of 2 s
  static constexpr int kReadingsMax = 3;               // of a file that is written meanwhile
  static constexpr std::size_t kRememberedMax = 4096;  // files; beyond, all are forgotten

  // `now`: the time of day as unix_now() gives it; asked once for each reading, before it.
  explicit FileHashes(std::function<double()> now = unix_now) : now_(std::move(now)) {}

  // Follows links. Errors, each beginning with the path: cannot be opened or read, is no regular file (a
  // FIFO is refused without waiting), was changed during each of kReadingsMax readings.
  Result<Digest> hash_of(const std::string& path);
  Result<Content> content_of(const std::string& path);

  // What another process of this host has read by the same rules.
  void learn(const FileStamp& stamp, const Digest& hash);
  const std::map<FileStamp, Digest>& remembered() const { return remembered_; }

 private:
  std::function<double()> now_;
  std::map<FileStamp, Digest> remembered_;
};

}  // namespace kernsweep
