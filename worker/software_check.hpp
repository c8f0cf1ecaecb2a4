// Decides whether software that has measured before is the same as the software that would measure here
// now: the answer to wire::SoftwareCheck. Files are compared by content, not by modification time.
//
// Each name is looked up again as a job would look it up (the program of a command, the library that a
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

class SoftwareCheck {
 public:
  SoftwareCheck(std::vector<std::string> packs, LibraryFinder find_library)
      : packs_(std::move(packs)), find_library_(std::move(find_library)) {}

  // Forgets what programs are linked with, which is looked up once for many calls of changed().
  void begin() { programs_.clear(); }
  // Describes what is different now: "./bench.py has changed"; empty if nothing is. Not thread-safe.
  std::string changed(const wire::SoftwareCheck& software);

 private:
  std::string flaw_of(const std::string& path, std::string_view hash);
  struct Program {
    std::string path;
    std::vector<LinkedFile> linked;  // those that are found
  };
  const Program& program_of(const SourceLine& line, const std::string& path,
                            const SearchVariables& variables);
  std::string flaw_of_linked(const std::vector<SourceLine>& recorded, const std::set<LinkedFile>& now);

  const std::vector<std::string> packs_;  // all packs of this worker
  const LibraryFinder find_library_;
  FileHashes hashes_;
  // By the path, or for true by what starts it.
  std::map<std::tuple<bool, std::string, SearchVariables>, Program> programs_;
};

// Searches in a process of its own, with the environment that a slot would have.
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
