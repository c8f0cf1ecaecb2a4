#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "shared/base/instant.hpp"
#include "worker/host/children.hpp"
#include "worker/slot/watch/core_looks.hpp"

namespace kernsweep {
namespace {

// proc(5): "number (name) state ...". Threads of ZeroMQ carry messages of the slot, and compute nothing.
struct ThreadState {
  bool is_ready = false, is_ours = true;
};

ThreadState state_of_thread(int process, int thread) {
  constexpr std::string_view kTransport = "(ZMQbg/";
  const std::string path = "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/stat";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 96> text{};
  const ssize_t got = read(file, text.data(), text.size());
  close(file);
  const std::string_view line(text.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  const std::size_t end_of_name = line.rfind(") ");
  if (end_of_name == std::string_view::npos || end_of_name + 2 >= line.size()) return {};
  return {line[end_of_name + 2] == 'R', line.find(kTransport) == std::string_view::npos};
}

}  // namespace

CoreLook look_at_threads(int but) {
  std::vector<pid_t> processes = descendants_of(getpid()).value_or(std::vector<pid_t>());
  processes.insert(processes.begin(), getpid());
  std::vector<Cpus> own, ready;
  std::set<std::uint32_t> all;
  for (const pid_t process : processes) {
    std::set<std::uint32_t> of_process;
    bool works = false;
    for (const int thread : threads_of(process)) {
      const ThreadState state = state_of_thread(process, thread);
      if (thread == but || !state.is_ours) continue;
      const auto cpus = cpus_of_thread(thread);
      if (!cpus) continue;
      of_process.insert(cpus->begin(), cpus->end());
      works = works || state.is_ready;
      if (state.is_ready) (process == processes.front() ? own : ready).push_back(*cpus);
    }
    if (works) all.insert(of_process.begin(), of_process.end());
  }
  if (ready.empty()) ready = std::move(own);  // else this process starts a program, or waits for it
  std::set<std::uint32_t> of_ready;
  for (const Cpus& cpus : ready) of_ready.insert(cpus.begin(), cpus.end());
  return {static_cast<std::uint32_t>(ready.size()),
          that_run_at_once(ready),
          {of_ready.begin(), of_ready.end()},
          {all.begin(), all.end()}};
}

std::optional<Cpus> cpus_of_thread(int thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(thread, sizeof set, &set) != 0) return std::nullopt;
  Cpus cpus;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

struct ThreadLooks::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_over = false;
  std::vector<CoreLook> looks;
  std::thread thread;

  void look_until_over() {
    constexpr Duration kFirst = std::chrono::microseconds(500), kLongest = std::chrono::milliseconds(100);
    const int own = gettid();
    Duration pause = kFirst;
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, pause, [this] { return is_over; })) {
      looks.push_back(look_at_threads(own));
      pause = std::min(kLongest, pause + pause / 20);
    }
  }
};

ThreadLooks::ThreadLooks() : shared_(std::make_unique<Shared>()) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a kernel's signals are for its own threads
  try {
    shared_->thread = std::thread([shared = shared_.get()] { shared->look_until_over(); });
  } catch (const std::system_error&) {
    shared_.reset();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ThreadLooks::~ThreadLooks() {
  end();
}

std::vector<CoreLook> ThreadLooks::end() {
  const std::unique_ptr<Shared> shared = std::move(shared_);
  if (!shared) return {};
  {
    const std::lock_guard lock(shared->mutex);
    shared->is_over = true;
  }
  shared->changed.notify_one();
  shared->thread.join();
  return std::move(shared->looks);
}

}  // namespace kernsweep
