// The children of this process, and theirs; threads of a process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kernsweep {

// From now on orphans below this process become its children: processes whose parent has ended, in whatever
// session they are. Linux gives them to the nearest process above that asks. A slot asks, so that what a
// job leaves behind stays below it; the worker asks, so that it finds that when the slot has ended.
void adopt_orphans();

// Zombies included; empty where the system does not tell.
std::vector<pid_t> children_of_this_process();

// The threads of a process, by the system's numbers; empty: it has ended.
std::vector<int> threads_of(pid_t process);

// Children that were ended by a signal, if nothing has waited for them: the process and the signal.
std::vector<std::pair<pid_t, int>> children_ended_by_signal();

// Ends the children of this process, those that it has adopted included, and waits for their end, for some
// seconds at most. Returns how many ran. `other_programs`: helpers of this process stay, which run the same
// program.
enum class Children : std::uint8_t { all = 1, other_programs };
// `but`: children that stay.
std::size_t end_children(Children which = Children::all, const std::vector<pid_t>& but = {});

// Processes that descend from `process`, some thousands at most; nothing: the system does not list them.
std::optional<std::vector<pid_t>> descendants_of(pid_t process);

}  // namespace kernsweep
