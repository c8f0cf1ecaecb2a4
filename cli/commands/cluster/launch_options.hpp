// What `slurm` and `ssh` both take: the sweep, and how its coordinator and workers are started.
#pragma once

#include <string>
#include <vector>

#include "cli/grammar/recurring_options.hpp"

namespace kernsweep {

struct LaunchOptions {
  std::string file;  // the sweep's; empty with `join`
  std::string database;
  Replacements replacements;
  std::string join;                         // the coordinator runs elsewhere
  std::string listen = "tcp://*:*";         // of the coordinator that is started with the workers
  std::vector<std::string> worker_options;  // as typed: each may be several words

  void declare(Options& to);
  // The options of every worker, a word each.
  std::vector<std::string> worker_words() const;
};

}  // namespace kernsweep
