// The shell line that measures one job by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernsweep {

struct ReproLine {
  std::vector<std::uint32_t> cores;      // that it is bound to; none: as the shell is
  std::vector<std::string> environment;  // all of it, "NAME=value"; nothing else is set
  std::vector<std::string> of_shell;     // names whose value the shell that runs the line gives instead
  std::string program;                   // path of kernsweep-slot
  std::string job;                       // JSON
};

// For any POSIX shell, quoted so that each value arrives as it is:
//   taskset -c 0,1 env -i PATH="$PATH" OMP_NUM_THREADS=2 .../kernsweep-slot --once '{"family":...}'
// The environment is made after taskset was found: one that has another PATH, or preloads a library, is the
// slot's alone. Each variable ends at a NUL, as it does under a worker.
std::string shell_line(const ReproLine& line);

// `text` as comment of a shell: "# " before every line of it.
std::string shell_comment(const std::string& text);

}  // namespace kernsweep
