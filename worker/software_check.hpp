// Decides whether software that has measured before equals the software that would measure here now: the
// answer to wire::SoftwareCheck. Files are compared by content, not by modification time.
//
// Builds are repeated: if the bytes are equal, the program is the same, whatever files the build reads.
// Each other name is looked up again in the way of a job (the program of a command, the library that a
// sweep names, a module in the working directory), because it may lead to another file now.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "shared/base/answering_thread.hpp"
#include "shared/base/file_content.hpp"
#include "shared/lists/source_lines.hpp"
#include "shared/wire/protocol.pb.h"
#include "worker/host/linked_files.hpp"

namespace kernsweep::worker {

// Variables of the sweep's environment that decide where files are found: PATH, LD_LIBRARY_PATH, ...
using SearchVariables = std::map<std::string, std::string>;

// The file that a job would open for the name of a library, with links resolved; "" if none can be opened.
using LibraryFinder = std::function<std::string(const std::string& name, const SearchVariables& variables)>;

// The hash of the file that each of these commands builds now; failed builds are left out.
using BuildHashes = std::map<std::string, std::string>;
using Rebuild = std::function<BuildHashes(const std::set<std::string>& commands)>;

class SoftwareCheck {
 public:
  // `rebuild`: null if nothing may be built.
  SoftwareCheck(std::vector<std::string> packs, LibraryFinder find_library, Rebuild rebuild = nullptr)
      : packs_(std::move(packs)), find_library_(std::move(find_library)), rebuild_(std::move(rebuild)) {}

  // Must be called before changed() is called for these: repeats their builds, and drops the list of
  // libraries of programs, which is looked up once for all of them.
  void begin(const wire::SoftwareChecks& questions = {});
  // The differences: "./bench.py has changed"; empty if there are none. Not thread-safe.
  std::string changed(const wire::SoftwareCheck& software);

 private:
  std::string flaw_of(const std::string& path, std::string_view hash);
  std::string flaw_of_build(const SourceLine& build, std::string_view sources);
  struct Program {
    std::string path;
    std::vector<LinkedFile> linked;  // those that were found
  };
  const Program& program_of(const SourceLine& line, const std::string& path,
                            const SearchVariables& variables);
  std::string flaw_of_linked(const std::vector<SourceLine>& recorded, const std::set<LinkedFile>& now);

  const std::vector<std::string> packs_;  // all packs of this worker
  const LibraryFinder find_library_;
  const Rebuild rebuild_;
  BuildHashes built_;
  FileHashes hashes_;
  // By the path or, for true, by the file that starts it.
  std::map<std::tuple<bool, std::string, SearchVariables>, Program> programs_;
};

// Searches in a process of its own, with the environment of a slot.
std::string find_library(const std::string& name, const SearchVariables& variables);

// Answered by a thread of its own, because files may be large and libraries slow to open.
struct AskedChecks {
  std::uint32_t session = 0;  // of the request; copied to the answer
  wire::SoftwareChecks checks;
};
struct AnsweredChecks {
  std::uint32_t session = 0;
  wire::SoftwareAnswers answers;
};
using SoftwareChecks = AnsweringThread<AskedChecks, AnsweredChecks>;
AnsweredChecks answer(SoftwareCheck& check, const AskedChecks& questions);

}  // namespace kernsweep::worker
