#include "worker/spool/spool_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "shared/base/log.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {
namespace {

namespace files = std::filesystem;

constexpr const char* kEnding = ".spool";
constexpr const char* kDamaged = ".damaged";
constexpr std::size_t kFileMax = std::size_t{1} << 30;
// Longer than the time after which a coordinator gives up a silent worker.
constexpr auto kMayComeBack = std::chrono::seconds(10);
constexpr auto kForgotten = std::chrono::hours(30 * 24);

tl::unexpected<Error> system_failure(const std::string& path) {
  return failure(path + ": " + std::strerror(errno));
}

// Opens and locks the file. Nothing if it is locked, or if another file has taken its name meanwhile.
std::optional<SpoolFile> lock(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return std::nullopt;
  SpoolFile file(path, descriptor);
  struct stat ours {};
  struct stat there {};
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 || fstat(descriptor, &ours) != 0 ||
      stat(path.c_str(), &there) != 0 || ours.st_ino != there.st_ino || !S_ISREG(ours.st_mode)) {
    return std::nullopt;
  }
  return file;
}

std::optional<std::string> read_whole(int descriptor) {
  std::string bytes;
  char buffer[65536];
  for (off_t at = 0;;) {
    const ssize_t got = pread(descriptor, buffer, sizeof buffer, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || bytes.size() > kFileMax) return std::nullopt;
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
    at += got;
  }
}

Status write_at(int descriptor, std::string_view bytes, std::uint64_t at, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return system_failure(path);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
    at += static_cast<std::uint64_t>(wrote);
  }
  return Done{};
}

std::string unused_name(const std::string& path) {
  std::string name = path + kDamaged;
  std::error_code error;
  for (int number = 2; files::exists(name, error); ++number)
    name = path + kDamaged + std::to_string(number);
  return name;
}

// Keeps the damaged file under another name. The readable records are written to the old name.
std::optional<SpoolFile> set_aside(SpoolFile file, const SpoolContents& contents) {
  const std::string& path = file.path();
  const std::string aside = unused_name(path);
  if (rename(path.c_str(), aside.c_str()) != 0) {
    log_line(LogLevel::warning, path + " is damaged and cannot be set aside: " + std::strerror(errno));
    return std::nullopt;
  }
  log_line(LogLevel::warning, "the spool " + path + " is damaged: " +
                                  counted(contents.outcomes.size(), "outcome", "outcomes") +
                                  " could be read, " + counted(contents.unread_bytes, "byte", "bytes") +
                                  " could not; the whole file is kept as " + aside);
  if (!contents.owner) return std::nullopt;
  auto whole =
      replace_spool_file(path, spool_file_of(*contents.owner, contents.software, contents.outcomes));
  if (whole) return std::move(*whole);
  log_line(LogLevel::warning, whole.error().message);
  return std::nullopt;
}

bool fits(const SpoolContents& contents, const WantedSpool& wanted) {
  if (!contents.owner || contents.owner->host != wanted.host) return false;
  return wanted.database.empty() ? contents.owner->endpoint == wanted.endpoint
                                 : contents.owner->database == wanted.database;
}

std::optional<Leftover> take(const std::string& path, const WantedSpool& wanted) {
  auto file = lock(path);
  if (!file) return std::nullopt;
  const auto bytes = read_whole(file->descriptor());
  if (!bytes) return std::nullopt;
  SpoolContents contents = read_spool(*bytes);
  if (contents.other_version) return std::nullopt;
  const bool fit = fits(contents, wanted);
  // No worker can adopt a file without a readable owner.
  const bool nobodys = !contents.owner;
  if (contents.unread_bytes > 0 && (fit || nobodys)) {
    file = set_aside(std::move(*file), contents);
    if (!file) return std::nullopt;
  }
  if (!fit) return std::nullopt;
  return Leftover{std::move(*file), std::move(contents)};
}

}  // namespace

SpoolFile::SpoolFile(SpoolFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

SpoolFile& SpoolFile::operator=(SpoolFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

SpoolFile::~SpoolFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string usual_spool_folder() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') return std::string(state) + "/kernsweep/spool";
  const char* const home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.local/state/kernsweep/spool" : "";
}

Status prepare_spool_folder(const std::string& folder) {
  std::error_code error;
  const bool made = files::create_directories(folder, error);
  if (error) return failure(folder + ": " + error.message());
  if (made) files::permissions(folder, files::perms::owner_all, error);
  if (access(folder.c_str(), W_OK | X_OK) != 0) return system_failure(folder);
  return Done{};
}

std::vector<Leftover> take_leftovers(const std::string& folder, const WantedSpool& wanted) {
  std::vector<std::pair<files::file_time_type, std::string>> found;
  std::error_code error;
  for (files::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const auto written = files::last_write_time(entry->path(), gone);
    if (!gone && entry->path().extension() == kEnding) found.emplace_back(written, entry->path().string());
  }
  std::sort(found.rbegin(), found.rend());
  const auto now = files::file_time_type::clock::now();
  std::vector<Leftover> taken;
  for (const auto& [written, path] : found) {
    if (!taken.empty() && now - written < kMayComeBack) continue;
    auto leftover = take(path, wanted);
    if (!leftover) continue;
    if (!taken.empty() && leftover->contents.owner->database != taken[0].contents.owner->database) continue;
    taken.push_back(std::move(*leftover));
  }
  return taken;
}

std::size_t count_forgotten(const std::string& folder) {
  std::size_t count = 0;
  std::error_code error;
  for (files::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const auto written = files::last_write_time(entry->path(), gone);
    if (gone || files::file_time_type::clock::now() - written <= kForgotten) continue;
    const std::string path = entry->path().string();
    const bool ours = path.ends_with(kEnding) || path.find(std::string(kEnding) + kDamaged) != path.npos;
    if (ours && lock(path)) ++count;
  }
  return count;
}

Result<SpoolFile> replace_spool_file(const std::string& path, std::string_view bytes) {
  const std::string fresh = path + ".new";
  const int descriptor =
      open(fresh.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return system_failure(fresh);
  SpoolFile file(path, descriptor);
  Status done = write_at(descriptor, bytes, 0, fresh);
  if (done && flock(descriptor, LOCK_EX | LOCK_NB) != 0) done = system_failure(fresh);
  if (done && fdatasync(descriptor) != 0) done = system_failure(fresh);
  if (done && rename(fresh.c_str(), path.c_str()) != 0) done = system_failure(path);
  if (!done) {
    unlink(fresh.c_str());
    return tl::unexpected(done.error());
  }
  const std::string folder = files::path(path).parent_path().string();
  if (const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); opened >= 0) {
    (void)fsync(opened);  // syncs the new name; some file systems cannot
    close(opened);
  }
  return file;
}

Status append_to_spool_file(const SpoolFile& file, std::string_view bytes, std::uint64_t at) {
  Status done = write_at(file.descriptor(), bytes, at, file.path());
  if (!done && ftruncate(file.descriptor(), static_cast<off_t>(at)) != 0) {
    done = failure(done.error().message + ", and what was written of it could not be taken back");
  }
  return done;
}

}  // namespace kernsweep
