#include "worker/host/stopped_processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kernsweep {
namespace {

constexpr unsigned long long kQuit = 1ULL << (SIGQUIT - 1);

std::string text_of_stop(int signal) {
  switch (signal) {
    case SIGSTOP:
      return "SIGSTOP, as `kill -STOP` sends it";
    case SIGTSTP:
      return "SIGTSTP, as Ctrl-Z sends it";
    case SIGTTIN:
      return "SIGTTIN, because it reads from the terminal; give it its input from a file (< FILE)";
    case SIGTTOU:
      return "SIGTTOU, because it writes to the terminal or sets it; send its output to a file";
    default:
      return "a signal";
  }
}

std::vector<ListedProcess> of_this_host() {
  std::vector<ListedProcess> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    if (auto listed = listed_process_of(line)) all.push_back(std::move(*listed));
  }
  return all;
}

// The process furthest below `root`, or `root` itself, for which `is_so`; null: there is none.
template <class IsSo>
const ListedProcess* deepest(const std::vector<ListedProcess>& processes, pid_t root, IsSo is_so) {
  std::vector<pid_t> wanted{root};
  const ListedProcess* found = nullptr;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    for (const ListedProcess& each : processes) {
      if (each.process == wanted[at] && is_so(each)) found = &each;
      if (each.parent == wanted[at] && std::ranges::find(wanted, each.process) == wanted.end())
        wanted.push_back(each.process);
    }
  }
  return found;
}

}  // namespace

std::optional<ListedProcess> listed_process_of(std::string_view stat) {
  const auto begin = stat.find('('), end = stat.rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  ListedProcess out;
  out.name = stat.substr(begin + 1, end - begin - 1);
  out.process = std::atoi(std::string(stat.substr(0, begin)).c_str());
  std::istringstream fields{std::string(stat.substr(end + 1))};
  if (!(fields >> out.state >> out.parent)) return std::nullopt;
  constexpr int kBlocked = 32, kExitCode = 52;  // as proc(5) counts
  std::string field;
  for (int number = 5; number <= kExitCode && fields >> field; ++number) {
    if (number == kBlocked) out.blocks_quit = (std::strtoull(field.c_str(), nullptr, 10) & kQuit) != 0;
    if (number == kExitCode && out.state == 'T') out.signal = std::atoi(field.c_str()) & 0x7F;
  }
  return out;
}

std::string stopped_in(const std::vector<ListedProcess>& processes, pid_t root) {
  const ListedProcess* const stopped =
      deepest(processes, root, [](const auto& each) { return each.state == 'T'; });
  if (!stopped) return "";
  return fmt::format("its process {} was stopped by {}", stopped->name, text_of_stop(stopped->signal));
}
std::string stopped_below(pid_t root) {
  return stopped_in(of_this_host(), root);
}

std::string blocking_in(const std::vector<ListedProcess>& processes, pid_t root) {
  const ListedProcess* const blocks = deepest(
      processes, root, [](const auto& each) { return each.blocks_quit && each.name != kWardenName; });
  if (!blocks) return "";
  return fmt::format("its process {} blocks SIGQUIT, so where it was is not known", blocks->name);
}
std::string blocking_below(pid_t root) {
  return blocking_in(of_this_host(), root);
}

}  // namespace kernsweep
