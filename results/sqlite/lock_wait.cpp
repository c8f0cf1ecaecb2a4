#include "results/sqlite/lock_wait.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace kernsweep {

namespace fs = std::filesystem;

namespace {

bool has_open(const fs::path& process, const std::string& database) {
  std::error_code error;
  for (const auto& descriptor : fs::directory_iterator(process / "fd", error)) {
    // Only the link is read; the file is not opened, because closing it would release this process's locks.
    const std::string open = fs::read_symlink(descriptor.path(), error).string();
    if (error || !open.starts_with(database)) continue;
    const std::string_view behind = std::string_view(open).substr(database.size());
    if (behind.empty() || behind == "-wal" || behind == "-shm") return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> others_with_open(const std::string& database) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(database, error);
  const std::string path = error ? database : real.string();
  const std::string own = std::to_string(getpid());
  std::vector<std::string> found;
  for (const auto& process : fs::directory_iterator("/proc", error)) {
    const std::string pid = process.path().filename();
    if (pid == own || pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!has_open(process.path(), path)) continue;
    std::ifstream comm(process.path() / "comm");
    std::string name;
    std::getline(comm, name);
    found.push_back(fmt::format("{} (pid {})", name.empty() ? "a process" : name, pid));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace kernsweep
