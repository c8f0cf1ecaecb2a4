// What `kernsweep worker` was given to keep to, as text; the worker reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kernsweep {

struct WorkerArguments {
  bool reserve_core = false;
  std::string memory;                 // "8GiB", "50%"; empty: no limit
  std::optional<std::uint32_t> gpus;  // to offer; nothing: all
  std::string name;                   // of the host; empty: the system's own
  std::vector<std::string> tags;      // "name=value"
  std::string allow;                  // "packs,command,python"; empty: all
  std::string spool;                  // a folder; empty: the usual one
  double drain_time_s = 60;
};

}  // namespace kernsweep
