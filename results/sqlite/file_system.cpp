#include "results/sqlite/file_system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace kernsweep {
namespace {

// By the numbers of statfs(2).
std::string kind_of(int descriptor) {
  constexpr std::array<std::pair<unsigned long, std::string_view>, 9> kKinds = {{{0x6969, "NFS"},
                                                                                 {0x65735546, "FUSE"},
                                                                                 {0x01021997, "9p"},
                                                                                 {0xFF534D42, "CIFS"},
                                                                                 {0xFE534D42, "SMB"},
                                                                                 {0x0BD00BD0, "Lustre"},
                                                                                 {0x00C36400, "Ceph"},
                                                                                 {0x47504653, "GPFS"},
                                                                                 {0x5346414F, "AFS"}}};
  struct statfs about {};
  if (fstatfs(descriptor, &about) != 0) return "";
  for (const auto& [number, name] : kKinds)
    if ((static_cast<unsigned long>(about.f_type) & 0xFFFFFFFF) == number)
      return fmt::format(" ({})", name);
  return "";
}

struct WayOfLinks {
  std::string text;           // "a.db -> b.db -> c/x.db"
  std::filesystem::path end;  // not a link, or a link that was visited before
};

WayOfLinks way_of_links(std::filesystem::path at) {
  constexpr int kShown = 8;
  WayOfLinks out{at.string(), at};
  const std::filesystem::path first = at;
  for (int step = 0; step < kShown; ++step) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) break;
    at = at.parent_path() / target;
    out.text += " -> " + at.lexically_normal().string();
    out.end = at;
    if (at.lexically_normal() == first.lexically_normal()) break;
  }
  return out;
}

// SQLite follows links to the file, and creates its other files there.
std::string folder_of(const std::string& file) {
  const std::string folder = way_of_links(file).end.parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string text_of_bytes(std::uint64_t bytes) {
  constexpr double kKibi = 1024, kMebi = kKibi * 1024, kGibi = kMebi * 1024;
  const auto number = static_cast<double>(bytes);
  if (number < kMebi) return fmt::format("{:.0f} KiB", number / kKibi);
  return number < kGibi ? fmt::format("{:.1f} MiB", number / kMebi)
                        : fmt::format("{:.1f} GiB", number / kGibi);
}

// The operation that fails on the file; empty if none does. No other process knows the file, so no process
// has a lock that is refused here, even if the error says that.
std::string flaw_of_file(int descriptor) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return fmt::format("files on it cannot be locked: {}", std::strerror(errno));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  whole.l_len = 1;
  if (fcntl(descriptor, F_SETLK, &whole) != 0)
    return fmt::format("files on it cannot be locked: {}", std::strerror(errno));
  constexpr std::size_t kShared = 32768;               // as SQLite's index of the log
  if (ftruncate(descriptor, kShared) != 0) return "";  // a full disk is reported by the database
  void* const shared = mmap(nullptr, kShared, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (shared == MAP_FAILED)
    return fmt::format("processes cannot share memory by a file on it: {}", std::strerror(errno));
  munmap(shared, kShared);
  return "";
}

}  // namespace

std::string flaw_of_file_system(const std::string& database) {
  const std::string path = fmt::format("{}-trial-{}", database, getpid());
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return "";
  std::string flaw = flaw_of_file(descriptor);
  const std::string kind = kind_of(descriptor);
  close(descriptor);
  if (unlink(path.c_str()) != 0 && flaw.empty())
    flaw = fmt::format("files on it cannot be removed, such as {}: {}", path, std::strerror(errno));
  if (flaw.empty()) return "";
  return fmt::format("its file system{} cannot hold a database that is in use: {}", kind, flaw);
}

Status check_file_system(const std::string& database) {
  const std::string flaw = flaw_of_file_system(database);
  if (flaw.empty()) return Done{};
  return failure(fmt::format(
      "{}: {}; keep it on a local disk (`run` and `coordinator` take the file by --db), and copy "
      "it here when it is finished",
      database, flaw));
}

std::string why_not_writable(const std::string& path) {
  if (access(path.c_str(), W_OK) == 0) return "";
  const int reason = errno;
  if (reason == EROFS) return fmt::format(": {} is mounted read-only; ", file_system_of(path));
  return fmt::format(": {}; change the permissions or ", std::strerror(reason));
}

std::uint64_t FileSystemRoom::least_free() const {
  constexpr std::uint64_t kLeast = std::uint64_t{128} << 10, kMost = std::uint64_t{4} << 20;
  return std::clamp(total_bytes / 8, kLeast, kMost);
}

std::uint64_t FileSystemRoom::log_pages(std::uint64_t page_bytes) const {
  constexpr std::uint64_t kLeast = 16, kMost = 4000;
  return std::clamp(free_bytes / 8 / page_bytes, kLeast, kMost);
}

std::optional<FileSystemRoom> room_for(const std::string& file) {
  struct statfs about {};
  if (statfs(folder_of(file).c_str(), &about) != 0 || about.f_bsize <= 0) return std::nullopt;
  const auto block = static_cast<std::uint64_t>(about.f_bsize);
  const std::uint64_t blocks = geteuid() == 0 ? about.f_bfree : about.f_bavail;  // root has a reserve
  if (about.f_blocks == 0) return std::nullopt;  // a file system without a size
  return FileSystemRoom{blocks * block, about.f_blocks * block,
                        about.f_files == 0 ? UINT64_MAX : static_cast<std::uint64_t>(about.f_ffree)};
}

std::string file_system_of(const std::string& file) {
  struct stat about {};
  if (stat(folder_of(file).c_str(), &about) != 0) return "its file system";
  const std::string device = fmt::format("{}:{}", major(about.st_dev), minor(about.st_dev));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string number, parent, its_device, root, at, field, kind;
    fields >> number >> parent >> its_device >> root >> at;
    if (its_device != device) continue;
    while (fields >> field && field != "-") {
    }
    fields >> kind;
    return fmt::format("{} at {}", kind, at);
  }
  return "its file system";
}

std::string text_of_room(const std::string& file) {
  const auto room = room_for(file);
  if (!room) return file_system_of(file);
  const char* const also = room->free_files == 0 ? ", but no inode, so no file can be made"
                           : room->free_bytes > room->least_free()
                               ? " (a quota or `ulimit -f` limits it, too)"
                               : "";
  return fmt::format("{} has {} of {} free{}", file_system_of(file), text_of_bytes(room->free_bytes),
                     text_of_bytes(room->total_bytes), also);
}

std::string flaw_of_path(const std::string& path, bool must_be_there) {
  namespace fs = std::filesystem;
  fs::path so_far;
  for (const fs::path& part : fs::path(path)) {
    so_far /= part;
    const bool is_last = so_far == fs::path(path);
    std::error_code error, there_error;
    const bool is_link = fs::symlink_status(so_far, error).type() == fs::file_type::symlink;
    const fs::file_type there = fs::status(so_far, there_error).type();
    if (there_error == std::errc::filename_too_long)
      return "its name is too long: a part of it may have 255 bytes; choose a shorter one";
    if (is_link && there_error == std::errc::too_many_symbolic_link_levels)
      return fmt::format("symbolic links lead in a circle: {}; change one of them",
                         way_of_links(so_far).text);
    if (is_link && there == fs::file_type::not_found) {
      const WayOfLinks way = way_of_links(so_far);
      const fs::path folder = way.end.parent_path();
      const bool is_new = is_last && !must_be_there;
      if (!is_new || !(folder.empty() || fs::is_directory(folder, error)))
        return fmt::format("a symbolic link leads to what is not there: {}; change the link, or make {}",
                           way.text, (is_new ? folder : way.end).string());
    }
    if (!is_last && there == fs::file_type::regular)
      return so_far.string() + " is not a folder; choose another";
    if (there == fs::file_type::not_found) break;
  }
  return "";
}

}  // namespace kernsweep
