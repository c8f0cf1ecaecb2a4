// The folder with the spools of this host's workers: one file per worker, locked while the worker runs. The
// next worker of the same host and the same database adopts the file of a killed worker; before the
// database is known, one with the same address of the coordinator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "worker/spool/spool_record.hpp"

namespace kernsweep {

// An open file with its lock. The destructor closes it, and never removes the file.
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
  std::string endpoint;  // compared while `database` is empty
  std::string database;
};

// $XDG_STATE_HOME/kernsweep/spool, or ~/.local/state/kernsweep/spool. Empty if neither variable is set.
std::string usual_spool_folder();

// Makes the folder with mode 0700 if it is missing. Error: it cannot be written.
Status prepare_spool_folder(const std::string& folder);

// The unlocked files that match, the newest first: the newest one, and of the others only those that were
// not written for a while, because the worker of a younger one may be restarting. If bytes of a file cannot
// be read, a copy of the file is kept as FILE.damaged, and that is logged.
std::vector<Leftover> take_leftovers(const std::string& folder, const WantedSpool& wanted);

// Number of unlocked files that were not written for 30 days: their coordinators are probably gone.
std::size_t count_forgotten(const std::string& folder);

// Writes a whole file, locks and syncs it, and replaces the one at `path` with it. Error: with the system's
// reason; the file at `path` is unchanged.
Result<SpoolFile> replace_spool_file(const std::string& path, std::string_view bytes);

// Appends to a file of `at` bytes; after an error the file has this size again. Error: with the system's
// reason.
Status append_to_spool_file(const SpoolFile& file, std::string_view bytes, std::uint64_t at);

}  // namespace kernsweep
