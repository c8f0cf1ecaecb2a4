#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "shared/base/installation.hpp"
#include "shared/base/try.hpp"
#include "worker/host/programs.hpp"
#include "worker/slot/isolated/isolated_process.hpp"
#include "worker/slot/isolated/isolation.hpp"
#include "worker/slot/python/interpreter.hpp"
#include "worker/slot/watch/linux_usage.hpp"

namespace kernsweep {
namespace {

constexpr int kSocket = 3;  // in the isolated process

// After the fork of a process with threads: async-signal-safe calls only.
[[noreturn]] void become_isolated(int socket, pid_t parent, const char* program, char* const* words) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // In a namespace of its own the process does not see its parent, and reads 0.
  const pid_t seen = getppid();
  if (seen != 0 && seen != parent) _exit(1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(2, 1) < 0 || dup2(socket, kSocket) < 0) _exit(1);
  fcntl(kSocket, F_SETFD, 0);
  close_range(kSocket + 1, ~0U, 0);
  char byte = 0;  // until the parent has written the user's number into the namespace
  while (recv(kSocket, &byte, 1, 0) < 0 && errno == EINTR) {
  }
  execv(program, words);
  _exit(1);
}

bool write_file(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return done;
}

// Inside, the user and the group have the numbers that they have outside.
bool keep_user(pid_t process) {
  const std::string about = "/proc/" + std::to_string(process) + "/";
  const std::string user = std::to_string(geteuid()), group = std::to_string(getegid());
  write_file(about + "setgroups", "deny");
  return write_file(about + "uid_map", user + " " + user + " 1") &&
         write_file(about + "gid_map", group + " " + group + " 1");
}

pid_t fork_with(int flags) {
  return static_cast<pid_t>(syscall(SYS_clone, static_cast<unsigned long>(flags | SIGCHLD), 0, 0, 0, 0));
}

void end_and_reap(pid_t process) {
  kill(-process, SIGKILL);
  kill(process, SIGKILL);
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Whether it ends within a second.
bool ends_soon(pid_t process) {
  for (int waited_ms = 0; waited_ms < 1000; ++waited_ms) {
    siginfo_t how{};
    const int looked = waitid(P_PID, static_cast<id_t>(process), &how, WEXITED | WNOWAIT | WNOHANG);
    if (looked == 0 && how.si_pid == process) return true;
    poll(nullptr, 0, 1);
  }
  return false;
}

std::vector<std::string> readable_for(const std::string& pack) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> out = {fs::path(slot_program()).parent_path().string(),
                                  fs::path(pack).parent_path().string(), fs::current_path(error).string()};
  // A Python has its modules next to the folder of its program; the target of an environment's link has
  // further ones.
  const std::string python = needs_interpreter(pack) ? find_interpreter() : "";
  if (!python.empty()) out.push_back(installation_folder() + "/share/kernsweep/python");
  for (const fs::path& path : {fs::path(python), fs::weakly_canonical(python, error)})
    if (!python.empty()) out.push_back(path.parent_path().parent_path().string());
  for (const char* name : {"PYTHONPATH", "VIRTUAL_ENV", "PATH", "LD_LIBRARY_PATH"}) {
    const char* const value = std::getenv(name);
    for (std::string_view rest = value ? value : ""; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find(':'));
      if (!part.empty()) out.emplace_back(part);
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
  }
  return out;
}

}  // namespace

Status IsolatedProcess::launch(const std::string& pack) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return failure("no process can be isolated: " + std::string(std::strerror(errno)));
  constexpr int kBuffer = static_cast<int>(kIsolatedMessageMax) * 2;
  for (const int end : ends) setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kBuffer, sizeof kBuffer);
  std::string program = slot_program(), option = "--isolated", file = pack;
  char* const words[] = {program.data(), option.data(), file.data(), nullptr};
  const pid_t parent = getpid();
  for (const int flags : {namespaces_for_isolation(), 0}) {
    pid_ = fork_with(flags);
    if (pid_ == 0) become_isolated(ends[1], parent, program.c_str(), words);
    own_processes_ = flags != 0;
    if (pid_ > 0 && flags != 0 && !keep_user(pid_)) {
      end_and_reap(pid_);
      pid_ = -1;
    }
    if (pid_ > 0) break;
  }
  const int error = errno;
  close(ends[1]);
  socket_ = ends[0];
  if (pid_ < 0) return failure("no process can be isolated: " + std::string(std::strerror(error)));
  setpgid(pid_, pid_);
  if (send(socket_, "", 1, MSG_NOSIGNAL) != 1) return tl::unexpected(how_it_ended());
  return Done{};
}

Result<std::unique_ptr<IsolatedProcess>> IsolatedProcess::start(const std::string& pack,
                                                                const std::string& family,
                                                                const std::vector<std::string>& readable) {
  if (const auto missing = isolation_missing()) return failure(*missing);
  std::unique_ptr<IsolatedProcess> out(new IsolatedProcess);
  if (!out->folder_.flaw().empty()) return failure(out->folder_.flaw());
  KS_RETURN_IF_ERROR(out->launch(pack));
  wire::IsolatedSetup setup;
  setup.set_pack(pack);
  setup.set_family(family);
  for (const std::string& path : readable_for(pack)) setup.add_readable(path);
  for (const std::string& path : readable) setup.add_readable(path);
  setup.set_writable(out->folder_.path().string());
  setup.set_own_processes(out->own_processes_);
  const std::string bytes = setup.SerializeAsString();
  if (send(out->socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0)
    return tl::unexpected(out->how_it_ended());
  out->buffer_.resize(kIsolatedMessageMax);
  // The first answer comes before the process has loaded foreign code.
  wire::IsolatedFamily isolated;
  for (wire::IsolatedFamily* const message : {&isolated, &out->family_}) {
    const ssize_t got = recv(out->socket_, out->buffer_.data(), out->buffer_.size(), 0);
    if (got <= 0 || !message->ParseFromArray(out->buffer_.data(), static_cast<int>(got)))
      return tl::unexpected(out->how_it_ended());
    if (!message->error().empty()) return failure(message->error());
  }
  out->isolation_ = isolated.isolation() +
                    (out->own_processes_ ? ", namespaces of users, processes, IPC and the network" : "");
  KS_RETURN_IF_ERROR(out->stop());
  return out;
}

IsolatedProcess::~IsolatedProcess() {
  if (socket_ >= 0) close(socket_);
  if (pid_ > 0) end_and_reap(pid_);
}

// Returns when all of its threads are stopped.
Status IsolatedProcess::stop() {
  if (kill(-pid_, SIGSTOP) != 0) return tl::unexpected(how_it_ended());
  siginfo_t how{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &how, WSTOPPED | WEXITED | WNOWAIT) != 0)
    if (errno != EINTR) return failure("the isolated process cannot be waited for");
  if (how.si_code != CLD_STOPPED) return tl::unexpected(how_it_ended());
  waitid(P_PID, static_cast<id_t>(pid_), &how, WSTOPPED);
  stopped_at_cpu_s_ = cpu_seconds_of(pid_);
  return Done{};
}

Error IsolatedProcess::how_it_ended() {
  const std::string who = "the isolated process ";
  if (pid_ <= 0) return {who + "has ended"};
  siginfo_t how{};
  kill(pid_, SIGCONT);
  const bool ended = ends_soon(pid_);
  kill(pid_, SIGKILL);
  while (waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED) != 0 && errno == EINTR) {
  }
  kill(-pid_, SIGKILL);
  pid_ = -1;
  if (how.si_code == CLD_EXITED) return {who + "exited with status " + std::to_string(how.si_status)};
  if (how.si_status == SIGKILL && !ended) return {who + "gave no valid answer and was killed"};
  // The worker uses the same text for a slot.
  if (how.si_status == SIGKILL)
    return {who + "was killed by SIGKILL, not by us: most likely memory ran out; see 'dmesg'"};
  killed_by_ = how.si_status;
  const char* const name = sigabbrev_np(how.si_status);
  return {who + "was killed by SIG" + (name ? name : std::to_string(how.si_status))};
}

Result<wire::IsolatedAnswer> IsolatedProcess::ask(wire::IsolatedTask& task,
                                                  const std::vector<int>& descriptors) {
  if (pid_ <= 0) return tl::unexpected(how_it_ended());
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    return failure("no random number can be drawn");
  task.set_number(number);
  const std::string bytes = task.SerializeAsString();
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  std::array<char, CMSG_SPACE(sizeof(int) * kIsolatedDescriptorsMax)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    if (descriptors.size() > kIsolatedDescriptorsMax)
      return failure("a point has more operands than can be passed");
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
    std::memcpy(CMSG_DATA(head), descriptors.data(), sizeof(int) * descriptors.size());
  }
  if (sendmsg(socket_, &message, MSG_NOSIGNAL) < 0) return tl::unexpected(how_it_ended());
  // The task is in its socket. The process can do nothing before this moment, and has done nothing since it
  // was stopped.
  constexpr double kReadingError = 200e-6;  // a thread counts as stopped shortly before it is
  if (cpu_seconds_of(pid_) > stopped_at_cpu_s_ + kReadingError)
    return failure("the isolated process used processor time while it was stopped");
  const Instant begun = monotonic_now();
  kill(-pid_, SIGCONT);
  pollfd answered{socket_, POLLIN, 0};
  while (poll(&answered, 1, -1) < 0 && errno == EINTR) {
  }
  // The time includes everything until the process is stopped, so an answer that is sent early, or is long,
  // gains nothing.
  KS_RETURN_IF_ERROR(stop());
  took_ = monotonic_now() - begun;
  const ssize_t got = recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  wire::IsolatedAnswer answer;
  if (got <= 0 || !answer.ParseFromArray(buffer_.data(), static_cast<int>(got)) ||
      answer.number() != number)
    return tl::unexpected(how_it_ended());
  return answer;
}

Status IsolatedProcess::read(std::uint64_t address, void* out, std::size_t bytes) const {
  auto* to = static_cast<char*>(out);
  while (bytes > 0) {
    iovec here{to, bytes};
    iovec there{reinterpret_cast<void*>(address), bytes};
    const ssize_t got = process_vm_readv(pid_, &here, 1, &there, 1, 0);
    if (got <= 0)
      return failure("its memory at the output cannot be read: " + std::string(std::strerror(errno)));
    to += got;
    address += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return Done{};
}

}  // namespace kernsweep
