// A folder for one process, removed with the object. It is locked as long as this process lives; the folder
// of a killed process is removed by the next process on the host.
#pragma once

#include <filesystem>
#include <string>

namespace kernsweep {

class TemporaryFolder {
 public:
  // Makes a folder named `prefix` and six characters, in TMPDIR or /tmp. If that fails, flaw() has the
  // reason and what to do.
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
