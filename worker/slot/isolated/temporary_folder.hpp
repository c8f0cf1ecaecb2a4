// A folder for one process, removed with the object. It is locked as long as this process lives; one that a
// killed process has left is removed by the next one on the host.
#pragma once

#include <filesystem>
#include <string>

namespace kernsweep {

class TemporaryFolder {
 public:
  // Makes `prefix` and six characters, in TMPDIR or /tmp. If that fails, flaw() says why and what to do.
  explicit TemporaryFolder(const std::string& prefix);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  const std::string& flaw() const { return flaw_; }

 private:
  std::filesystem::path path_;
  std::string flaw_;
  int lock_ = -1;
};

}  // namespace kernsweep
