// At most one coordinator writes a database: a lock on the file `<database>-lock` beside it.
//
// The operating system frees the lock when the process is gone, however it died; the file itself means
// nothing and is removed when the lock is given back. Why a file of its own: SQLite locks bytes of the
// database, and on some file systems a second kind of lock on the same file disturbs them.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// What to do about a file that cannot be written. Commands that go on with a database take no other.
inline constexpr const char* kWriteElsewhere =
    "choose another file (`run` and `coordinator` take it by --db)";

class WriterLock {
 public:
  // Refused with the holder's pid, or because the folder cannot be written.
  static Result<WriterLock> take(const std::string& database);
  // Error: it is held. Writes nothing, not even the lock's file.
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
