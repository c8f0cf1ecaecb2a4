#include <time.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "worker/host/children.hpp"
#include "worker/slot/watch/linux_usage.hpp"

namespace kernsweep {
namespace {

std::string content_of(int process, const char* file) {
  std::ifstream in("/proc/" + std::to_string(process) + "/" + file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// proc(5): cutime and cstime are the fields 16 and 17; the second one is in parentheses and may have
// blanks.
double seconds_of_children(int process) {
  const std::string text = content_of(process, "stat");
  const auto end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return 0;
  std::istringstream rest(text.substr(end_of_name + 1));
  std::string skipped;
  constexpr int kBefore = 13;  // fields 3 to 15
  for (int field = 0; field < kBefore; ++field) rest >> skipped;
  double user = 0, system = 0;
  if (!(rest >> user >> system)) return 0;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

std::optional<double> cpu_seconds_of_descendants(int process) {
  const auto all = descendants_of(process);
  if (!all) return std::nullopt;
  double sum = 0;
  for (const pid_t each : *all) sum += cpu_seconds_of(each);
  return sum;
}

double cpu_seconds_of(int process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9 +
         seconds_of_children(process);
}

}  // namespace kernsweep
