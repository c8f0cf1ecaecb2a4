// What measures in this process: our own build, the pack's, every loaded library, and the variables that
// decide about threads. Looked at after each job, because libraries are loaded when a variant first needs
// them; looking costs one call into the loader unless something was loaded.
#pragma once

#include <cstdint>
#include <string>

#include "shared/wire/protocol.pb.h"
#include "worker/slot/loaded_libraries.hpp"

namespace kernsweep {

class Pack;

class SoftwareWatch {
 public:
  // `pack` is open, its shared object is at `path`. `hashes`: with what earlier processes have read.
  SoftwareWatch(const Pack& pack, const std::string& path, FileHashes hashes = FileHashes());

  // Brings the description up to date; true when it became another one (the first time too).
  bool look();
  const wire::Software& software() const { return software_; }

 private:
  std::string pack_path_;
  FileHashes hashes_;
  std::uint64_t seen_changes_ = 0;
  bool looked_ = false;
  wire::Software software_;
};

// "OMP_NUM_THREADS=2" and its like, one per line, sorted: those of this process's variables that OpenMP,
// BLAS libraries, oneDNN and oneTBB read. No other variable is told.
std::string thread_environment(const char* const* environment);

}  // namespace kernsweep
