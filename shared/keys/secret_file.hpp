// Files that only their owner may read: mode 0600 from the first byte, never half written.
#pragma once

#include <sys/types.h>

#include <string>

#include "shared/result.hpp"

namespace kernsweep {

// Replaces the file at once: readers see the old text or the new one. The text goes to a new file of mode
// 0600 beside it, which is then renamed; a link at `path` is replaced, not followed.
Status write_secret_file(const std::string& path, const std::string& text);

struct SecretText {
  std::string text;
  mode_t mode = 0;
  // Error: readable or writable for others than its owner. To be asked when the text is known to be what
  // was meant: a file of another kind holds no secret of ours.
  Status is_secret(const std::string& path, const std::string& what) const;
};
// Error: missing, not a plain file, above 1 MiB. `what` names it in messages: "join file".
Result<SecretText> read_secret_file(const std::string& path, const std::string& what);

// Another text whenever the file is replaced or written; empty: it is not there.
std::string state_of_file(const std::string& path);

// Keeps other processes of this machine that do the same out of `path`'s folder, until it goes. Where the
// file system has no locks it holds nothing: then the last writer wins.
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
