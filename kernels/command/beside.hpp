// Commands of a job in addition to the measured one: `setup` before its first run, `cleanup` after its
// last.
#pragma once

#include <string>
#include <utility>

#include "kernels/api/pack.h"

namespace kernsweep::command {

// Runs the command line and waits for its end. Returns why it failed; empty: it ended with status 0.
std::string run_beside(const std::string& line);

// Runs a command on destruction. A failure becomes a note of the job (ks_context::explain).
class Cleanup {
 public:
  Cleanup(std::string line, const ks_context& context) : line_(std::move(line)), context_(context) {}
  Cleanup(const Cleanup&) = delete;
  Cleanup& operator=(const Cleanup&) = delete;
  ~Cleanup();

 private:
  std::string line_;  // empty: none
  ks_context context_;
};

}  // namespace kernsweep::command
