// Counts of control groups and the kernel while a job runs: how often a CPU quota stopped it, and processes
// that were killed for lack of memory. Files are found and opened once; a reading takes a few microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// Sums since the groups were created, over all groups of this process.
struct Throttling {
  double quota = 0;  // in processors, the smallest one of the groups; 0: not known
  std::uint64_t periods = 0;
  double stopped_s = 0;
};

// Adds nr_throttled, and throttled_usec or throttled_time, of a cpu.stat.
void add_throttling(std::string_view cpu_stat, Throttling& to);

class GroupEvents {
 public:
  // `root` ends with a slash; tests use another one.
  explicit GroupEvents(std::string root = "/");
  ~GroupEvents();
  GroupEvents(const GroupEvents&) = delete;
  GroupEvents& operator=(const GroupEvents&) = delete;

  Throttling throttling();
  // Processes of this group; of the whole host if the group is not counted. Nothing: not readable.
  std::optional<std::uint64_t> killed();

 private:
  const std::string root_;
  double quota_ = 0;
  std::optional<std::uint64_t> periods_;  // at the last reading
  std::vector<int> stats_;
  int kills_ = -1;
};

// Cores that may be offered under a quota: whole ones, at least one, at most `cores`.
std::size_t cores_within(double quota, std::size_t cores);

}  // namespace kernsweep
