// Takes from this process what a kernel written by a stranger could use to change a measurement or to keep
// something for the next one: Landlock for files and signals, a seccomp filter for system calls, and no
// capability. What the process starts is bound by the same. None of it can be undone.
//
// Not taken: the processor's caches and the memory's bandwidth, reading of public files (programs,
// libraries, the folders that are named), and the time of day.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct IsolationRules {
  std::vector<std::string>
      readable;  // files and folders beside those of the system; what is missing is left out
  std::vector<std::string> devices;  // files of devices that can be used
  std::string writable;              // the only folder that can be written; removed by its owner
  // The process is alone in a namespace of process ids: then no system call can name a foreign process.
  bool own_processes = false;
  bool may_group = false;  // it may make process groups and sessions of its own
};

// Isolates the calling process, which must have only one thread. Returns what was done, for people:
// "Landlock 7, seccomp". Error: the system lacks something; then the process must not run foreign code.
Result<std::string> isolate(const IsolationRules& rules);

// Makes this process, and what it starts, write only below `folder` and to /dev/null and its like, by
// Landlock. All else stays as it was. Returns why that is not possible here; nothing: it is done.
std::optional<std::string> confine_writes(const std::string& folder);

// Why processes cannot be isolated on this host; nothing if they can. Changes nothing.
std::optional<std::string> isolation_missing();

// The flags of clone() for namespaces that a child process gets where the system permits it.
int namespaces_for_isolation();

}  // namespace kernsweep
