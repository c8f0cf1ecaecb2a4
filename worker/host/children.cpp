#include "worker/host/children.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace kernsweep {
namespace {

// proc(5): each thread of a process has a file with the children that it has started or adopted. Nothing:
// there are no such files.
std::optional<std::vector<pid_t>> children_of(pid_t process) {
  std::vector<pid_t> out;
  bool is_listed = false;
  for (const int thread : threads_of(process)) {
    std::ifstream in("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/children");
    is_listed = is_listed || in.is_open();
    for (pid_t child = 0; in >> child;) out.push_back(child);
  }
  return is_listed ? std::optional(out) : std::nullopt;
}

}  // namespace

std::vector<int> threads_of(pid_t process) {
  std::vector<int> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/" + std::to_string(process) + "/task", error), end;
       !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    int id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc()) out.push_back(id);
  }
  return out;
}

void adopt_orphans() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<pid_t> children_of_this_process() {
  return children_of(getpid()).value_or(std::vector<pid_t>());
}

std::vector<std::pair<pid_t, int>> children_ended_by_signal() {
  std::vector<std::pair<pid_t, int>> out;
  siginfo_t any{};
  if (waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) != 0 || any.si_pid == 0) return out;
  for (const pid_t child : children_of_this_process()) {
    siginfo_t ended{};
    const int got = waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (got == 0 && ended.si_pid == child && (ended.si_code == CLD_KILLED || ended.si_code == CLD_DUMPED))
      out.emplace_back(child, ended.si_status);
  }
  return out;
}

std::size_t end_children(Children which, const std::vector<pid_t>& but) {
  constexpr int kRounds = 1000;
  std::size_t ran = 0;
  siginfo_t any{};
  if (waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) != 0) return ran;  // there is none
  const auto program_of = [](const std::string& process) {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/" + process + "/exe", error).string();
  };
  const std::string own = which == Children::all ? "" : program_of("self");
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> children = children_of_this_process();
    std::erase_if(children, [&](pid_t child) { return std::ranges::find(but, child) != but.end(); });
    if (!own.empty())
      std::erase_if(children, [&](pid_t child) { return program_of(std::to_string(child)) == own; });
    bool any_ended = false, any_left = false;
    for (const pid_t child : children) {
      bool has_ended = waitpid(child, nullptr, WNOHANG) == child;
      if (!has_ended) {
        ran += round == 0 ? 1 : 0;
        kill(child, SIGKILL);
        has_ended = waitpid(child, nullptr, WNOHANG) == child;
      }
      any_ended = any_ended || has_ended;
      any_left = any_left || !has_ended;
    }
    if (children.empty() || (!any_left && !any_ended)) break;
    if (any_left) usleep(1000);
  }
  return ran;
}

std::optional<std::vector<pid_t>> descendants_of(pid_t process) {
  constexpr std::size_t kMost = 4096;  // processes that are read; a kernel may start any number
  auto all = children_of(process);
  for (std::size_t i = 0; all && i < all->size() && i < kMost; ++i) {
    const auto more = children_of((*all)[i]);
    if (more) all->insert(all->end(), more->begin(), more->end());
  }
  return all;
}

}  // namespace kernsweep
