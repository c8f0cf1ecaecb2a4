// The children of this process, and theirs; threads of a process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kernsweep {

// From now on orphans below this process become its children: processes whose parent has ended, in any
// session. Linux gives them to the nearest ancestor that has requested it. A slot requests it, so that
// processes that a job leaves behind stay below it; the worker requests it to find them after the slot has
// ended.
void adopt_orphans();

// Zombies included; empty if the system does not list them.
std::vector<pid_t> children_of_this_process();

// The threads of a process, by the system's numbers; empty: it has ended.
std::vector<int> threads_of(pid_t process);

// Children that a signal ended and that were not waited for: the process and the signal.
std::vector<std::pair<pid_t, int>> children_ended_by_signal();

// Ends the children of this process, including adopted ones, and waits for their end, for some seconds at
// most. Returns how many ran. `other_programs`: keeps helpers of this process, which run the same program.
enum class Children : std::uint8_t { all = 1, other_programs };
// `but`: children that are kept.
std::size_t end_children(Children which = Children::all, const std::vector<pid_t>& but = {});

// Processes that descend from `process`, some thousands at most; nothing: the system does not list them.
std::optional<std::vector<pid_t>> descendants_of(pid_t process);

}  // namespace kernsweep
