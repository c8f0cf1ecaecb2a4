// Processor time of each thread, from its own clock. Not from /proc/self/task/*/schedstat: the kernel
// updates that only at a tick or when the thread stops, which is milliseconds late for a running thread.
// Its second number, the time that the thread waited for a core, is exact whenever the thread runs.
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>

#include "worker/slot/watch/linux_usage.hpp"
#include "worker/slot/watch/thread_work.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

// The clock of a thread of this process by its number. pthread_getcpuclockid needs a pthread_t, which is
// not known for threads of libraries. The lowest three bits mean "of a thread, as scheduled".
clockid_t clock_of(int thread) {
  constexpr unsigned kOfThread = 4, kAsScheduled = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | kOfThread | kAsScheduled);
}

std::optional<double> seconds_on(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct ProcessSeconds {
  double all_s = 0, ended_children_s = 0;
};

// The processor time of this process and its ended children.
std::optional<ProcessSeconds> process_seconds() {
  const auto own = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
  rusage children{};
  if (!own || getrusage(RUSAGE_CHILDREN, &children) != 0) return std::nullopt;
  return ProcessSeconds{*own + cpu_seconds(children), cpu_seconds(children)};
}

bool has_children() {
  siginfo_t ended{};
  return waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

// proc(5): "ran waited slices" of one thread, in nanoseconds.
class ScheduleFile {
 public:
  ScheduleFile() = default;
  ScheduleFile(const ScheduleFile&) = delete;
  ScheduleFile& operator=(const ScheduleFile&) = delete;
  ~ScheduleFile() {
    if (file_ >= 0) close(file_);
  }
  double waited_s() {
    // After a fork the file still belongs to the other process.
    if (const pid_t thread = gettid(); thread != thread_) {
      if (file_ >= 0) close(file_);
      file_ = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
      thread_ = thread;
    }
    std::array<char, 80> text{};
    const ssize_t got = file_ >= 0 ? pread(file_, text.data(), text.size(), 0) : -1;
    if (got <= 0) return -1;
    const char* const begin = text.data();
    const char* const end = begin + got;
    const char* const blank = std::find(begin, end, ' ');
    std::uint64_t waited_ns = 0;
    if (blank == end || std::from_chars(blank + 1, end, waited_ns).ec != std::errc()) return -1;
    // A system without these times has "0 0 0" for a running thread.
    if (waited_ns == 0 && std::string_view(begin, 2) == "0 ") return -1;
    return static_cast<double>(waited_ns) * 1e-9;
  }

 private:
  int file_ = -1;
  pid_t thread_ = 0;
};

class ChildrenFile {
 public:
  ChildrenFile() = default;
  ChildrenFile(const ChildrenFile&) = delete;
  ChildrenFile& operator=(const ChildrenFile&) = delete;
  ~ChildrenFile() {
    if (file_ >= 0) close(file_);
  }
  std::size_t read(char* text, std::size_t bytes) {
    if (const pid_t own = getpid(); own != process_) {
      if (file_ >= 0) close(file_);
      const std::string folder = "/proc/self/task/" + std::to_string(own);
      file_ = open((folder + "/children").c_str(), O_RDONLY | O_CLOEXEC);
      process_ = own;
    }
    const ssize_t got = file_ >= 0 ? pread(file_, text, bytes, 0) : 0;
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

 private:
  int file_ = -1;
  pid_t process_ = 0;
};

}  // namespace

ThreadSchedule schedule_of_this_thread() {
  static thread_local ScheduleFile file;
  return {seconds_on(CLOCK_THREAD_CPUTIME_ID).value_or(-1), file.waited_s(),
          seconds_on(CLOCK_PROCESS_CPUTIME_ID).value_or(-1), seconds_on(CLOCK_MONOTONIC).value_or(-1)};
}

std::string children_of_first_thread() {
  static ChildrenFile file;
  std::array<char, 1024> text{};  // as many as 100
  return {text.data(), file.read(text.data(), text.size())};
}

ChildrenUse use_of_children() {
  rusage ended{};
  ChildrenUse out;
  if (getrusage(RUSAGE_CHILDREN, &ended) == 0)
    out = {cpu_seconds(ended), static_cast<std::uint64_t>(ended.ru_nivcsw)};
  const std::string text = children_of_first_thread();
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    int child = 0;
    const auto number = std::from_chars(at, end, child);
    if (number.ec != std::errc()) break;
    clockid_t clock{};
    if (clock_getcpuclockid(child, &clock) == 0) out.cpu_s += seconds_on(clock).value_or(0);
    at = number.ptr + 1;
  }
  return out;
}

std::vector<ThreadWait> thread_waits() {
  std::vector<ThreadWait> out;
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/task", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const int file = open((at->path() / "schedstat").c_str(), O_RDONLY | O_CLOEXEC);
    std::array<char, 96> text{};
    const ssize_t got = file < 0 ? -1 : read(file, text.data(), text.size() - 1);
    if (file >= 0) close(file);
    std::array<std::uint64_t, 3> numbers{};
    const char* from = text.data();
    const char* const to = from + std::max<ssize_t>(got, 0);
    for (std::uint64_t& number : numbers) {
      while (from < to && *from == ' ') ++from;
      from = std::from_chars(from, to, number).ptr;
    }
    int thread = 0;
    if (got <= 0 || std::from_chars(name.data(), name.data() + name.size(), thread).ec != std::errc())
      continue;
    out.push_back({thread, static_cast<double>(numbers[0]) * 1e-9, static_cast<double>(numbers[1]) * 1e-9,
                   numbers[2]});
  }
  return error ? std::vector<ThreadWait>() : out;
}

std::optional<ThreadTimes> thread_times() {
  ThreadTimes out;
  const auto first = process_seconds();
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/task", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec != std::errc()) continue;
    if (const auto used = seconds_on(clock_of(thread))) out.threads.emplace_back(thread, *used);
  }
  const auto last = process_seconds();
  if (error || out.threads.empty() || !first || !last) return std::nullopt;
  out.process_first_s = first->all_s;
  out.process_last_s = last->all_s;
  out.ended_children_s = first->ended_children_s;
  out.children = has_children();
  return out;
}

}  // namespace kernsweep
