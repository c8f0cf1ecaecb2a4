#include "tests/bench/end_to_end/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace kernsweep::bench {
namespace {

constexpr int kLookEvery_ms = 5;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Fields of /proc/<pid>/stat count from 1; the second is a name in brackets that may hold anything.
struct Stat {
  std::string name;
  double used_s = 0;
};

std::optional<Stat> read_stat(const std::string& path) {
  static const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::string text = read_file(path);
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return std::nullopt;
  Stat stat;
  stat.name = text.substr(open + 1, close - open - 1);
  std::istringstream fields(text.substr(close + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  stat.used_s = (user + system) * tick_s;
  return stat;
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string at = "/proc/" + std::to_string(process);
  std::istringstream text(read_file(at + "/task/" + std::to_string(process) + "/children"));
  std::vector<pid_t> children;
  for (pid_t child; text >> child;) children.push_back(child);
  return children;
}

std::uint64_t peak_of(pid_t process) {
  const std::string text = read_file("/proc/" + std::to_string(process) + "/status");
  const auto at = text.find("VmHWM:");
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + 6, nullptr, 10) * 1024;
}

}  // namespace

double clock_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Program::Program(const std::string& path, const std::vector<std::string>& arguments,
                 const std::string& folder)
    : folder_(folder) {
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, (folder + "/answer").c_str(), kCreate, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, (folder + "/errors").c_str(), kCreate, 0600);
  started_s_ = clock_s();
  const int failed = posix_spawn(&pid_, path.c_str(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed) throw std::runtime_error("cannot start " + path + ": " + std::strerror(failed));
  ended_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

Program::~Program() {
  if (ended_ >= 0) close(ended_);
  if (wait_status_ || pid_ < 0) return;
  kill(pid_, SIGKILL);  // what it has started dies with it
  waitpid(pid_, nullptr, 0);
}

void Program::signal(int number) const {
  if (!wait_status_) kill(pid_, number);
}

void Program::observe_process(pid_t process, Role role) {
  const auto stat = read_stat("/proc/" + std::to_string(process) + "/stat");
  if (stat) used_[process] = {role, stat->used_s};
}

void Program::observe_coordinator() {
  if (const std::uint64_t peak = peak_of(pid_)) peak_memory_bytes_ = peak;
  const std::string tasks = "/proc/" + std::to_string(pid_) + "/task";
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(tasks, gone)) {
    const auto stat = read_stat(entry.path().string() + "/stat");
    if (!stat) continue;
    const pid_t thread = std::atoi(entry.path().filename().c_str());
    const bool messages = stat->name.starts_with("ZMQ");
    used_[thread] = {thread == pid_ ? Role::loop : messages ? Role::messages : Role::store, stat->used_s};
  }
  for (const pid_t worker : children_of(pid_)) {
    observe_process(worker, Role::worker);
    for (const pid_t slot : children_of(worker)) observe_process(slot, Role::slot);
  }
}

bool Program::observe() {
  if (wait_status_) return false;
  observe_coordinator();
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return true;
  wall_s_ = clock_s() - started_s_;
  wait_status_ = status;
  return false;
}

bool Program::run_for(int milliseconds) {
  pollfd ended{ended_, POLLIN, 0};
  poll(&ended, 1, milliseconds);
  return observe();
}

int Program::wait() {
  while (run_for(kLookEvery_ms)) {
  }
  if (!WIFEXITED(*wait_status_)) throw std::runtime_error("kernsweep was killed; its stderr: " + errors());
  return WEXITSTATUS(*wait_status_);
}

ProcessorTimes Program::times() const {
  ProcessorTimes times;
  for (const auto& [thread, use] : used_) {
    switch (use.first) {
      case Role::loop:
        times.loop_s += use.second;
        break;
      case Role::store:
        times.store_s += use.second;
        break;
      case Role::messages:
        times.messages_s += use.second;
        break;
      case Role::worker:
        times.worker_s += use.second;
        break;
      case Role::slot:
        times.slots_s += use.second;
        break;
    }
  }
  return times;
}

std::string Program::answer() const {
  return read_file(folder_ + "/answer");
}
std::string Program::errors() const {
  return read_file(folder_ + "/errors");
}

}  // namespace kernsweep::bench
