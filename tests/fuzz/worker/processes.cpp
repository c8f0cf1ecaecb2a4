#include "tests/fuzz/worker/processes.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

#include "worker/process/process.hpp"

namespace kernsweep {
namespace {

struct Process {
  int exited = -1;  // readable once it has ended
  std::optional<Child::Ending> ending;
  bool left = true;
};

struct Table {
  std::mutex mutex;
  std::map<int, Process> processes;
  std::vector<fuzz::LaunchedSlot> launched;
  unsigned failing = 0;
  int last_pid = 0;
};

Table& table() {
  static Table one;
  return one;
}

void end(Process& process, Child::Ending how) {
  if (!process.left) return;
  process.left = false;
  process.ending = how;
  const std::uint64_t one = 1;
  KS_ASSERT(write(process.exited, &one, sizeof one) == sizeof one);
}

}  // namespace

namespace fuzz {

void forget_processes() {
  const std::lock_guard lock(table().mutex);
  for (auto& [pid, process] : table().processes) close(process.exited);
  table().processes.clear();
  table().launched.clear();
  table().failing = 0;
}

std::vector<LaunchedSlot> take_launched() {
  const std::lock_guard lock(table().mutex);
  return std::exchange(table().launched, {});
}

void fail_launches(unsigned count) {
  const std::lock_guard lock(table().mutex);
  table().failing = count;
}

void end_process(int pid, int how) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().processes.find(pid);
  if (found != table().processes.end()) end(found->second, {how > 128, how > 128 ? how - 128 : how});
}

std::size_t processes_left() {
  const std::lock_guard lock(table().mutex);
  std::size_t left = 0;
  for (const auto& [pid, process] : table().processes) left += process.left;
  return left;
}

}  // namespace fuzz

Child::Child(pid_t pid, int exited, int errors, int output)
    : pid_(pid), exited_(exited), errors_(errors), output_(output) {}

Child::Child(Child&& other) noexcept {
  *this = std::move(other);
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(exited_, other.exited_);
  std::swap(errors_, other.errors_);
  std::swap(output_, other.output_);
  return *this;
}

Child::~Child() {
  if (exited_ >= 0) close(exited_);
}

void Child::ask_what_it_does() const {}

void Child::kill_group() const {
  constexpr int kKilled = 9;
  const std::lock_guard lock(table().mutex);
  const auto found = table().processes.find(pid_);
  if (found != table().processes.end()) end(found->second, {true, kKilled});
}
bool Child::group_is_gone() const {
  return true;
}

std::optional<Child::Ending> Child::reap() {
  const std::lock_guard lock(table().mutex);
  const auto found = table().processes.find(pid_);
  if (found == table().processes.end()) return std::nullopt;
  return std::exchange(found->second.ending, std::nullopt);
}

Result<Child> launch(const Launch& launch) {
  const std::lock_guard lock(table().mutex);
  if (table().failing > 0) {
    --table().failing;
    return failure("cannot start it: the script says so");
  }
  const int pid = ++table().last_pid;
  Process& process = table().processes[pid];
  process.exited = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  fuzz::LaunchedSlot& launched = table().launched.emplace_back();
  launched.pid = pid;
  KS_ASSERT(launched.setup.ParseFromString(launch.setup.value()));
  return Child(pid, dup(process.exited), -1, -1);
}

std::string describe(const Child::Ending& ending) {
  return (ending.signalled ? "killed by signal " : "exited with status ") + std::to_string(ending.number);
}

}  // namespace kernsweep
