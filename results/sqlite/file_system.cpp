#include "results/sqlite/file_system.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
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

}  // namespace kernsweep
