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

}  // namespace

std::optional<ListedProcess> listed_process_of(std::string_view stat) {
  const auto begin = stat.find('('), end = stat.rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  ListedProcess out;
  out.name = stat.substr(begin + 1, end - begin - 1);
  out.process = std::atoi(std::string(stat.substr(0, begin)).c_str());
  std::istringstream fields{std::string(stat.substr(end + 1))};
  if (!(fields >> out.state >> out.parent)) return std::nullopt;
  constexpr int kExitCode = 52;  // as proc(5) counts
  std::string field;
  for (int number = 5; number <= kExitCode && fields >> field; ++number)
    if (number == kExitCode && out.state == 'T') out.signal = std::atoi(field.c_str()) & 0x7F;
  return out;
}

std::string stopped_in(const std::vector<ListedProcess>& processes, pid_t root) {
  std::vector<pid_t> wanted{root};
  const ListedProcess* stopped = nullptr;
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    for (const ListedProcess& each : processes) {
      if (each.process == wanted[at] && each.state == 'T') stopped = &each;
      if (each.parent == wanted[at] && std::ranges::find(wanted, each.process) == wanted.end())
        wanted.push_back(each.process);
    }
  }
  if (stopped == nullptr) return "";
  return fmt::format("its process {} was stopped by {}", stopped->name, text_of_stop(stopped->signal));
}

std::string stopped_below(pid_t root) {
  std::vector<ListedProcess> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    if (auto state = listed_process_of(line)) all.push_back(std::move(*state));
  }
  return stopped_in(all, root);
}

}  // namespace kernsweep
