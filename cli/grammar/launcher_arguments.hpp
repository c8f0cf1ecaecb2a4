// What `kernsweep slurm` and `kernsweep ssh` were given beside the sweep itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernsweep {

struct LauncherArguments {
  std::string join;                         // --join: the coordinator runs elsewhere
  std::string listen = "tcp://*:*";         // of the coordinator that is started with the workers
  std::vector<std::string> worker_options;  // --worker: each is split into words at blanks
  // slurm
  std::uint32_t nodes = 1;
  std::string partition, gres, time, account, job_name, array;
  std::uint32_t lead_s = 120;  // so long before the time limit the workers are told to finish
  std::vector<std::string> extra;
  std::string program;  // on the nodes; empty: this one
  bool dry_run = false;
  std::string output;  // the script
  // ssh
  std::string hosts_file;
  std::string package;
};

}  // namespace kernsweep
