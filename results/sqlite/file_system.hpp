// What a database needs of the file system that holds it, beside files that can be written.
//
// While it is written, SQLite locks bytes of its files by fcntl() and shares a memory map of one of them
// between processes. Some network and user-space file systems (NFS without its lock service, some of FUSE
// and 9p) have neither, and SQLite reports that as a lock of another program, or as a broken disk.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// Tries locks and a shared map on a file `<database>-trial` beside the database, and removes that file.
// Error: the file system has no locks, or no shared maps; with its kind and what to do. Where no file can
// be made in the folder, nothing is tried.
Status check_file_system(const std::string& database);

}  // namespace kernsweep
