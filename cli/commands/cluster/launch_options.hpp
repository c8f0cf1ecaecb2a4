// The common options of `slurm` and `ssh`: the sweep, and how its coordinator and workers are started.
#pragma once

#include <string>
#include <vector>

#include "cli/grammar/recurring_options.hpp"

namespace kernsweep {

struct LaunchOptions {
  std::string file;  // the sweep file; empty with `join`
  std::string database;
  Replacements replacements;
  std::string join;                         // join file of a coordinator that runs elsewhere
  std::string listen = "tcp://*:*";         // address of a coordinator that is started with the workers
  std::vector<std::string> worker_options;  // as typed: one entry may be several words

  void declare(Options& to);
  // The options of every worker, split into words.
  std::vector<std::string> worker_words() const;
};

}  // namespace kernsweep
