// Ensures that at most one coordinator writes a database: a lock on the file `<database>-lock` in its
// folder.
//
// The operating system releases the lock when the process ends in any way. The file without a lock has no
// meaning; it is removed when the lock is released. Why a separate file: SQLite locks bytes of the
// database, and on some file systems a second kind of lock on the same file interferes with these.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// Advice for a file that cannot be written. Other commands than these two cannot choose another file.
inline constexpr const char* kWriteElsewhere =
    "choose another file (`run` and `coordinator` take it by --db)";

class WriterLock {
 public:
  // Locks without waiting. Errors: another process has the lock (with its pid); its file cannot be written.
  static Result<WriterLock> take(const std::string& database);
  // Errors: another process has the lock, or the lock's file cannot be read. Creates no file.
  static Status check_free(const std::string& database);
  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();

 private:
  WriterLock(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace kernsweep
