#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "shared/base/digest.hpp"
#include "shared/base/installation.hpp"
#include "shared/base/random_token.hpp"
#include "shared/base/shared_memory.hpp"
#include "shared/base/try.hpp"
#include "worker/slot/copies/companions.hpp"
#include "worker/slot/phase_board.hpp"

namespace kernsweep {
namespace {

constexpr int kSetup = 3;
constexpr int kAbove = 16;  // descriptors are copied there first, as one may have the number of another

cpu_set_t set_of(const std::vector<std::uint32_t>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const std::uint32_t cpu : cpus) CPU_SET(cpu, &set);
  return set;
}

// After the fork: async-signal-safe calls only. Stays in the process group of the first copy, so that a
// signal that ends that one also ends this one.
[[noreturn]] void become_companion(const int (&given)[3], const cpu_set_t& cpus, pid_t parent,
                                   char* const* words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) _exit(1);
  int above[3];
  for (int i = 0; i < 3; ++i)
    if ((above[i] = fcntl(given[i], F_DUPFD, kAbove)) < 0) _exit(1);
  for (int i = 0; i < 3; ++i)
    if (dup2(above[i], kSetup + i) < 0) _exit(1);
  static_assert(kBoardDescriptor == kSetup + 1 && kRoundsDescriptor == kSetup + 2);
  close_range(kRoundsDescriptor + 1, ~0U, 0);
  execv(words[0], words);
  _exit(1);
}

// Each copy gets an equal part of the private memory of this process.
void divide_memory(std::uint32_t copies) {
  rlimit data{};
  if (getrlimit(RLIMIT_DATA, &data) != 0 || data.rlim_cur == RLIM_INFINITY) return;
  data.rlim_cur = data.rlim_max = data.rlim_cur / copies;
  setrlimit(RLIMIT_DATA, &data);
}

}  // namespace

Companions::Companions(std::uint32_t copies, RoundBoard board, Socket socket)
    : copies_(copies), board_(std::move(board)), socket_(std::move(socket)) {}

Result<std::unique_ptr<Companions>> Companions::start(const wire::SlotSetup& setup,
                                                      const std::vector<std::uint32_t>& cpus) {
  if (setup.distrust()) return failure("verify.distrust: a kernel cannot be isolated in copies");
  KS_ASSIGN_OR_RETURN(const auto shares, cores_of_copies(cpus, setup.copies(), setup.threads()));
  const cpu_set_t own = set_of(shares.front());
  if (sched_setaffinity(0, sizeof own, &own) != 0)
    return failure("the copies of a job cannot be bound to cores of their own: " +
                   std::string(std::strerror(errno)));
  KS_ASSIGN_OR_RETURN(auto board, RoundBoard::make(setup.copies()));
  auto socket = Socket::router("ipc://@kernsweep-copies-" + digest_of(random_token()).hex());
  KS_RETURN_IF_ERROR(socket);
  divide_memory(setup.copies());
  std::unique_ptr<Companions> out(new Companions(setup.copies(), std::move(board), std::move(*socket)));
  for (std::uint32_t copy = 1; copy < setup.copies(); ++copy) {
    wire::SlotSetup own_setup = setup;
    own_setup.set_copy(copy);
    own_setup.set_endpoint(out->socket_.endpoint());
    own_setup.set_token(random_token());
    own_setup.mutable_cpus()->Assign(shares[copy].begin(), shares[copy].end());
    own_setup.clear_cache_shares();
    for (std::size_t i = 0; i < cpus.size() && i < static_cast<std::size_t>(setup.cache_shares_size()); ++i)
      if (std::ranges::find(shares[copy], cpus[i]) != shares[copy].end())
        own_setup.add_cache_shares(setup.cache_shares(static_cast<int>(i)));
    KS_RETURN_IF_ERROR(out->launch(own_setup, shares[copy]));
  }
  return out;
}

Status Companions::launch(const wire::SlotSetup& setup, const std::vector<std::uint32_t>& cpus) {
  KS_ASSIGN_OR_RETURN(auto phase, PhaseBoard::make());
  const int file = memory_file(setup.SerializeAsString());
  std::string program = slot_program(), option = "--serve";
  char* const words[] = {program.data(), option.data(), nullptr};
  const int given[3] = {file, phase.descriptor(), board_.descriptor()};
  const cpu_set_t set = set_of(cpus);
  const pid_t parent = getpid();
  const pid_t pid = file < 0 ? -1 : fork();
  if (pid == 0) become_companion(given, set, parent, words);
  const int error = errno;
  if (file >= 0) close(file);
  if (pid < 0) return failure("a copy of a job cannot be started: " + std::string(std::strerror(error)));
  processes_.push_back({pid, "", setup.token()});
  return Done{};
}

Companions::~Companions() {
  for (const Process& each : processes_)
    if (each.pid > 0) kill(each.pid, SIGKILL);
  for (const Process& each : processes_)
    while (each.pid > 0 && waitpid(each.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void Companions::look_for_ended() {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    Process& each = processes_[i];
    int status = 0;
    if (each.pid <= 0 || waitpid(each.pid, &status, WNOHANG) != each.pid) continue;
    each.pid = -1;
    is_lost_ = true;
    const char* const name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : nullptr;
    // The worker uses the same text for a slot: Kernsweep has not sent SIGKILL.
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      fail(i, Outcome::out_of_memory,
           "its process was killed by SIGKILL, not by us: most likely memory ran out; see 'dmesg'");
    fail(i, Outcome::signal,
         WIFSIGNALED(status) ? "its process was killed by SIG" +
                                   (name ? std::string(name) : std::to_string(WTERMSIG(status)))
                             : "its process exited with status " + std::to_string(WEXITSTATUS(status)));
  }
}

bool Companions::wait() {
  constexpr std::uint32_t kLooks = 1U << 16;  // about a millisecond
  for (std::uint32_t looks = 1; !board_.is_over(); ++looks) {
    if (looks % kLooks != 0) continue;
    look_for_ended();
    if (is_lost_) return false;
  }
  return !board_.failed();
}

}  // namespace kernsweep
