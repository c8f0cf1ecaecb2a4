// Another program of this machine (sbatch, ssh, tar), started and waited for.
//
// It leads a process group of its own, so Ctrl-C on our terminal is ours to pass on. It reads `input`, or
// nothing. What it says is read to its end, and of each stream only the last part is kept.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct ProgramCall {
  std::vector<std::string> words;  // the first is a path, or a name to be looked for in $PATH
  int input = -1;                  // its stdin, stays the caller's; -1: /dev/null
  bool shown = false;              // stdout and stderr stay ours and are not kept
};

struct ProgramEnding {
  int status = 0;  // the exit status; 128 + n when a signal n ended it
  std::string output, errors;
};

// One may wait() while others signal(); each is called from any thread.
class Program {
 public:
  // Error: there is no such program, or the machine has no room for another process.
  Status start(const ProgramCall& call);
  // Blocks until it has ended and its streams are closed. Requires a start that worked; once.
  ProgramEnding wait();
  // Nothing happens when it has ended, or was never started.
  void signal(int number);

 private:
  std::mutex reaping_;
  pid_t pid_ = -1;
  int streams_[2] = {-1, -1};  // of its stdout and stderr
};

// Start and wait.
Result<ProgramEnding> run_program(const ProgramCall& call);

// The path of a program in $PATH; nothing: there is none.
std::optional<std::string> find_program(const std::string& name);

// The last lines of a text, each after `margin`: for a person who must know why something failed.
std::string last_lines(const std::string& text, std::size_t lines, const std::string& margin);

}  // namespace kernsweep
