#include "worker/builds/build_store.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "shared/base/try.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "kernsweep build 1\n";

std::string_view take_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return line;
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", value);
  return text;
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code none;
    if (at->is_regular_file(none) && !at->is_symlink(none)) sum += at->file_size(none);
  }
  return sum;
}

// Another worker may build it now. Returns a descriptor; -1: it cannot be locked before the end.
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

std::string text_of(const BuildRecord& record) {
  std::string out(kFirstLine);
  out += number_text(record.unix_s) + "\n" + number_text(record.seconds) + "\n";
  out += std::to_string(record.bytes) + "\n" + record.hash + "\n";
  out += std::to_string(std::ranges::count(record.notes, '\n') + (record.notes.empty() ? 0 : 1)) + "\n";
  if (!record.notes.empty()) out += record.notes + "\n";
  return out + record.sources + "\n";
}

std::optional<BuildRecord> build_record(std::string_view text) {
  if (!text.starts_with(kFirstLine)) return std::nullopt;
  text.remove_prefix(kFirstLine.size());
  BuildRecord out;
  const auto when = number_of<double>(take_line(text)), took = number_of<double>(take_line(text));
  const auto bytes = number_of<std::uint64_t>(take_line(text));
  out.hash = take_line(text);
  const auto notes = number_of<std::size_t>(take_line(text));
  if (!when || !took || !bytes || !notes || *notes > 100 || !digest_from_hex(out.hash)) return std::nullopt;
  for (std::size_t i = 0; i < *notes; ++i) out.notes += (i == 0 ? "" : "\n") + std::string(take_line(text));
  if (!text.ends_with('\n')) return std::nullopt;  // cut off
  out.unix_s = *when;
  out.seconds = *took;
  out.bytes = *bytes;
  out.sources = text.substr(0, text.size() - 1);
  return out;
}

BuildEntry::BuildEntry(BuildEntry&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(std::exchange(other.lock_, -1)) {}

BuildEntry::~BuildEntry() {
  if (lock_ >= 0) close(lock_);
}

std::optional<BuildRecord> BuildEntry::record() const {
  std::ifstream file(folder_ / "record", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return build_record(text);
}

Status BuildEntry::clear() const {
  std::error_code error;
  for (const auto& each : fs::directory_iterator(folder_, error))
    if (each.path().filename() != "record") fs::remove_all(each.path(), error);
  if (error) return failure(folder_.string() + " cannot be emptied: " + error.message());
  return Done{};
}

Status BuildEntry::write(const BuildRecord& record) const {
  const fs::path made = folder_ / "record.new";
  std::ofstream file(made, std::ios::binary | std::ios::trunc);
  file << text_of(record);
  file.close();
  std::error_code error;
  if (file) fs::rename(made, folder_ / "record", error);
  if (!file || error) return failure(folder_.string() + " cannot be written; is the disk full?");
  return Done{};
}

void BuildEntry::note_use() const {
  utimensat(AT_FDCWD, folder_.c_str(), nullptr, 0);
}

BuildStore::BuildStore(fs::path folder, std::uint64_t budget_bytes)
    : folder_(std::move(folder)), budget_bytes_(budget_bytes) {}

Result<BuildStore> BuildStore::of_user() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') return BuildStore(fs::path(cache) / "kernsweep" / "builds");
  if (home != nullptr && *home == '/')
    return BuildStore(fs::path(home) / ".cache" / "kernsweep" / "builds");
  return failure("there is no folder for what is built; set HOME or XDG_CACHE_HOME for the worker");
}

Result<BuildEntry> BuildStore::entry(const Digest& key, int interrupted) const {
  const fs::path folder = folder_ / key.hex();
  std::error_code error;
  // Another worker may remove the entry between the calls.
  for (int tries = 0; tries < 3; ++tries) {
    fs::create_directories(folder, error);
    if (error) break;
    const int lock = lock_of(folder, true, interrupted);
    struct stat opened {
    }, there{};
    if (lock >= 0 && fstat(lock, &opened) == 0 && stat(folder.c_str(), &there) == 0 &&
        opened.st_ino == there.st_ino)
      return BuildEntry(folder, lock);
    if (lock >= 0) close(lock);
  }
  return failure("the folder for what is built cannot be used: " + folder.string() +
                 (error ? ": " + error.message() : std::string()) +
                 "; make room or set XDG_CACHE_HOME for the worker");
}

void BuildStore::evict() const {
  struct Old {
    fs::file_time_type used;
    fs::path folder;
    std::uint64_t bytes;
  };
  std::vector<Old> all;
  std::uint64_t sum = 0;
  std::error_code error;
  for (const auto& each : fs::directory_iterator(folder_, error)) {
    std::error_code none;
    all.push_back({each.last_write_time(none), each.path(), bytes_below(each.path())});
    sum += all.back().bytes;
  }
  std::ranges::sort(all, {}, &Old::used);
  const auto recent = std::min(opened_, fs::file_time_type::clock::now() - std::chrono::hours(1));
  for (const Old& old : all) {
    if (sum <= budget_bytes_ || old.used > recent) return;
    const int lock = lock_of(old.folder, false);
    if (lock < 0) continue;
    fs::remove_all(old.folder, error);
    close(lock);
    sum -= old.bytes;
  }
}

}  // namespace kernsweep
