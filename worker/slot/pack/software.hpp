// What measures in this process: our own build, the pack's, every loaded library, the variables that decide
// about threads, and the files that the job at hand ran and read. Looked at after each job, because
// libraries are loaded when a variant first needs them; looking costs one call into the loader and a
// comparison unless something is new.
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
  // `pack` is open, its shared object is at `path`. `hashes` outlives the watch.
  SoftwareWatch(const Pack& pack, const std::string& path, FileHashes& hashes);

  // Brings the description up to date, for a job with these `sources`; true when it is one that was not
  // true of any look before. Contents that were hashed since the last such look are then in it.
  bool look(const std::string& sources);
  const wire::Software& software() const { return software_; }

 private:
  std::string pack_path_;
  FileHashes& hashes_;
  std::uint64_t seen_changes_ = 0;
  bool looked_ = false;
  wire::Software software_;
  std::set<std::string> told_;  // identities
  std::set<FileStamp> told_contents_;
};

// "OMP_NUM_THREADS=2" and its like, one per line, sorted: those of this process's variables that OpenMP,
// BLAS libraries, oneDNN and oneTBB read. No other variable is told.
std::string thread_environment(const char* const* environment);

}  // namespace kernsweep
