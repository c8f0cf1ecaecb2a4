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

std::string folder_of(const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

// "tmpfs at /mnt"; "its file system" where that is not known.
std::string name_of_file_system(const std::string& folder) {
  struct stat about {};
  if (stat(folder.c_str(), &about) != 0) return "its file system";
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

std::string text_of_bytes(std::uint64_t bytes) {
  constexpr double kKibi = 1024, kMebi = kKibi * 1024, kGibi = kMebi * 1024;
  const auto number = static_cast<double>(bytes);
  if (number < kMebi) return fmt::format("{:.0f} KiB", number / kKibi);
  return number < kGibi ? fmt::format("{:.1f} MiB", number / kMebi)
                        : fmt::format("{:.1f} GiB", number / kGibi);
}

// What fails on the file; empty if all works.
std::string flaw_of_file(int descriptor) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno != EWOULDBLOCK)
    return fmt::format("files on it cannot be locked: {}", std::strerror(errno));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  whole.l_len = 1;
  if (fcntl(descriptor, F_SETLK, &whole) != 0 && errno != EAGAIN && errno != EACCES)
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

Status check_file_system(const std::string& database) {
  const std::string path = fmt::format("{}-trial-{}", database, getpid());
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return Done{};
  const std::string flaw = flaw_of_file(descriptor);
  const std::string kind = kind_of(descriptor);
  close(descriptor);
  unlink(path.c_str());
  if (flaw.empty()) return Done{};
  return failure(fmt::format(
      "{}: its file system{} cannot hold a database that is in use: {}; keep it on a local disk "
      "(`run` and `coordinator` take the file by --db), and copy it here afterwards",
      database, kind, flaw));
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
  return FileSystemRoom{blocks * block, about.f_blocks * block};
}

std::string text_of_room(const std::string& file) {
  const auto room = room_for(file);
  const std::string name = name_of_file_system(folder_of(file));
  if (!room) return name;
  return fmt::format(
      "{} has {} of {} free{}", name, text_of_bytes(room->free_bytes), text_of_bytes(room->total_bytes),
      room->free_bytes > room->least_free() ? " (a quota or `ulimit -f` limits it, too)" : "");
}

}  // namespace kernsweep
