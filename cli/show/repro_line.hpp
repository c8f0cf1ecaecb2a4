// The shell line that measures one job by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernsweep {

struct ReproLine {
  std::vector<std::uint32_t> cores;      // cores to bind to; empty: those of the shell
  std::vector<std::string> environment;  // the whole environment, "NAME=value"
  std::vector<std::string> of_shell;     // names of variables that get the shell's values
  std::string program;                   // path of kernsweep-slot
  std::string job;                       // JSON
};

// The line for any POSIX shell, quoted so that all values are passed unchanged:
//   taskset -c 0,1 env -i PATH="$PATH" OMP_NUM_THREADS=2 .../kernsweep-slot --once '{"family":...}'
// The environment is set after taskset was started, so another PATH or a preloaded library only affects the
// slot. A variable is cut at the first NUL, as a worker does.
std::string shell_line(const ReproLine& line);

// `text` as a shell comment: "# " before each of its lines.
std::string shell_comment(const std::string& text);

}  // namespace kernsweep
