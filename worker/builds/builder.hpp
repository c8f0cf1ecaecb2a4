// Builds what a job needs: one build at a time, on the caller's thread. Each call builds, because not all
// inputs of a build are known (a header that would be found first, an archive, a variable): only the
// content of the built file shows whether a stored result is still valid (software_check.hpp).
//
// The command runs in the working directory, without a shell, confined by `kernsweep-slot --build`: it has
// no network, and writes only below the folder of its entry (TMPDIR is there). It is ended, with all
// processes that it has started, by a time limit or by the descriptor `interrupted`. The inputs of the
// build are identified by content: the compiler with its parts, and each file that the compiler lists as
// read. A result stores them, so that users see them.
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
  std::string command;              // the value of the column command.build
  Duration limit{};                 // of the command
  std::uint64_t memory_max = 0;     // private memory of each of its processes, in bytes; 0: no limit
  std::vector<std::uint32_t> cpus;  // the processors that it may use; empty: all of the caller
  int interrupted = -1;             // readable: end the build; -1: never
};

struct BuildAnswer {
  wire::Built built;         // if there is no failure
  std::string failure;       // what is wrong and what to do
  std::string said;          // the last lines of the command, if it ran
  bool interrupted = false;  // the outcome is not known
};

class Builder {
 public:
  // `host`: a text that distinguishes the hosts that share the store. Several builders may share `store`.
  Builder(BuildStore store, std::string host) : store_(std::move(store)), host_(std::move(host)) {}

  BuildAnswer build(const BuildTask& task);

  static constexpr std::uint64_t kFileBytesMax = std::uint64_t{1} << 30;

 private:
  struct Compiler {
    std::string sources;  // lines with its files
    std::string failure;
  };
  Compiler look_at_compiler(const BuildCommand& command, const std::vector<std::string>& environment);
  BuildAnswer build_in(const WorkFolder& work, const BuildTask& task, const BuildCommand& command,
                       const std::vector<std::string>& environment, const Compiler& compiler);
  // The files that the build has read. Returns the name of one that has changed since it started, or "".
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
