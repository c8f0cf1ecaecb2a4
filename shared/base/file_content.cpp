#include "shared/base/file_content.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "shared/base/content_hash.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileStamp stamp_in(const struct stat& about) {
  return {static_cast<std::uint64_t>(about.st_dev), static_cast<std::uint64_t>(about.st_ino),
          static_cast<std::uint64_t>(about.st_size), nanoseconds(about.st_mtim),
          nanoseconds(about.st_ctim)};
}

class OpenFile {
 public:
  // O_NONBLOCK: opening a FIFO must not wait. The file is opened even if its stamp is cached, because a
  // network file system asks its server for the current times only on open.
  explicit OpenFile(const std::string& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), error_(errno) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  Result<FileStamp> stamp() const {
    if (descriptor_ < 0) return failed(std::strerror(error_));
    struct stat about {};
    if (fstat(descriptor_, &about) != 0) return failed(std::strerror(errno));
    if (!S_ISREG(about.st_mode)) return failed("is not a regular file");
    return stamp_in(about);
  }

  // The hash of the first `size` bytes; nothing if the file has fewer or more.
  Result<std::optional<Digest>> hash(std::uint64_t size) const {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    const auto piece = std::make_unique<char[]>(static_cast<std::size_t>(std::min(size + 1, kPiece)));
    ContentHasher hasher;
    for (std::uint64_t at = 0; at <= size;) {  // one byte more at most, to notice a file that grows
      const auto wanted = static_cast<std::size_t>(std::min(size + 1 - at, kPiece));
      const ssize_t got = pread(descriptor_, piece.get(), wanted, static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failed(std::strerror(errno));
      if (got == 0) return at == size ? std::optional(hasher.digest()) : std::nullopt;
      hasher.add(piece.get(), static_cast<std::size_t>(got));
      at += static_cast<std::uint64_t>(got);
    }
    return std::optional<Digest>();
  }

  tl::unexpected<Error> failed(const std::string& why) const { return failure(path_ + ": " + why); }

 private:
  std::string path_;
  int descriptor_;
  int error_;  // errno of open()
};

}  // namespace

std::string FileStamp::bytes() const {
  const std::array<std::uint64_t, 5> words = {device, inode, size, static_cast<std::uint64_t>(mtime_ns),
                                              static_cast<std::uint64_t>(ctime_ns)};
  return {reinterpret_cast<const char*>(words.data()), sizeof words};
}

std::optional<FileStamp> file_stamp_from_bytes(std::string_view bytes) {
  std::array<std::uint64_t, 5> words{};
  if (bytes.size() != sizeof words) return std::nullopt;
  std::memcpy(words.data(), bytes.data(), sizeof words);
  return FileStamp{words[0], words[1], words[2], static_cast<std::int64_t>(words[3]),
                   static_cast<std::int64_t>(words[4])};
}

std::optional<FileStamp> file_stamp_at(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  return stamp_in(about);
}

Result<Digest> FileHashes::hash_of(const std::string& path) {
  return content_of(path).map([](const Content& content) { return content.hash; });
}

Result<FileHashes::Content> FileHashes::content_of(const std::string& path) {
  if (const auto stamp = file_stamp_at(path)) {
    if (const auto known = remembered_.find(*stamp); known != remembered_.end())
      return Content{known->second, stamp->size};
  }
  for (int reading = 1; reading <= kReadingsMax; ++reading) {
    const OpenFile file(path);
    KS_ASSIGN_OR_RETURN(const auto stamp, file.stamp());
    const auto known = remembered_.find(stamp);
    if (known != remembered_.end()) return Content{known->second, stamp.size};
    const double now = now_();
    KS_ASSIGN_OR_RETURN(const auto hash, file.hash(stamp.size));
    KS_ASSIGN_OR_RETURN(const auto after, file.stamp());
    if (!hash || after != stamp) continue;
    const double changed = static_cast<double>(std::max(stamp.mtime_ns, stamp.ctime_ns)) / 1e9;
    if (changed < now - kSettledSeconds) learn(stamp, *hash);
    return Content{*hash, stamp.size};
  }
  return failure(fmt::format(
      "{}: was changed each of the {} times that it was read; try again when nothing writes to it", path,
      kReadingsMax));
}

bool FileHashes::remembers(const std::string& path, const Digest& hash) const {
  const auto stamp = file_stamp_at(path);
  const auto known = stamp ? remembered_.find(*stamp) : remembered_.end();
  return known != remembered_.end() && known->second == hash;
}

void FileHashes::learn(const FileStamp& stamp, const Digest& hash) {
  if (remembered_.size() >= kRememberedMax && !remembered_.contains(stamp)) remembered_.clear();
  remembered_.insert_or_assign(stamp, hash);
}

}  // namespace kernsweep
