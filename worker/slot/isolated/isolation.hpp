// Removes the permissions with which a stranger's kernel could change a measurement or keep data for the
// next one: Landlock for files and signals, a seccomp filter for system calls, and no capability. Processes
// that this one starts have the same limits. None of it can be undone.
//
// Not restricted: the processor's caches and the memory's bandwidth, reading of public files (programs,
// libraries, the folders that are named), and the time of day.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct IsolationRules {
  std::vector<std::string>
      readable;  // files and folders in addition to those of the system; missing ones are skipped
  std::vector<std::string> devices;  // files of devices that can be used
  std::string writable;              // the only folder that can be written; removed by its owner
  // The process is alone in a namespace of process ids, so no system call can name a foreign process.
  bool own_processes = false;
  bool may_group = false;  // it may make process groups and sessions
};

// Isolates the calling process, which must have only one thread. Returns the mechanisms for display:
// "Landlock 7, seccomp". Error: the system lacks one; then the process must not run foreign code.
Result<std::string> isolate(const IsolationRules& rules);

// Restricts this process, and those that it starts, to write only below `folder` and to /dev/null and the
// like, by Landlock. Nothing else is changed. Returns why that is not possible here; nothing: it is done.
std::optional<std::string> confine_writes(const std::string& folder);

// Why processes cannot be isolated on this host; nothing if they can. Changes nothing.
std::optional<std::string> isolation_missing();

// The flags of clone() for the namespaces of a child process, if the system permits them.
int namespaces_for_isolation();

}  // namespace kernsweep
