// The folder in which workers of this host keep their spools: one file per worker, locked as long as the
// worker lives. What a worker that was killed has left is taken over by the next one that the file belongs
// to: same host, and same database; before the database is known, same address of the coordinator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "worker/spool/spool_record.hpp"

namespace kernsweep {

// An open file with its lock. Closes both; never removes.
class SpoolFile {
 public:
  SpoolFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  SpoolFile(SpoolFile&& other) noexcept;
  SpoolFile& operator=(SpoolFile&& other) noexcept;
  SpoolFile(const SpoolFile&) = delete;
  ~SpoolFile();

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

struct Leftover {
  SpoolFile file;
  SpoolContents contents;
};

struct WantedSpool {
  std::string host;      // SpoolOwner::host
  std::string endpoint;  // decides while `database` is empty
  std::string database;
};

// $XDG_STATE_HOME/kernsweep/spool, or ~/.local/state/kernsweep/spool; empty: there is neither.
std::string usual_spool_folder();

// Makes the folder (0700) where it is missing. Error: it cannot be written.
Status prepare_spool_folder(const std::string& folder);

// The unlocked files that fit, the newest first; only the newest of them and those that nobody has written
// for a while, because the worker of a younger one may be about to come back itself. Where bytes of a file
// cannot be read, the file as it was is set aside as FILE.damaged, and that is logged.
std::vector<Leftover> take_leftovers(const std::string& folder, const WantedSpool& wanted);

// How many files, of workers that are gone, nobody has written for 30 days: their coordinator will hardly
// come back.
std::size_t count_forgotten(const std::string& folder);

// Writes a whole file and puts it, locked and on the disk, in the place of the one at `path`. Error: with
// the system's reason; the one at `path` is as it was.
Result<SpoolFile> replace_spool_file(const std::string& path, std::string_view bytes);

// Appends; `at` is the file's size so far, and again after an error. Error: with the system's reason.
Status append_to_spool_file(const SpoolFile& file, std::string_view bytes, std::uint64_t at);

}  // namespace kernsweep
