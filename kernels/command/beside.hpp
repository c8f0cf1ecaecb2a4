// Commands of a job beside the one that is measured: `setup` before its first run, `cleanup` after its
// last.
#pragma once

#include <string>

namespace kernsweep::command {

// Runs the command line and waits for its end. Returns an empty text if it ended with status 0, otherwise
// the reason, which begins with `what`.
std::string run_beside(const std::string& what, const std::string& line);

// Runs a command when it goes. A failure then can no longer be that of its job: take_failure() of the next
// job of this process has it.
class Cleanup {
 public:
  explicit Cleanup(std::string line) : line_(std::move(line)) {}
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  ~Cleanup();

  // The reason why a cleanup of this process failed since the last call; empty: none did.
  static std::string take_failure();

 private:
  std::string line_;  // empty: none
};

}  // namespace kernsweep::command
