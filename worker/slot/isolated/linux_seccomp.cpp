#include "worker/slot/isolated/linux_seccomp.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace kernsweep {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// Numbers that the headers of Debian 12 may lack are equal on all architectures.
constexpr int kFchmodat2 = 452;
constexpr int kFirstOfMounts = 428, kLastOfMounts = 433;  // open_tree to fspick

constexpr int kForbidden[] = {
    // Access to other processes, and devices that show them.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_pidfd_send_signal,
    SYS_perf_event_open, SYS_bpf, SYS_userfaultfd, SYS_kcmp, SYS_process_madvise,
    // Calls that could send SIGCONT to a stopped process.
    SYS_timer_create, SYS_mq_notify,
    // Objects that outlive a process, and that another process could read.
    SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open, SYS_add_key, SYS_request_key, SYS_keyctl,
    // File systems and namespaces.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_name_to_handle_at,
    SYS_open_by_handle_at, SYS_mount_setattr,
    // Rights, owners, times and attributes of files, which Landlock does not restrict.
    SYS_fchmod, SYS_fchmodat, kFchmodat2, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
#if defined(__x86_64__)
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    // Calls whose operations no filter sees.
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    // The cores and the scheduling of the process.
    SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_setpriority,
    SYS_ioprio_set,
    // The machine.
    SYS_reboot, SYS_kexec_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_swapon,
    SYS_swapoff, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname,
    SYS_setdomainname, SYS_acct, SYS_quotactl};

// These name a process or thread by their first argument; without a namespace of its own, only this one.
constexpr int kOfAProcess[] = {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
                               SYS_prlimit64};

// Calls that are forbidden with one value of one argument: only the slot continues a process.
struct ForbiddenUse {
  int number, argument, value;
};
constexpr ForbiddenUse kForbiddenUses[] = {{SYS_kill, 1, SIGCONT},
                                           {SYS_tkill, 1, SIGCONT},
                                           {SYS_tgkill, 2, SIGCONT},
                                           {SYS_rt_sigqueueinfo, 1, SIGCONT},
                                           {SYS_rt_tgsigqueueinfo, 2, SIGCONT},
                                           {SYS_fcntl, 1, F_SETSIG},
                                           {SYS_prctl, 0, PR_SET_PDEATHSIG}};

class Filter {
 public:
  void load(std::size_t field) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(field)); }
  void keep_bits(std::uint32_t bits) { add(BPF_ALU | BPF_AND | BPF_K, bits); }
  void refuse(int error) { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
  // The next `count` statements run only if the loaded word equals `value`.
  void if_equal(std::uint32_t value, std::uint8_t count) { jump(BPF_JEQ, value, 0, count); }
  void unless_equal(std::uint32_t value, std::uint8_t count) { jump(BPF_JEQ, value, count, 0); }
  void if_at_least(std::uint32_t value, std::uint8_t count) { jump(BPF_JGE, value, 0, count); }
  void if_any_of(std::uint32_t bits, std::uint8_t count) { jump(BPF_JSET, bits, 0, count); }
  void refuse_call(int number, int error) {
    if_equal(static_cast<std::uint32_t>(number), 1);
    refuse(error);
  }
  void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }

  int install() {
    sock_fprog program{static_cast<unsigned short>(statements_.size()), statements_.data()};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ? 0 : errno;
  }

 private:
  void add(int code, std::uint32_t value) {
    statements_.push_back({static_cast<std::uint16_t>(code), 0, 0, value});
  }
  void jump(int test, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    statements_.push_back({static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), if_true, if_false, value});
  }
  std::vector<sock_filter> statements_;
};

constexpr std::size_t kNumber = offsetof(seccomp_data, nr);
constexpr std::size_t kFirstArgument =
    offsetof(seccomp_data, args);  // its lower half: both are little-endian
constexpr std::uint32_t kNamespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET |
                                      CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

}  // namespace

int forbid_system_calls(bool own_processes, bool may_group) {
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.unless_equal(kArchitecture, 1);
  filter.refuse(EPERM);
  filter.load(kNumber);
#if defined(__x86_64__)
  filter.if_at_least(0x40000000U, 1);  // x32 has numbers of its own
  filter.refuse(EPERM);
#endif
  for (const int number : kForbidden) filter.refuse_call(number, EPERM);
  for (int number = kFirstOfMounts; number <= kLastOfMounts; ++number) filter.refuse_call(number, EPERM);
  filter.refuse_call(SYS_clone3, ENOSYS);
  filter.refuse_call(SYS_socket, EACCES);
  if (!may_group) {
    filter.refuse_call(SYS_setsid, EPERM);
    filter.refuse_call(SYS_setpgid, EPERM);
  }
  for (const auto& [number, argument, value] : kForbiddenUses) {
    filter.if_equal(static_cast<std::uint32_t>(number), 4);
    filter.load(kFirstArgument + static_cast<std::size_t>(argument) * sizeof(std::uint64_t));
    filter.if_equal(static_cast<std::uint32_t>(value), 1);
    filter.refuse(EPERM);
    filter.load(kNumber);
  }
  filter.if_equal(SYS_clone, 4);
  filter.load(kFirstArgument);
  filter.if_any_of(kNamespaces, 1);
  filter.refuse(EPERM);
  filter.load(kNumber);
  filter.if_equal(SYS_clone, 5);
  filter.load(kFirstArgument);
  filter.keep_bits(CSIGNAL);  // the signal that its parent gets when the new process ends
  filter.if_equal(SIGCONT, 1);
  filter.refuse(EPERM);
  filter.load(kNumber);
  if (!own_processes) {
    for (const int number : kOfAProcess) {
      filter.if_equal(static_cast<std::uint32_t>(number), 6);
      filter.load(kFirstArgument);
      filter.if_equal(0, 1);
      filter.allow();
      filter.unless_equal(static_cast<std::uint32_t>(getpid()), 1);
      filter.refuse(EPERM);
      filter.load(kNumber);
    }
  }
  filter.allow();
  return filter.install();
}

}  // namespace kernsweep
