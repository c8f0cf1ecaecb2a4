// Processes of a job that a signal has stopped, or that block the one by which they are asked where they
// are: looked for when the job took too long.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// Of the process that ends a slot's programs with it (kernels/command/warden.cpp); it blocks all signals.
inline constexpr std::string_view kWardenName = "ks-warden";

// What /proc/PID/stat says of a process.
struct ListedProcess {
  pid_t process = 0, parent = 0;
  std::string name;
  char state = ' ';          // T: stopped by a signal; t: by a debugger
  int signal = 0;            // of a stopped one, where Linux says it (from 5.18 on); else 0
  bool blocks_quit = false;  // its main thread blocks SIGQUIT
};
std::optional<ListedProcess> listed_process_of(std::string_view stat);

// One clause for the reason of a job, about the process furthest below `root` that is stopped: its name,
// the signal, and what sends that. A terminal stops all processes of a group. Empty: none is.
std::string stopped_in(const std::vector<ListedProcess>& processes, pid_t root);
// The same of the processes of this host.
std::string stopped_below(pid_t root);

// Likewise about the one furthest below `root` that blocks SIGQUIT.
std::string blocking_in(const std::vector<ListedProcess>& processes, pid_t root);
std::string blocking_below(pid_t root);

}  // namespace kernsweep
