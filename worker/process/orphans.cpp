#include "worker/process/orphans.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <set>

#include "worker/host/children.hpp"

namespace kernsweep {
namespace {

std::mutex making;
bool ends = false;
std::set<pid_t>& announced() {
  static std::set<pid_t> pids;
  return pids;
}

}  // namespace

void adopt_and_end_orphans() {
  constexpr pid_t kFirstOfAll = 1;
  const std::lock_guard lock(making);
  for (const pid_t child : children_of_this_process()) announced().insert(child);
  adopt_orphans();
  ends = getpid() != kFirstOfAll;
}

MakingChild::MakingChild() {
  making.lock();
}
MakingChild::~MakingChild() {
  making.unlock();
}
void MakingChild::made(pid_t child) const {
  announced().insert(child);
}

void forget_child(pid_t child) {
  const std::lock_guard lock(making);
  announced().erase(child);
}

bool end_orphans() {
  const std::lock_guard lock(making);
  if (!ends) return false;
  bool any = false;
  for (const pid_t child : children_of_this_process()) {
    if (announced().contains(child)) continue;
    any = true;
    kill(child, SIGKILL);
    waitpid(child, nullptr, WNOHANG);
  }
  return any;
}

}  // namespace kernsweep
