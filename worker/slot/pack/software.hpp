// Describes the software that measures in this process: the builds of Kernsweep and of the pack, every
// loaded library, the variables that affect threads, and the files that the current job ran and read.
// Updated after each job, because libraries are loaded when a variant first needs them. Unless something is
// new, this costs one call of the loader and a comparison.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "shared/wire/protocol.pb.h"
#include "worker/slot/pack/loaded_libraries.hpp"

namespace kernsweep {

class Pack;

class SoftwareWatch {
 public:
  // `pack` is open; its shared object is at `path`. `hashes` must outlive the watch.
  SoftwareWatch(const Pack& pack, const std::string& path, FileHashes& hashes);

  // Updates the description for a job with these `sources`. True: it differs from all previous ones; then
  // it also has the hashes of files that were created since the last such call. `process`: another one that
  // measures instead of this one; 0: this one.
  bool look(const std::string& sources, int process = 0);
  const wire::Software& software() const { return software_; }

 private:
  std::string pack_path_;
  FileHashes& hashes_;
  std::uint64_t seen_changes_ = 0;
  bool looked_ = false;
  wire::Software software_;
  std::set<std::string> told_;  // identities that were sent
  std::set<FileStamp> told_contents_;
};

// "OMP_NUM_THREADS=2" and similar, one per line, sorted: the variables of this process that OpenMP, BLAS
// libraries, oneDNN and oneTBB read. No other variables.
std::string thread_environment(const char* const* environment);

}  // namespace kernsweep
