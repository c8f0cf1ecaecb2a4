#include "cli/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kKept = 64 * 1024;

// Appends available bytes, keeps at least the last 64 KiB; false at the end of the stream or on an error.
bool read_some(int from, std::string& into) {
  char bytes[4096];
  const ssize_t got = read(from, bytes, sizeof bytes);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  into.append(bytes, static_cast<std::size_t>(got));
  if (into.size() > 2 * kKept) into.erase(0, into.size() - kKept);
  return got > 0;
}

// Resets the signals that this process handles to their defaults; but not SIGHUP, so that nohup works.
void set_attributes(posix_spawnattr_t& attributes) {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&ours, number);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &ours);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
}

}  // namespace

Status Program::start(const ProgramCall& call) {
  std::vector<std::string> words = call.words;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);

  int output[2] = {-1, -1};
  int errors[2] = {-1, -1};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int failed = 0;
  if (!call.shown) {
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(errors, O_CLOEXEC) != 0) failed = errno;
    posix_spawn_file_actions_adddup2(&actions, output[1], 1);
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
  }
  if (call.input >= 0) {
    posix_spawn_file_actions_adddup2(&actions, call.input, 0);
  } else {
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  }
  posix_spawnattr_t attributes;
  set_attributes(attributes);
  pid_t child = -1;
  if (failed == 0)
    failed = posix_spawnp(&child, pointers[0], &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  for (const int end : {output[1], errors[1]}) {
    if (end >= 0) close(end);
  }
  streams_[0] = output[0];
  streams_[1] = errors[0];
  if (failed == 0) {
    const std::lock_guard lock(reaping_);
    pid_ = child;
    return Done{};
  }
  for (const int end : streams_) {
    if (end >= 0) close(end);
  }
  return failure("cannot start " + call.words[0] + ": " + std::strerror(failed));
}

ProgramEnding Program::wait() {
  KS_ASSERT(pid_ > 0);
  ProgramEnding ending;
  std::string* texts[] = {&ending.output, &ending.errors};
  pollfd watched[] = {{streams_[0], POLLIN, 0}, {streams_[1], POLLIN, 0}};
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    poll(watched, 2, -1);
    for (int i = 0; i < 2; ++i) {
      if (watched[i].fd < 0 || watched[i].revents == 0 || read_some(watched[i].fd, *texts[i])) continue;
      close(watched[i].fd);
      watched[i].fd = -1;
    }
  }
  // Waits without reaping, then reaps under the lock: so signal() never sends to a reused pid.
  siginfo_t ended;
  while (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  const std::lock_guard lock(reaping_);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  ending.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return ending;
}

void Program::signal(int number) {
  const std::lock_guard lock(reaping_);
  if (pid_ > 0) kill(pid_, number);
}

Result<ProgramEnding> run_program(const ProgramCall& call) {
  Program program;
  KS_RETURN_IF_ERROR(program.start(call));
  return program.wait();
}

std::optional<std::string> find_program(const std::string& name) {
  const char* listed = std::getenv("PATH");
  std::string rest = listed != nullptr ? listed : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string path = rest.substr(0, colon) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return std::nullopt;
}

std::string last_lines(const std::string& text, std::size_t lines, const std::string& margin) {
  const auto end = text.find_last_not_of("\r\n");
  if (end == std::string::npos) return "";
  std::size_t from = end + 1;
  for (std::size_t i = 0; i < lines && from > 0; ++i) {
    const auto before = text.rfind('\n', from - 1);
    from = before == std::string::npos ? 0 : before;
  }
  std::string out = margin;
  for (std::size_t at = text[from] == '\n' ? from + 1 : from; at <= end; ++at) {
    if (text[at] == '\r') continue;
    out += text[at];
    if (text[at] == '\n') out += margin;
  }
  return out;
}

}  // namespace kernsweep
