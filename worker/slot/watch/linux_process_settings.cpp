#include <linux/ioprio.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "worker/slot/watch/process_settings.hpp"

namespace kernsweep {
namespace {

// By prctl(): `get` returns the value, or writes it to its argument.
template <int get>
long returned() {
  return prctl(get, 0, 0, 0, 0);
}
template <int get>
long written() {
  int value = -1;
  return prctl(get, &value, 0, 0, 0) == 0 ? value : -1;
}
template <int set>
bool set_to(long value) {
  return prctl(set, static_cast<unsigned long>(value), 0, 0, 0) == 0;
}

// Mitigations of speculation, which make code slower. They cannot be switched off again.
template <int which>
long speculation() {
  return prctl(PR_GET_SPECULATION_CTRL, which, 0, 0, 0);
}

bool cannot_be_set(long) {
  return false;
}

// Of pages that are locked in memory: bytes / 1024.
long locked() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long number = 0;
    if (word == "VmLck:" && status >> number) return number;
    status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

// Of memory that is used first from now on: on which nodes of the host. 0: the default.
long memory_policy() {
  int mode = 0;
  return syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0) == 0 ? mode : 0;
}

struct Setting {
  const char* name;
  long (*get)();
  bool (*set)(long value);
};

constexpr std::array kSettings = {
    Setting{"PR_SET_THP_DISABLE", returned<PR_GET_THP_DISABLE>, set_to<PR_SET_THP_DISABLE>},
    Setting{"PR_SET_TIMERSLACK", returned<PR_GET_TIMERSLACK>, set_to<PR_SET_TIMERSLACK>},
    Setting{"PR_SET_DUMPABLE", returned<PR_GET_DUMPABLE>, set_to<PR_SET_DUMPABLE>},
    Setting{"PR_SET_PDEATHSIG", written<PR_GET_PDEATHSIG>, set_to<PR_SET_PDEATHSIG>},
    Setting{"PR_SET_CHILD_SUBREAPER", written<PR_GET_CHILD_SUBREAPER>, set_to<PR_SET_CHILD_SUBREAPER>},
    Setting{"PR_SPEC_STORE_BYPASS", speculation<PR_SPEC_STORE_BYPASS>, cannot_be_set},
    Setting{"PR_SPEC_INDIRECT_BRANCH", speculation<PR_SPEC_INDIRECT_BRANCH>, cannot_be_set},
    Setting{"personality", [] { return static_cast<long>(personality(0xffffffff)); },
            [](long value) { return personality(static_cast<unsigned long>(value)) >= 0; }},
    Setting{"ioprio_set", [] { return syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0); },
            [](long value) { return syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, value) == 0; }},
    Setting{"set_mempolicy", memory_policy,
            [](long value) { return value == 0 && syscall(SYS_set_mempolicy, 0, nullptr, 0) == 0; }},
    Setting{"mlockall", locked, [](long) { return munlockall() == 0; }},
};

}  // namespace

ProcessSettings ProcessSettings::now() {
  static_assert(kSettings.size() == kCount);
  ProcessSettings out;
  for (std::size_t i = 0; i < kCount; ++i) out.values_[i] = kSettings[i].get();
  return out;
}

void ProcessSettings::give_back(std::vector<std::string>& left) const {
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto& [name, get, set] = kSettings[i];
    const long changed = get();
    if (changed == values_[i] || (set(values_[i]) && get() == values_[i])) continue;
    left.push_back("a setting of the process (" + std::string(name) + ") is " + std::to_string(changed) +
                   ", it was " + std::to_string(values_[i]));
  }
}

}  // namespace kernsweep
