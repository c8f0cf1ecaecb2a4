// Whether a software that has measured before is what would measure here now: the answer to
// wire::SoftwareCheck. Everything is judged by content: a file that was copied elsewhere, or touched, is
// the same; one that was edited is not, whatever its time says.
//
// Each name is looked up anew as a job would look it up (the program of a command, the library that a sweep
// names, a module in the working directory), because another file may stand there now.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "shared/base/answering_thread.hpp"
#include "shared/base/file_content.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::worker {

// Variables of the sweep's environment by which files are found: PATH, LD_LIBRARY_PATH, ...
using SearchVariables = std::map<std::string, std::string>;

// The file that a job would open for the name of a library, links followed; "" where none can be opened.
using LibraryFinder = std::function<std::string(const std::string& name, const SearchVariables& variables)>;

class SoftwareCheck {
 public:
  SoftwareCheck(std::vector<std::string> packs, LibraryFinder find_library)
      : packs_(std::move(packs)), find_library_(std::move(find_library)) {}

  // What is different now, for people: "./bench.py has changed"; empty: nothing. One thread at a time.
  std::string changed(const wire::SoftwareCheck& asked);

 private:
  std::string flaw_of(const std::string& path, std::string_view hash);

  const std::vector<std::string> packs_;  // that jobs here would use
  const LibraryFinder find_library_;
  FileHashes hashes_;
  std::map<std::string, std::string> libraries_;  // of this call: by name and variables, where it is
};

// Asks a process of its own, with the environment that a slot would have.
std::string find_library(const std::string& name, const SearchVariables& variables);

// Answers beside the loop, because files may be large and libraries slow to open.
struct AskedChecks {
  std::uint32_t session = 0;  // in which it was asked; its answer comes back beside it
  wire::SoftwareChecks checks;
};
struct AnsweredChecks {
  std::uint32_t session = 0;
  wire::SoftwareAnswers answers;
};
using SoftwareChecks = AnsweringThread<AskedChecks, AnsweredChecks>;
AnsweredChecks answer(SoftwareCheck& check, const AskedChecks& asked);

}  // namespace kernsweep::worker
