#include "results/sqlite/writer_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "shared/base/log.hpp"

namespace kernsweep {

namespace {

// False if the previous holder removed the file before it was locked here: then another process can create
// and lock a new file of that name.
bool still_there(const std::string& path, int descriptor) {
  struct stat held {
  }, named{};
  return fstat(descriptor, &held) == 0 && stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

std::string holder(int descriptor) {
  char text[32] = {};
  const ssize_t size = pread(descriptor, text, sizeof text - 1, 0);
  if (size <= 0) return "unknown";
  return std::string(text, strcspn(text, "\n"));
}

}  // namespace

Result<WriterLock> WriterLock::take(const std::string& database) {
  const std::string path = database + "-lock";
  for (int tries = 0; tries < 100; ++tries) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
      return failure(fmt::format("{}: cannot be written ({} next to it: {}); {}", database, path,
                                 std::strerror(errno), kWriteElsewhere));
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      const std::string pid = holder(descriptor);
      close(descriptor);
      if (reason == EWOULDBLOCK)
        return failure(
            fmt::format("{}: is in use by another coordinator (pid {}); wait for it, stop it, or {}",
                        database, pid, kWriteElsewhere));
      return failure(fmt::format("{}: cannot be locked: {}", path, std::strerror(reason)));
    }
    if (!still_there(path, descriptor)) {
      close(descriptor);
      continue;
    }
    const std::string pid = fmt::format("{}\n", getpid());
    // The pid is only for the message above, so errors are ignored; the database reports a full disk.
    if (ftruncate(descriptor, 0) == 0 && pwrite(descriptor, pid.data(), pid.size(), 0) < 0) errno = 0;
    return WriterLock(path, descriptor);
  }
  return failure(fmt::format("{}: appears and disappears; is another program using it?", path));
}

Status WriterLock::check_free(const std::string& database) {
  const int descriptor = open((database + "-lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) return Done{};
  if (descriptor < 0)
    return failure(fmt::format("{}-lock: cannot be read: {}; whether a coordinator uses {} is not known",
                               database, std::strerror(errno), database));
  const bool held = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  const std::string pid = holder(descriptor);
  close(descriptor);
  if (!held) return Done{};
  return failure(fmt::format("{}: is in use by a coordinator (pid {}); stop it first", database, pid));
}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

WriterLock::~WriterLock() {
  if (descriptor_ < 0) return;
  if (unlink(path_.c_str()) != 0 && errno != ENOENT)
    log_line(LogLevel::warning, fmt::format("{}: cannot be removed: {}; it has no meaning any more", path_,
                                            std::strerror(errno)));
  close(descriptor_);
}

}  // namespace kernsweep
