// The worker program of a host: the shell around the worker's core. It passes messages between the
// coordinator, the slots and the tensor maker, starts and watches processes, and keeps every outcome until
// the coordinator has committed it.
//
// One thread with one poll loop. Each turn reads what arrived, applies it to the core, carries out the
// core's actions, and sends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"

namespace kernsweep {

struct WorkerConfig {
  std::string endpoint;               // of the coordinator, without encryption; empty: use `join_file`
  std::string join_file;              // addresses and keys; see docs/reference/security.md
  std::string token;                  // set by the `kernsweep run` that started this worker; else empty
  std::uint32_t cores = 0;            // offered to jobs; 0: all that this process may use
  std::optional<std::uint32_t> gpus;  // offered to jobs; nothing: all that CUDA shows
  bool reserve_core = false;          // keep the core with the lowest number for the worker itself
  std::string memory;  // for slots and operands together, as memory_of() reads it; empty: see below
  std::string name;    // of this host; empty: the host name of the system
  std::vector<std::string> tags;   // "name=value": facts of this host
  std::vector<std::string> allow;  // kinds of kernels; empty: all
  std::vector<std::string> pack_folders;
  std::string family;               // the only one that jobs use; "": any
  std::string spool_folder;         // empty: undelivered outcomes are only in memory
  Duration wait_for_coordinator{};  // 0: for ever
  Duration drain_time{};            // time for running jobs when the worker is stopped; 0: kill them
  Duration patience = std::chrono::seconds(10);  // for a quiet host, for each sweep; 0: never wait
};

// Memory. Without a limit, tensors may take a quarter of the machine's memory, and each slot four fifths.
// With a limit, tensors get a quarter of it, and each slot a share of the rest that is proportional to its
// cores, so that slots which work at the same time stay below the limit together. An allocation beyond the
// share of a slot fails (RLIMIT_DATA).
//
// Exit status: 0 the coordinator said goodbye, or the worker was stopped; 1 refused, or no coordinator
// within `wait_for_coordinator`; 2 this host cannot work (no packs, no topology, limits that it cannot
// keep). The reason is printed to stderr.
int run_worker(const WorkerConfig& config);

}  // namespace kernsweep
