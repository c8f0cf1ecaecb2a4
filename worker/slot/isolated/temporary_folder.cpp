#include "worker/slot/isolated/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace kernsweep {
namespace {

namespace files = std::filesystem;

constexpr std::chrono::minutes kFolderBegun{1};  // how long a folder may exist without its lock

void remove_abandoned(const files::path& parent, const std::string& prefix) {
  std::error_code error;
  for (const auto& entry : files::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    struct stat about {};
    if (lstat(entry.path().c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid())
      continue;
    const auto changed = std::chrono::system_clock::from_time_t(about.st_mtim.tv_sec);
    if (std::chrono::system_clock::now() - changed < kFolderBegun) continue;
    const int folder = open(entry.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0) continue;
    std::error_code ignored;
    if (flock(folder, LOCK_EX | LOCK_NB) == 0) files::remove_all(entry.path(), ignored);
    close(folder);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  std::error_code error;
  const files::path parent = files::temp_directory_path(error);
  remove_abandoned(parent, prefix);
  std::string name = (parent / (prefix + "XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    flaw_ = "no temporary folder can be made in " + parent.string() + ": " + std::strerror(errno) +
            "; set TMPDIR to a folder that can be written";
    return;
  }
  path_ = name;
  lock_ = open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) files::remove_all(path_, error);
  if (lock_ >= 0) close(lock_);
}

}  // namespace kernsweep
