// Files that only their owner may read: mode 0600 from the first byte, never partly written.
#pragma once

#include <string>

#include "shared/base/result.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

// Replaces the file atomically: readers see the old text or the new one. The text is written to a new file
// of mode 0600 in the same folder, which is then renamed; a link at `path` is replaced, not followed.
Status write_secret_file(const std::string& path, const std::string& text);

// Error, with the message of write_secret_file(): the folder is missing, or may not be written.
Status may_write_beside(const std::string& path);

// Result of the function that read_secret_file calls: the text of the file, and whether it was secret.
struct SecretText {
  std::string text;
  Status secret;  // error: others than its owner may read or write it
};
Result<SecretText> secret_text(const std::string& path, const std::string& what);

// Reads the file at `path` and calls `parse` with its text and the path. `what` names it in messages: "join
// file". Errors: the file is missing, is not a plain file or is above 1 MiB; `parse` fails; others than the
// owner may read or write it. Permissions are checked last, because a file of another kind holds no secret
// of ours.
template <class File>
Result<File> read_secret_file(const std::string& path, const std::string& what,
                              Result<File> (&parse)(const std::string& text, const std::string& where)) {
  KS_ASSIGN_OR_RETURN(const auto read, secret_text(path, what));
  auto file = parse(read.text, path);
  if (file && !read.secret) return tl::unexpected(read.secret.error());
  return file;
}

// A text that changes whenever the file is replaced or written; empty if there is no file.
std::string state_of_file(const std::string& path);

// Locks the folder of `path` against other processes of this machine that use this class, until the object
// is destroyed. It has no effect on a file system without locks: there the last writer wins.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace kernsweep
