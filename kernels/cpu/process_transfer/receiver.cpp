#include "kernels/cpu/process_transfer/receiver.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

namespace kernsweep::process_transfer {
namespace {

constexpr int kPipeBytes = 1 << 20;  // the most that a user without privileges gets (pipe-max-size)

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void close_one(int& file) noexcept {
  if (file >= 0) close(file);
  file = -1;
}

// During its lifetime, a pipe whose other end is closed sends this thread no SIGPIPE, which would end the
// slot.
class PipeSignalBlocked {
 public:
  explicit PipeSignalBlocked(bool is_pipe) noexcept : is_pipe_(is_pipe) {
    if (!is_pipe_) return;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalBlocked() {
    if (!is_pipe_ || sigismember(&before_, SIGPIPE) == 1) return;
    constexpr timespec kNow{};
    while (sigtimedwait(&pipe_, nullptr, &kNow) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalBlocked(PipeSignalBlocked&&) = delete;

 private:
  bool is_pipe_;
  sigset_t pipe_{}, before_{};
};

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  file_ = memfd_create("kernsweep-transfer", MFD_CLOEXEC);
  void* made = MAP_FAILED;
  if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(bytes)) == 0)
    made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (made == MAP_FAILED) {
    close_one(file_);
    throw std::bad_alloc();
  }
  data_ = static_cast<std::byte*>(made);
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
  close_one(file_);
}

Channel::Channel(Kind kind) : kind_(kind) {
  int ends[2];
  if (kind == Kind::pipe) {
    if (pipe2(ends, O_CLOEXEC) != 0) fail("a pipe cannot be made");
    fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);  // if not, it is smaller and slower
  } else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    fail("a Unix socket cannot be made");
  }
  receiver_ = ends[0];
  sender_ = ends[1];
}

Channel::~Channel() {
  close_sender();
  close_receiver();
}

void Channel::close_sender() noexcept {
  close_one(sender_);
}

void Channel::close_receiver() noexcept {
  close_one(receiver_);
}

bool Channel::send(std::span<const std::byte> bytes) const noexcept {
  const PipeSignalBlocked blocked(kind_ == Kind::pipe);
  while (!bytes.empty()) {
    const ssize_t sent = kind_ == Kind::pipe ? write(sender_, bytes.data(), bytes.size())
                                             : ::send(sender_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Channel::receive(std::span<std::byte> bytes) const noexcept {
  while (!bytes.empty()) {
    const ssize_t got = read(receiver_, bytes.data(), bytes.size());
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

Receiver::Receiver() {
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) fail("no process can be started");
  if (process_ > 0) {
    orders_.close_receiver();
    answers_.close_sender();
    return;
  }
  sigset_t stops;  // a batch system signals every process of a job; a slot survives that
  sigemptyset(&stops);
  for (const int number : {SIGTERM, SIGHUP}) sigaddset(&stops, number);
  sigprocmask(SIG_BLOCK, &stops, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  orders_.close_sender();
  answers_.close_receiver();
}

Receiver::Receiver(const Work& work) : Receiver() {
  if (process_ > 0) return;
  std::byte order{};
  while (orders_.receive({&order, 1}) && work(static_cast<char>(order)) && answers_.send({&order, 1})) {
  }
  _exit(0);
}

Receiver::Receiver(const std::vector<std::string>& command, int file) : Receiver() {
  if (process_ > 0) return;
  constexpr int kMostWords = 15;
  char* argv[kMostWords + 1] = {};  // the child may allocate nothing
  for (std::size_t i = 0; i < command.size() && i < kMostWords; ++i)
    argv[i] = const_cast<char*>(command[i].c_str());
  if (dup2(orders_.receiver(), 0) == 0 && dup2(answers_.sender(), 1) == 1 && dup2(file, 3) == 3 &&
      fcntl(3, F_SETFD, 0) == 0 && close_range(4, ~0U, 0) == 0)
    execv(argv[0], argv);
  _exit(127);
}

Receiver::~Receiver() {
  orders_.close_sender();
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Receiver::order(char what) const noexcept {
  const auto byte = static_cast<std::byte>(what);
  return orders_.send({&byte, 1});
}

bool Receiver::wait() const noexcept {
  std::byte answer{};
  return answers_.receive({&answer, 1});
}

}  // namespace kernsweep::process_transfer
