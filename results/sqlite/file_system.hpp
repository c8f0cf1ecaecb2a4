// What a database requires from its file system, in addition to writable files.
//
// While it is written, SQLite locks bytes of its files by fcntl() and shares a memory map of one of them
// between processes. Some network and user-space file systems (NFS without its lock service, some of FUSE
// and 9p) have neither, and SQLite reports that as a lock of another program, or as a broken disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// Tries locks and a shared map on a file `<database>-trial-<pid>` in the folder of the database, and
// removes that file. Returns what the file system lacks, with its kind; empty: nothing, or no file can be
// created in the folder.
std::string flaw_of_file_system(const std::string& database);
// The same for a database that is to be written. Error: the flaw, and what to do.
Status check_file_system(const std::string& database);
// Why the file or folder cannot be written, with what to do before `kWriteElsewhere`: ": Permission denied;
// change the permissions or "; empty: it can.
std::string why_not_writable(const std::string& path);

// The free space on the file system of a file, which need not exist yet.
struct FileSystemRoom {
  std::uint64_t free_bytes = 0;  // that this process may use
  std::uint64_t total_bytes = 0;
  std::uint64_t free_files = UINT64_MAX;  // that can be created (inodes); UINT64_MAX: no limit is known

  // Below this a sweep ends while its results can still be stored: an eighth, 128 KiB to 4 MiB.
  std::uint64_t least_free() const;
  // The largest number of pages of the log before it is copied into the database: an eighth of the free
  // space.
  std::uint64_t log_pages(std::uint64_t page_bytes) const;
};
// Returns nothing if it is unknown.
std::optional<FileSystemRoom> room_for(const std::string& file);
// "tmpfs at /mnt"; "its file system" where that is not known.
std::string file_system_of(const std::string& file);
// "tmpfs at /mnt has 12 KiB of 1.0 MiB free", and another limit on the size of a file, if there is one.
std::string text_of_room(const std::string& file);

// Why no file can be at that path, with what to do: symbolic links in a circle or to nowhere, a part that
// is not a folder, a name that is too long. Empty: there is a file, or one can be created. `must_be_there`:
// the file is to be read.
std::string flaw_of_path(const std::string& path, bool must_be_there);

}  // namespace kernsweep
