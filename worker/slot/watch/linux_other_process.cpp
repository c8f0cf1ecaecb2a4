#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

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

// proc(5): each thread of a process has a file with the children that it has started. Nothing: there are no
// such files.
std::optional<std::vector<int>> children_of(int process) {
  std::vector<int> out;
  bool is_listed = false;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/" + std::to_string(process) + "/task", error), end;
       !error && at != end; at.increment(error)) {
    std::ifstream in(at->path() / "children");
    is_listed = is_listed || in.is_open();
    for (int child = 0; in >> child;) out.push_back(child);
  }
  return is_listed ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<double> cpu_seconds_of_descendants(int process) {
  constexpr std::size_t kMost = 4096;  // of these the time is read; a kernel may start any number
  auto all = children_of(process);
  if (!all) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < all->size() && i < kMost; ++i) {
    sum += cpu_seconds_of((*all)[i]);
    const auto more = children_of((*all)[i]);
    if (more) all->insert(all->end(), more->begin(), more->end());
  }
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
