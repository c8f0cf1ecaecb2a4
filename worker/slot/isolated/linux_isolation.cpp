#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>

#include "worker/slot/isolated/isolation.hpp"
#include "worker/slot/isolated/linux_seccomp.hpp"

namespace kernsweep {
namespace {

// Landlock, as docs.kernel.org/userspace-api/landlock.html describes it: the headers of Debian 12 lack some
// of these. The number next to a right is the first version of the interface that has it.
constexpr std::uint64_t kExecute = 1U << 0, kWriteFile = 1U << 1, kReadFile = 1U << 2,
                        kReadFolder = 1U << 3;
constexpr std::uint64_t kOfVersion1 = (1U << 13) - 1, kRefer = 1U << 13 /* 2 */,
                        kTruncate = 1U << 14 /* 3 */, kDeviceControl = 1U << 15 /* 5 */;
constexpr std::uint64_t kAbstractSockets = 1U << 0, kSignals = 1U << 1;  // scopes, from version 6
constexpr std::uint64_t kConnections = 3;                                // bind and connect, from version 4
constexpr std::uint64_t kRead = kExecute | kReadFile | kReadFolder;

struct RulesetAttributes {
  std::uint64_t files, network, scopes;
};
struct [[gnu::packed]] PathAttributes {
  std::uint64_t allowed;
  std::int32_t parent;
};

int landlock_version() {
  constexpr unsigned kVersion = 1;
  return static_cast<int>(syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersion));
}

std::uint64_t rights_of(int version) {
  return kOfVersion1 | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) |
         (version >= 5 ? kDeviceControl : 0);
}

// A path that does not exist is skipped.
void permit(int ruleset, const std::string& path, std::uint64_t rights) {
  const int opened = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (opened < 0) return;
  struct stat about {};
  const bool is_folder = fstat(opened, &about) == 0 && S_ISDIR(about.st_mode);
  constexpr std::uint64_t kOfFiles = kExecute | kReadFile | kWriteFile | kTruncate | kDeviceControl;
  const PathAttributes attributes{is_folder ? rights : rights & kOfFiles, opened};
  constexpr int kPathBeneath = 1;
  syscall(SYS_landlock_add_rule, ruleset, kPathBeneath, &attributes, 0);
  close(opened);
}

// All folders at the root of the file system, except those that others write to, and the processes.
void permit_system(int ruleset) {
  constexpr const char* kLeftOut[] = {"proc", "tmp", "dev", "run", "var"};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/", error)) {
    const std::string name = entry.path().filename().string();
    bool is_left_out = false;
    for (const char* each : kLeftOut) is_left_out = is_left_out || name == each;
    if (!is_left_out) permit(ruleset, entry.path().string(), kRead);
  }
  for (const char* file :
       {"cpuinfo", "meminfo", "stat", "version", "filesystems", "loadavg", "uptime", "sys"})
    permit(ruleset, std::string("/proc/") + file, kRead);
  permit(ruleset, "/proc/self", kRead);
  permit(ruleset, "/var/lib", kRead);  // alternatives and caches of packages
  for (const char* device : {"null", "zero", "full", "random", "urandom"})
    permit(ruleset, std::string("/dev/") + device, kReadFile | kWriteFile | kTruncate);
}

int restrict_files(const IsolationRules& rules, int version) {
  const std::uint64_t files = rights_of(version);
  const RulesetAttributes attributes{files, version >= 4 ? kConnections : 0,
                                     version >= 6 ? kAbstractSockets | kSignals : 0};
  const std::size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
  if (ruleset < 0) return errno;
  permit_system(ruleset);
  for (const std::string& path : rules.readable) permit(ruleset, path, kRead);
  for (const std::string& path : rules.devices) permit(ruleset, path, files);
  if (!rules.writable.empty()) permit(ruleset, rules.writable, files & ~kDeviceControl);
  const int failed = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 ? 0 : errno;
  close(ruleset);
  return failed;
}

int drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  constexpr int kCapabilitiesMax = 64;
  for (int each = 0; each < kCapabilitiesMax; ++each) prctl(PR_CAPBSET_DROP, each, 0, 0, 0);
  return syscall(SYS_capset, &header, none) == 0 ? 0 : errno;
}

bool has_seccomp() {
  constexpr unsigned kActionAvailable = 2;
  const std::uint32_t action = 0x00050000U;  // SECCOMP_RET_ERRNO
  return syscall(SYS_seccomp, kActionAvailable, 0, &action) == 0;
}

Result<std::string> failed_to(const char* what, int error) {
  return failure(std::string("the process cannot be isolated: ") + what + ": " + std::strerror(error));
}

}  // namespace

Result<std::string> isolate(const IsolationRules& rules) {
  if (const auto missing = isolation_missing()) return failure(*missing);
  const int version = landlock_version();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed_to("no_new_privs", errno);
  if (const int error = restrict_files(rules, version)) return failed_to("Landlock", error);
  if (const int error = drop_capabilities()) return failed_to("its capabilities", error);
  if (const int error = forbid_system_calls(rules.own_processes, rules.may_group))
    return failed_to("seccomp", error);
  return "Landlock " + std::to_string(version) + ", seccomp";
}

std::optional<std::string> confine_writes(const std::string& folder) {
  const int version = landlock_version();
  if (version < 1) return "this host has no Landlock: " + std::string(std::strerror(errno));
  const std::uint64_t writes = rights_of(version) & ~(kRead | kDeviceControl);
  const RulesetAttributes attributes{writes, 0, 0};
  const int ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, 8, 0));
  if (ruleset < 0) return "Landlock: " + std::string(std::strerror(errno));
  permit(ruleset, folder, writes);
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"})
    permit(ruleset, device, writes & (kWriteFile | kTruncate));
  const bool done =
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  const int error = errno;
  close(ruleset);
  return done ? std::nullopt : std::optional("Landlock: " + std::string(std::strerror(error)));
}

std::optional<std::string> isolation_missing() {
  constexpr const char* kAdvice =
      "; a kernel that is distrusted must be isolated. Linux 5.13 or newer with Landlock and seccomp "
      "switched on has that; a container's seccomp profile must permit the calls of Landlock";
  if (landlock_version() < 1) {
    const int error = errno;
    return "this host has no Landlock: " +
           std::string(error == EOPNOTSUPP ? "it is switched off" : std::strerror(error)) + kAdvice;
  }
  if (!has_seccomp()) return "this host has no seccomp filters" + std::string(kAdvice);
  return std::nullopt;
}

int namespaces_for_isolation() {
  return CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET;
}

}  // namespace kernsweep
