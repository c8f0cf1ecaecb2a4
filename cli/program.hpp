// Starts another program on this machine (sbatch, ssh, tar) and waits for its end.
//
// It has its own process group, so Ctrl-C in the terminal only reaches this process, which may pass it on.
// Its stdout and stderr are read to the end, and at least the last 64 KiB of each are kept.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct ProgramCall {
  std::vector<std::string> words;  // the first is a path, or a name that is looked up in $PATH
  int input = -1;                  // descriptor for its stdin, owned by the caller; -1: /dev/null
  bool shown = false;              // true: it inherits stdout and stderr, and nothing is kept
};

struct ProgramEnding {
  int status = 0;  // the exit status; 128 + n if signal n ended it
  std::string output, errors;
};

// One program. A thread may be in wait() while others call signal().
class Program {
 public:
  // Error: there is no such program, or the system cannot create a process or pipes.
  Status start(const ProgramCall& call);
  // Blocks until the program has ended and its streams are closed. Call once after each successful start().
  ProgramEnding wait();
  // Sends a signal. Does nothing if the program has ended or was never started.
  void signal(int number);

 private:
  std::mutex reaping_;
  pid_t pid_ = -1;
  int streams_[2] = {-1, -1};  // of its stdout and stderr
};

// Program::start(), then Program::wait().
Result<ProgramEnding> run_program(const ProgramCall& call);

// The path of a program in $PATH; nullopt: it is not found.
std::optional<std::string> find_program(const std::string& name);

// The last lines of a text, each after `margin`; used to show the output of a program that failed.
std::string last_lines(const std::string& text, std::size_t lines, const std::string& margin);

}  // namespace kernsweep
