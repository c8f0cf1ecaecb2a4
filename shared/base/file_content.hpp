// The identity of a file's content: the XXH3-128 of its bytes (content_hash.hpp), computed once for each
// state of the file.
//
// A stamp identifies a state. It is unreliable in two cases. A file that is written while it is read is
// read again. A file that was changed less than kSettledSeconds before it was read is not cached, because a
// second change within one tick of the file system's clock leaves the same stamp; such a file is read each
// time until it is that old. Setting the modification time back changes the change time, which cannot be
// set. Not detected: writes to a mapping of the file that the kernel has not recorded yet.
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
#include "shared/base/result.hpp"
#include "shared/text/moment.hpp"

namespace kernsweep {

// Equal as long as a file is unchanged. Times in nanoseconds since 1970. Valid only on one host.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  friend auto operator<=>(const FileStamp&, const FileStamp&) = default;
  std::string bytes() const;  // 40 bytes in native byte order, for processes of one host
};
std::optional<FileStamp> file_stamp_from_bytes(std::string_view bytes);  // nothing if not 40 bytes
// The stamp of the regular file at `path`, without opening it; follows links. Nothing if there is none.
std::optional<FileStamp> file_stamp_at(const std::string& path);

class FileHashes {
 public:
  struct Content {
    Digest hash;
    std::uint64_t bytes = 0;
    friend bool operator==(const Content&, const Content&) = default;
  };
  static constexpr double kSettledSeconds = 2.0;       // seconds; FAT keeps times in steps of 2 s
  static constexpr int kReadingsMax = 3;               // attempts to read a file that changes meanwhile
  static constexpr std::size_t kRememberedMax = 4096;  // files; one more first empties the cache

  // `now`: the time of day, as unix_now() returns it; called once before each reading.
  explicit FileHashes(std::function<double()> now = unix_now) : now_(std::move(now)) {}

  // Follows links. Errors, each beginning with the path: the file cannot be opened or read, is not a
  // regular file (a FIFO is rejected without waiting), or was changed during each of kReadingsMax readings.
  Result<Digest> hash_of(const std::string& path);
  Result<Content> content_of(const std::string& path);

  // True if the file's current stamp is cached with this hash. Does not open the file, so on a network file
  // system it requires that the file was opened a moment ago.
  bool remembers(const std::string& path, const Digest& hash) const;

  // Adds a hash that another process of this host has computed by the same rules.
  void learn(const FileStamp& stamp, const Digest& hash);
  const std::map<FileStamp, Digest>& remembered() const { return remembered_; }

 private:
  std::function<double()> now_;
  std::map<FileStamp, Digest> remembered_;
};

}  // namespace kernsweep
