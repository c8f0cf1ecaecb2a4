#include "shared/keys/secret_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "shared/base/digest.hpp"
#include "shared/base/random_token.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;
constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// The reason is taken from errno.
Status cannot_write(const std::string& path, const std::string& what) {
  return failure("cannot write " + path + ": " + what + std::strerror(errno) +
                 "; choose a folder that may be written");
}

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return true;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

Status is_only_the_owners(mode_t mode, const std::string& path, const std::string& what) {
  if ((mode & (S_IRWXG | S_IRWXO)) == 0) return Done{};
  char octal[8];
  std::snprintf(octal, sizeof octal, "%04o", static_cast<unsigned>(mode & 07777));
  return failure("the " + what + " " + path +
                 " holds a secret, and others than its owner may use it (mode " + octal +
                 "); say 'chmod 600 " + path + "', and have its key revoked if somebody has read it");
}

}  // namespace

Status may_write_beside(const std::string& path) {
  if (access(folder_of(path).c_str(), W_OK | X_OK) == 0) return Done{};
  return cannot_write(path, "");
}

Status write_secret_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + "." + digest_of(random_token()).hex().substr(0, 12) + ".new";
  const Descriptor file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly));
  const auto failed = [&](const std::string& what) {
    const Status why = cannot_write(path, what);
    if (file.number() >= 0) unlink(fresh.c_str());
    return why;
  };
  if (file.number() < 0) return failed("");
  // The umask may have removed permissions of the owner.
  if (fchmod(file.number(), kOwnerOnly) != 0) return failed("its mode: ");
  if (!write_all(file.number(), text) || fsync(file.number()) != 0) return failed("");
  if (rename(fresh.c_str(), path.c_str()) != 0) return failed("");
  const Descriptor folder(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() >= 0) fsync(folder.number());
  return Done{};
}

Result<SecretText> secret_text(const std::string& path, const std::string& what) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (file.number() < 0 || fstat(file.number(), &about) != 0) {
    const int reason = errno;
    std::string message = "cannot read the " + what + " " + path + ": " + std::strerror(reason);
    if (reason == ENOENT) {
      message += what == "key file" ? "; it lies where 'kernsweep coordinator' wrote it: run this there"
                                    : "; 'kernsweep coordinator' writes one: copy it here";
    }
    return failure(message);
  }
  if (!S_ISREG(about.st_mode))
    return failure(path + " is not a " + what +
                   ": it is not a plain file; give the one that 'kernsweep coordinator' wrote");
  std::string text;
  char piece[4096];
  while (true) {
    const ssize_t got = read(file.number(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot read the " + what + " " + path + ": " + std::strerror(errno));
    if (got == 0) return SecretText{std::move(text), is_only_the_owners(about.st_mode, path, what)};
    text.append(piece, static_cast<std::size_t>(got));
    if (text.size() > kFileBytesMax) return failure(path + " is not a " + what + ": it is too large");
  }
}

std::string state_of_file(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return "";
  return std::to_string(about.st_ino) + " " + std::to_string(about.st_size) + " " +
         std::to_string(about.st_mtim.tv_sec) + "." + std::to_string(about.st_mtim.tv_nsec);
}

FolderLock::FolderLock(const std::string& path)
    : descriptor_(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace kernsweep
