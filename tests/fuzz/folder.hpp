// The folder of a fuzz target's files: in memory if possible. Removed at the end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "shared/base/result.hpp"

namespace kernsweep::fuzz {

class Folder {
 public:
  Folder() {
    const std::filesystem::path memory = "/dev/shm";
    const bool there = std::filesystem::is_directory(memory);
    path_ = ((there ? memory : std::filesystem::temp_directory_path()) / "kernsweep-fuzz-XXXXXX").string();
    KS_ASSERT(mkdtemp(path_.data()));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace kernsweep::fuzz
