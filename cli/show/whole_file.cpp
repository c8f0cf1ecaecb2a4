#include "cli/show/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "shared/base/digest.hpp"
#include "shared/base/random_token.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// 0, or the reason.
int write_part(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

Status failed(const std::string& path, int reason) {
  return failure(path + ": cannot be written: " + std::strerror(reason));
}

Status fill(int file, const std::string& path, const std::function<Status(const Sink&)>& write) {
  return write([&](std::string_view part) -> Status {
    const int reason = write_part(file, part);
    return reason == 0 ? Status(Done{}) : failed(path, reason);
  });
}

// The target of a link, even if it does not exist yet.
Result<std::string> behind_links(const std::string& path) {
  constexpr int kLinksMax = 40;  // as in the kernel
  std::filesystem::path place = path;
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(place, error); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(place, error);
    if (error || links == kLinksMax) return failure(path + ": cannot be written: it is a link to nowhere");
    place = next.is_absolute() ? next : place.parent_path() / next;
  }
  return place.string();
}

// A file of SQLite, which must not be lost.
bool is_database(const std::string& path) {
  constexpr std::string_view kBegin = "SQLite format 3";
  std::string begin(kBegin.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kBegin;
}

}  // namespace

Status write_whole_file(const std::string& path, const std::function<Status(const Sink&)>& write) {
  struct stat about {};
  const bool there = stat(path.c_str(), &about) == 0;
  if (there && S_ISDIR(about.st_mode))
    return failure(path + ": is a folder; give the name of a file in it");
  if (there && S_ISREG(about.st_mode) && is_database(path))
    return failure(path + ": is a database, and is not written over; give another name");
  const bool in_place = there && !S_ISREG(about.st_mode);
  KS_ASSIGN_OR_RETURN(const std::string place, behind_links(path));
  const std::string fresh =
      in_place ? path : place + "." + digest_of(random_token()).hex().substr(0, 12) + ".new";
  const int file = open(fresh.c_str(), O_WRONLY | O_CLOEXEC | (in_place ? 0 : O_CREAT | O_EXCL), 0666);
  if (file < 0) return failed(path, errno);
  Status done = fill(file, path, write);
  if (done && there && !in_place && fchmod(file, about.st_mode & 07777) != 0) done = failed(path, errno);
  if (done && !in_place && fsync(file) != 0) done = failed(path, errno);
  if (close(file) != 0 && done) done = failed(path, errno);
  if (done && !in_place && rename(fresh.c_str(), place.c_str()) != 0) done = failed(path, errno);
  if (!done && !in_place) unlink(fresh.c_str());
  return done;
}

Status write_whole_file(const std::string& path, std::string_view text) {
  return write_whole_file(path, [&](const Sink& sink) { return sink(text); });
}

}  // namespace kernsweep
