#include "worker/builds/build_store.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "shared/base/file_content.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code none;
    if (at->is_regular_file(none) && !at->is_symlink(none)) sum += at->file_size(none);
  }
  return sum;
}

void note_use(const fs::path& folder) {
  utimensat(AT_FDCWD, folder.c_str(), nullptr, 0);
}

// The hash of the names, contents and modes of all files in it. Error: there is no such folder, or a file
// cannot be read.
Result<Digest> content_of_folder(const fs::path& folder) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code none;
    std::string& what = files[at->path().lexically_relative(folder).string()];
    if (at->is_symlink(none)) {
      what = "link " + fs::read_symlink(at->path(), none).string();
    } else if (at->is_regular_file(none)) {
      KS_ASSIGN_OR_RETURN(const auto hash, FileHashes().hash_of(at->path().string()));
      const bool runs = (at->status(none).permissions() & fs::perms::owner_exec) != fs::perms::none;
      what = (runs ? "program " : "file ") + hash.hex();
    } else {
      what = "other";
    }
  }
  if (error) return failure(folder.string() + " cannot be read: " + error.message());
  std::string text = "kernsweep built 1\n";
  for (const auto& [name, what] : files)
    text +=
        std::to_string(name.size()) + ":" + name + " " + std::to_string(what.size()) + ":" + what + "\n";
  return digest_of(text);
}

// Another worker may be building it. Returns a descriptor; -1: it cannot be locked, or was interrupted.
int lock_of(const fs::path& folder, bool waits, int interrupted = -1) {
  constexpr int kLookEveryMs = 50;
  const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0) return -1;
  pollfd ending{interrupted, POLLIN, 0};
  while (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (waits && (errno == EWOULDBLOCK || errno == EINTR) && poll(&ending, 1, kLookEveryMs) <= 0) continue;
    close(lock);
    return -1;
  }
  return lock;
}

}  // namespace

WorkFolder::WorkFolder(WorkFolder&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(std::exchange(other.lock_, -1)) {}

WorkFolder::~WorkFolder() {
  if (lock_ >= 0) close(lock_);
}

Status WorkFolder::begin() const {
  std::error_code error;
  for (const auto& each : fs::directory_iterator(folder_, error)) fs::remove_all(each.path(), error);
  if (!error) fs::create_directory(out(), error);
  if (error) return failure(folder_.string() + " cannot be emptied: " + error.message());
  return Done{};
}

BuildStore::BuildStore(fs::path folder, std::uint64_t budget_bytes)
    : folder_(std::move(folder)), budget_bytes_(budget_bytes) {}

Result<BuildStore> BuildStore::of_user(std::uint64_t budget_bytes) {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/')
    return BuildStore(fs::path(cache) / "kernsweep" / "builds", budget_bytes);
  if (home != nullptr && *home == '/')
    return BuildStore(fs::path(home) / ".cache" / "kernsweep" / "builds", budget_bytes);
  return failure("there is no folder for builds; set HOME or XDG_CACHE_HOME for the worker");
}

Result<WorkFolder> BuildStore::work(const Digest& key, int interrupted) const {
  const fs::path folder = folder_ / ("work-" + key.hex());
  std::error_code error;
  // Another worker may remove the folder between the calls.
  for (int tries = 0; tries < 3; ++tries) {
    fs::create_directories(folder, error);
    if (error) break;
    const int lock = lock_of(folder, true, interrupted);
    struct stat opened {
    }, there{};
    if (lock >= 0 && fstat(lock, &opened) == 0 && stat(folder.c_str(), &there) == 0 &&
        opened.st_ino == there.st_ino) {
      note_use(folder);
      return WorkFolder(folder, lock);
    }
    if (lock >= 0) close(lock);
  }
  return failure("the folder for builds cannot be used: " + folder.string() +
                 (error ? ": " + error.message() : std::string()) +
                 "; make room or set XDG_CACHE_HOME for the worker");
}

Result<std::string> BuildStore::keep(const WorkFolder& work) const {
  KS_ASSIGN_OR_RETURN(const Digest content, content_of_folder(work.out()));
  const fs::path kept = folder_ / content.hex();
  const int lock = lock_of(folder_, true);  // no other worker can add or remove a folder now
  std::error_code error;
  const auto there = content_of_folder(kept);
  if (!there || *there != content) {
    fs::remove_all(kept, error);
    fs::rename(work.out(), kept, error);
  } else {
    fs::remove_all(work.out(), error);
  }
  note_use(kept);
  if (lock >= 0) close(lock);
  if (error) return failure(kept.string() + " cannot be written: " + error.message());
  return (kept / "built").string();
}

void BuildStore::evict() const {
  if (budget_bytes_ == kNoBudget) return;
  struct Old {
    fs::file_time_type used;
    fs::path folder;
    std::uint64_t bytes;
  };
  std::vector<Old> all;
  std::uint64_t sum = 0;
  std::error_code error;
  const int all_of_them = lock_of(folder_, true);
  for (const auto& each : fs::directory_iterator(folder_, error)) {
    std::error_code none;
    all.push_back({each.last_write_time(none), each.path(), bytes_below(each.path())});
    sum += all.back().bytes;
  }
  std::ranges::sort(all, {}, &Old::used);
  const auto recent = std::min(opened_, fs::file_time_type::clock::now() - std::chrono::hours(1));
  for (const Old& old : all) {
    if (sum <= budget_bytes_ || old.used > recent) break;
    const int lock = lock_of(old.folder, false);
    if (lock < 0) continue;
    fs::remove_all(old.folder, error);
    close(lock);
    sum -= old.bytes;
  }
  if (all_of_them >= 0) close(all_of_them);
}

}  // namespace kernsweep
