#include "worker/process/process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "shared/base/shared_memory.hpp"
#include "worker/process/orphans.hpp"
#include "worker/slot/phase_board.hpp"

namespace kernsweep {
namespace {

constexpr int kSetupDescriptor = 3;

// A sanitizer reserves terabytes of address space for its shadow, which exceeds RLIMIT_DATA.
#ifdef KERNSWEEP_SANITIZED
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

// All data that the child needs, prepared before fork: after it, only async-signal-safe calls are allowed.
struct Prepared {
  std::vector<char*> argv;
  std::vector<char*> envp;
  cpu_set_t cpus;
  bool bind = false;
  int setup = -1;
  int errors = -1;
  int output = -1;
  pid_t parent = -1;
};

void limit(decltype(RLIMIT_CORE) resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(resource, &both);
}

void prefer_as_victim() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t written = write(file, "1000", 4);
  (void)written;
  close(file);
}

// Writes the reason to the worker's pipe for stderr, because the exit status is the same for all of them.
[[noreturn]] void cannot_begin(const Prepared& prepared, std::string_view what) {
  const int errors = prepared.errors >= 0 ? prepared.errors : 2;
  const ssize_t written = write(errors, what.data(), what.size());
  (void)written;
  _exit(kCannotExecute);
}

// Sets descriptors 0, 1 and 2, the setup and the board, and closes all others.
void set_streams(const Launch& launch, const Prepared& prepared) {
  const int null = open("/dev/null", O_RDWR);
  if (null < 0 || dup2(null, 0) < 0) cannot_begin(prepared, "/dev/null cannot be opened\n");
  const bool spoken = (prepared.errors < 0 || dup2(prepared.errors, 2) >= 0) &&
                      dup2(prepared.output >= 0 ? prepared.output : 2, 1) >= 0;
  // Copies the board to a high number first: board and setup may have each other's number.
  constexpr int kAbove = 16;
  const int board = launch.board < 0 ? -1 : fcntl(launch.board, F_DUPFD, kAbove);
  unsigned first_closed = kSetupDescriptor;
  bool given = launch.board < 0 || board >= 0;
  if (prepared.setup >= 0) {
    given = given && dup2(prepared.setup, kSetupDescriptor) >= 0;
    fcntl(kSetupDescriptor, F_SETFD, 0);  // if source and target are equal, dup2 does not clear it
    first_closed = kSetupDescriptor + 1;
    if (board >= 0) {
      given = given && dup2(board, kBoardDescriptor) >= 0;
      first_closed = kBoardDescriptor + 1;
    }
  }
  if (!spoken || !given)
    cannot_begin(prepared,
                 "the file descriptors of the process cannot be set up; raise 'ulimit -n' of the worker\n");
  close_range(first_closed, ~0U, 0);
}

[[noreturn]] void become(const Launch& launch, const Prepared& prepared) {
  setpgid(0, 0);
  if (launch.dies_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != prepared.parent) _exit(kCannotExecute);  // the parent has ended in between
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) signal(SIGHUP, SIG_DFL);
  if (prepared.bind && sched_setaffinity(0, sizeof prepared.cpus, &prepared.cpus) != 0)
    cannot_begin(prepared, "it cannot be bound to its cores\n");
  limit(RLIMIT_CORE, 0);
  if (kLimitsMemory && launch.data_bytes_max > 0) limit(RLIMIT_DATA, launch.data_bytes_max);
  if (launch.dies_with_parent) prefer_as_victim();
  set_streams(launch, prepared);
  execve(prepared.argv[0], prepared.argv.data(), prepared.envp.data());
  _exit(kCannotExecute);
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

bool make_pipe(Pipe& out) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  out = {ends[0], ends[1]};
  return fcntl(out.read_end, F_SETFL, O_NONBLOCK) == 0;
}

void close_all(std::initializer_list<int> descriptors) {
  for (const int descriptor : descriptors) {
    if (descriptor >= 0) close(descriptor);
  }
}

// Returns a descriptor that becomes readable when the process ends; -1 with errno on failure. If the system
// denies pidfd_open (seccomp profiles of older containers), a thread waits for the end and writes to a
// pipe.
int watch_for_end(pid_t pid) {
  // glibc 2.36 declares pidfd_open without C linkage.
  const int own = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (own >= 0) return own;
  Pipe end_pipe;
  if (!make_pipe(end_pipe)) return -1;
  try {
    std::thread([pid, end = end_pipe.write_end] {
      siginfo_t how;
      while (waitid(P_PID, static_cast<id_t>(pid), &how, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
      }
      const ssize_t written = write(end, "", 1);
      (void)written;  // the reader is gone, or closing the pipe makes it readable
      close(end);
    }).detach();
  } catch (const std::system_error& error) {
    close_all({end_pipe.read_end, end_pipe.write_end});
    errno = error.code().value();
    return -1;
  }
  return end_pipe.read_end;
}

}  // namespace

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
  close_all({exited_, errors_, output_});
}

void Child::kill_group() const {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);  // the group may not exist yet
}

void Child::ask_what_it_does() const {
  if (pid_ > 0) kill(pid_, SIGQUIT);
}

bool Child::group_is_gone() const {
  return pid_ <= 0 || (kill(-pid_, 0) != 0 && errno == ESRCH);
}

std::optional<Child::Ending> Child::reap() {
  int status = 0;
  if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  forget_child(std::exchange(pid_, -1));
  if (WIFSIGNALED(status)) return Ending{true, WTERMSIG(status)};
  return Ending{false, WEXITSTATUS(status)};
}

Result<Child> launch(const Launch& launch) {
  Prepared prepared;
  prepared.parent = getpid();
  std::vector<std::string> words = {launch.program};
  words.insert(words.end(), launch.arguments.begin(), launch.arguments.end());
  std::vector<std::string> environment = launch.environment;
  for (auto& word : words) prepared.argv.push_back(word.data());
  for (auto& variable : environment) prepared.envp.push_back(variable.data());
  prepared.argv.push_back(nullptr);
  prepared.envp.push_back(nullptr);
  CPU_ZERO(&prepared.cpus);
  for (const std::uint32_t cpu : launch.cpus) CPU_SET(cpu, &prepared.cpus);
  prepared.bind = !launch.cpus.empty();

  Pipe errors;
  Pipe output;
  const bool piped =
      (launch.inherit_errors || make_pipe(errors)) && (!launch.capture_output || make_pipe(output));
  if (piped && launch.setup) prepared.setup = memory_file(*launch.setup);
  if (!piped || (launch.setup && prepared.setup < 0)) {
    const std::string reason = std::strerror(errno);
    close_all({errors.read_end, errors.write_end, output.read_end, output.write_end});
    return failure("cannot start " + launch.program + ": " + reason +
                   "; raise 'ulimit -n' if descriptors ran out");
  }
  prepared.errors = errors.write_end;
  prepared.output = output.write_end;

  pid_t pid = -1;
  int fork_error = 0;
  {
    const MakingChild making;
    pid = fork();
    if (pid == 0) become(launch, prepared);
    fork_error = errno;
    if (pid > 0) making.made(pid);
  }
  close_all({prepared.setup, errors.write_end, output.write_end});
  if (pid < 0) {
    close_all({errors.read_end, output.read_end});
    return failure("cannot start " + launch.program + ": " + std::strerror(fork_error));
  }
  setpgid(pid, pid);  // parent and child do it, so that the group exists from the first moment
  const int exited = watch_for_end(pid);
  if (exited < 0) {
    const std::string reason = std::strerror(errno);
    kill(pid, SIGKILL);
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    forget_child(pid);
    close_all({errors.read_end, output.read_end});
    return failure("the end of " + launch.program + " cannot be waited for: " + reason +
                   "; raise 'ulimit -n', or allow pidfd_open in the container's seccomp profile");
  }
  return Child(pid, exited, errors.read_end, output.read_end);
}

std::string describe(const Child::Ending& ending) {
  if (!ending.signalled) return "exited with status " + std::to_string(ending.number);
  const char* name = sigabbrev_np(ending.number);
  const char* text = sigdescr_np(ending.number);
  return "killed by SIG" + std::string(name ? name : std::to_string(ending.number).c_str()) +
         (text ? " (" + std::string(text) + ")" : "");
}

}  // namespace kernsweep
