// Builds what a job needs: one build at a time, on the caller's thread. Each call builds: nothing is known
// of all that a build reads (a header that would be found first, an archive, a variable), so only the
// content of what it has written says whether a stored result still holds (software_check.hpp).
//
// The command runs in the working directory, without a shell, confined by `kernsweep-slot --build`: no
// network, and it writes only below the folder of its entry (TMPDIR is there). It is ended, with all that
// it has started, by a limit of time or by the descriptor `interrupted`. What it was made of is recognised
// by content: the compiler with its parts, and each file that the compiler says it has read. These are
// stored with a result, so that people see what it was made of.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared/base/file_content.hpp"
#include "shared/base/instant.hpp"
#include "shared/wire/protocol.pb.h"
#include "worker/builds/build_command.hpp"
#include "worker/builds/build_store.hpp"

namespace kernsweep {

struct BuildTask {
  std::string command;              // of the column command.build
  Duration limit{};                 // of the command
  std::uint64_t memory_max = 0;     // private memory of each of its processes, in bytes; 0: no limit
  std::vector<std::uint32_t> cpus;  // that it may use; empty: all of the caller
  int interrupted = -1;             // readable: end it; -1: never
};

struct BuildAnswer {
  wire::Built built;         // if there is no failure
  std::string failure;       // what is wrong and what to do
  std::string said;          // the last lines of the command, if it ran
  bool interrupted = false;  // nothing is known
};

class Builder {
 public:
  // `host`: what makes hosts different that share the store. `store` may be shared by several builders.
  Builder(BuildStore store, std::string host) : store_(std::move(store)), host_(std::move(host)) {}

  BuildAnswer build(const BuildTask& task);

  static constexpr std::uint64_t kFileBytesMax = std::uint64_t{1} << 30;

 private:
  struct Compiler {
    std::string sources;  // lines of its files
    std::string failure;
  };
  Compiler look_at_compiler(const BuildCommand& command, const std::vector<std::string>& environment);
  BuildAnswer build_in(const WorkFolder& work, const BuildTask& task, const BuildCommand& command,
                       const std::vector<std::string>& environment, const Compiler& compiler);
  // The files that the build has read. Returns the name of one that has changed since it began, or "".
  std::string read_sources(const WorkFolder& work, const BuildCommand& command, double begun_unix_s,
                           std::set<std::string>& lines);

  const BuildStore store_;
  const std::string host_;
  FileHashes hashes_;
  std::map<std::pair<std::string, Digest>, std::string>
      compilers_;  // Compiler::sources by path and content
  std::size_t made_ = 0;
};

}  // namespace kernsweep
