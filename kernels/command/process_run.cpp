#include "kernels/command/process_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "kernels/command/start.hpp"

namespace kernsweep::command {
namespace {

constexpr std::size_t kChunk = 64 << 10;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  void reset(int number = -1) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

bool make_pipe(Descriptor& read_end, Descriptor& write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
  return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

// A program that prints more than a pipe holds waits for its reader, which needs a core. So its pipe is
// made as large as the system permits; without permission its size stays the same.
void make_large(const Descriptor& pipe) {
  constexpr int kMostWithoutPrivilege = 1 << 20;
  fcntl(pipe.number(), F_SETPIPE_SZ, kMostWithoutPrivilege);
}

// Set by SIGQUIT, which the worker sends before it ends a slot whose job takes too long. It also ends a
// call that waits, with EINTR.
volatile sig_atomic_t is_asked = 0;

// Reads until the pipe is empty, or the worker requests the state.
template <class Take>
void drain(int descriptor, Take take) {
  static thread_local std::array<char, kChunk> chunk;
  while (true) {
    const ssize_t got = read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    take(std::string_view(chunk.data(), static_cast<std::size_t>(got)));
    if (is_asked != 0) return;  // the pipe of a program that prints without end is never empty
    // A short read has emptied the pipe: another call would read nothing.
    if (static_cast<std::size_t>(got) < chunk.size()) return;
  }
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// The last line without blanks at its end; empty if there is none.
std::string last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return "";
  text = text.substr(0, end + 1);
  const auto newline = text.find_last_of('\n');
  return std::string(newline == std::string_view::npos ? text : text.substr(newline + 1));
}

std::string signal_text(int number) {
  const char* const name = sigabbrev_np(number);
  const char* const text = sigdescr_np(number);
  return name ? "SIG" + std::string(name) + (text ? " (" + std::string(text) + ")" : "")
              : "signal " + std::to_string(number);
}

// Set when this process continues after a stop.
volatile sig_atomic_t has_continued = 0;

void note_signals() {
  struct sigaction noted {};
  noted.sa_handler = [](int) { is_asked = 1; };
  sigaction(SIGQUIT, &noted, nullptr);
  noted.sa_handler = [](int) { has_continued = 1; };
  sigaction(SIGCONT, &noted, nullptr);
}

bool is_stopped(int pid) {
  siginfo_t found{};
  return waitid(P_PID, static_cast<id_t>(pid), &found, WSTOPPED | WNOHANG) == 0 && found.si_pid == pid;
}

bool ended_by_a_stop(int status) {
  constexpr int kAsAShellTellsIt = 128;
  const int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - kAsAShellTellsIt;
  return number == SIGTERM || number == SIGHUP;
}

// A batch system signals the processes of a job one after the other. The slot notes the signal and checks
// after the run whether it has arrived, so this waits until it may have.
void await_own_stop() {
  constexpr int kMilliseconds = 50;
  poll(nullptr, 0, kMilliseconds);  // a signal ends it
}

// proc(5), schedstat: times of the first thread of a process, in seconds.
struct Schedule {
  double ran_s = 0, waited_s = 0;
};

// Of a process that has ended and was not waited for. Nothing: the system does not have it.
std::optional<Schedule> schedule_of(int pid) {
  std::array<char, 80> text{};
  std::snprintf(text.data(), text.size(), "/proc/%d/schedstat", pid);
  const Descriptor file(open(text.data(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = file.number() < 0 ? -1 : read(file.number(), text.data(), text.size());
  if (got <= 0) return std::nullopt;
  const char* const end = text.data() + got;
  std::uint64_t ran_ns = 0, waited_ns = 0;
  const auto ran = std::from_chars(text.data(), end, ran_ns);
  if (ran.ec != std::errc() || ran.ptr == end || ran_ns == 0) return std::nullopt;
  if (std::from_chars(ran.ptr + 1, end, waited_ns).ec != std::errc()) return std::nullopt;
  return Schedule{static_cast<double>(ran_ns) * 1e-9, static_cast<double>(waited_ns) * 1e-9};
}

double processor_seconds(const rusage& usage) {
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

}  // namespace

ProcessRun::ProcessRun(std::string program, std::vector<std::string> words)
    : program_(std::move(program)), words_(std::move(words)) {
  for (std::string& word : words_) argv_.push_back(word.data());
  argv_.push_back(nullptr);
}

bool ProcessRun::begin(int out, int errors, int& pid) {
  static Descriptor nothing;
  if (nothing.number() < 0) {
    nothing.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
    note_signals();  // the first start finds the signals that a program must not inherit
  }
  if (nothing.number() < 0) {
    failure_ = "/dev/null cannot be opened: " + std::string(strerror(errno));
    return false;
  }
  pid = start_program(program_.c_str(), argv_.data(), {nothing.number(), out, errors});
  if (pid < 0) failure_ = "the command could not be started: " + std::string(strerror(errno));
  return pid >= 0;
}

void ProcessRun::read_until_end(int pid, int out, int errors, Report& report) {
  // glibc 2.36 declares pidfd_open without C linkage.
  const Descriptor ended(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (ended.number() < 0) {
    failure_ = "the command's end cannot be waited for: " + std::string(strerror(errno)) +
               "; raise 'ulimit -n', or allow pidfd_open in the container's seccomp profile";
    kill(pid, SIGKILL);
    return;
  }
  const auto take_output = [&](std::string_view bytes) { report.add(bytes); };
  const auto take_errors = [&](std::string_view bytes) {
    write_all(2, bytes);
    said_ += bytes;
    if (said_.size() > 2 * kept_errors_) said_.erase(0, said_.size() - kept_errors_);
  };
  // This process keeps the write ends open, so that a program that closes its pipes at its end causes only
  // one wake-up, by its descriptor. That is checked before the pipes are read, so all output of the program
  // is read; background processes may write more.
  std::array<pollfd, 3> watched = {{{ended.number(), POLLIN, 0}, {out, POLLIN, 0}, {errors, POLLIN, 0}}};
  bool over = false;
  constexpr int kLookMs = 250;
  while (!over) {
    const int ready = poll(watched.data(), watched.size(), kLookMs);
    if (ready == 0) was_stopped_ = was_stopped_ || is_stopped(pid);
    if (ready < 0 && errno != EINTR) break;
    if (std::exchange(is_asked, 0) != 0) say_last_lines(report);
    if (ready < 0) continue;
    over = watched[0].revents != 0;
    if (watched[1].revents != 0) drain(out, take_output);
    if (watched[2].revents != 0) drain(errors, take_errors);
  }
}

// Writes to the slot's own stderr, where the worker reads it (worker/process/last_words.hpp).
void ProcessRun::say_last_lines(const Report& report) const {
  std::string text;
  const auto add = [&](const char* stream, std::string_view printed) {
    constexpr std::size_t kShown = 200;
    const std::string line = last_line(printed);
    if (line.empty()) return;
    text += (text.empty() ? "the program's last line on " : "; on ") + std::string(stream) + ": " +
            line.substr(0, kShown) + (line.size() > kShown ? "..." : "");
  };
  add("stdout", report.output());
  add("stderr", said_);
  const bool has_begun_a_line = !said_.empty() && said_.back() != '\n';
  if (text.empty()) text = "the program has printed nothing";
  write_all(2, (has_begun_a_line ? "\nkernsweep: " : "kernsweep: ") + text + "\n");
}

void ProcessRun::end_with(int status) {
  if (const int error = start_error()) {
    failure_ = "the command could not be started: " + std::string(strerror(error));
    if (error == ENOEXEC) failure_ += "; a script begins with a line such as #!/bin/sh";
    if (error == ENOENT) failure_ += "; the program, or what its first line names, is gone";
    return;
  }
  static bool last_ended_well = true;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    last_ended_well = true;
    return;
  }
  failure_ = WIFSIGNALED(status) ? "the command was killed by " + signal_text(WTERMSIG(status))
                                 : "the command exited with status " + std::to_string(WEXITSTATUS(status));
  // A program that is signalled may end with any status. If several runs in a row fail, only the first
  // failure waits: their cause is not a signal.
  if (std::exchange(last_ended_well, false) || ended_by_a_stop(status)) await_own_stop();
  const std::string words = last_line(said_);
  const std::string first = said_.substr(0, said_.find('\n'));
  constexpr std::size_t kShown = 500;
  const auto shown = [](const std::string& line) {
    return line.substr(0, kShown) + (line.size() > kShown ? "..." : "");
  };
  const bool is_complete = said_.size() < kept_errors_;
  if (is_complete && first != words && first.find_first_not_of(" \t\r") != std::string::npos)
    failure_ += "; its first line on stderr: " + shown(first);
  if (!words.empty()) failure_ += "; its last line on stderr: " + shown(words);
}

// Returns its status. The waiting time of other threads and processes of the program is not known, so the
// total is not known either if they did more than a thousandth of the work, or more than the error of two
// readings; nor for a run below 2 ms.
int ProcessRun::wait_for(int pid) {
  constexpr double kOthersS = 50e-6, kOthersShare = 1e-3;
  constexpr double kShortS = 2e-3;  // the readings take 10 to 20 us, which would be a part of such a run
  const std::optional<Schedule> first = wall_s_ < kShortS ? std::nullopt : schedule_of(pid);
  int status = 0;
  rusage all{};
  while (wait4(pid, &status, 0, &all) < 0 && errno == EINTR) {
  }
  const double all_s = processor_seconds(all);
  const bool is_alone = first && all_s - first->ran_s <= std::max(kOthersS, kOthersShare * all_s);
  waited_s_ = is_alone ? first->waited_s : -1;
  return status;
}

const std::string& ProcessRun::run(Report& report) {
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    was_stopped_ = false;
    has_continued = 0;
    run_once(report);
    was_stopped_ = was_stopped_ || has_continued != 0;
    if (!was_stopped_ || !failure_.empty()) return failure_;
  }
  failure_ = "the command was stopped and continued in each of " + std::to_string(kTries) + " runs";
  return failure_;
}

void ProcessRun::run_once(Report& report) {
  failure_.clear();
  said_.clear();
  report.clear();
  Descriptor out, out_end, errors, errors_end;
  const auto start = std::chrono::steady_clock::now();
  if (!make_pipe(out, out_end) || !make_pipe(errors, errors_end)) {
    failure_ = "no pipe to the command: " + std::string(strerror(errno)) + "; raise 'ulimit -n'";
    return;
  }
  if (prints_much_) make_large(out);
  int pid = -1;
  if (!begin(out_end.number(), errors_end.number(), pid)) return;
  read_until_end(pid, out.number(), errors.number(), report);
  wall_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const int status = wait_for(pid);
  report.finish();
  prints_much_ = report.output().size() >= kChunk / 2;
  if (failure_.empty()) end_with(status);
}

}  // namespace kernsweep::command
