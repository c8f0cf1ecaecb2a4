// perf_event_open(2). In user mode only, which /proc/sys/kernel/perf_event_paranoid up to 2 allows. Each
// counter is read separately: older kernels cannot read a group whose events are inherited.
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "worker/host/children.hpp"
#include "worker/host/counters.hpp"

namespace kernsweep {
namespace {

// Of loads: only these are counted at the last level or not at all. The kernel's plain "cache misses" are
// those of the second level on AMD's processors and of the first on Arm's.
constexpr std::uint64_t misses_of(std::uint64_t cache) {
  return cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
}

constexpr CounterKind kHardware[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"llc_misses", PERF_TYPE_HW_CACHE, misses_of(PERF_COUNT_HW_CACHE_LL)},
    {"dtlb_misses", PERF_TYPE_HW_CACHE, misses_of(PERF_COUNT_HW_CACHE_DTLB)},
    {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
};

class SystemCounters : public CounterSystem {
 public:
  std::vector<int> threads() override {
    std::vector<int> out{gettid()};
    std::vector<pid_t> processes = descendants_of(getpid()).value_or(std::vector<pid_t>());
    processes.insert(processes.begin(), getpid());
    for (const pid_t process : processes) add_threads_of(process, out);
    return out;
  }

  std::size_t descriptors_max() override {
    rlimit limit{};
    constexpr rlim_t kMost = 65536;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::min(limit.rlim_cur / 2, kMost) : 0;
  }

  int open(const CounterKind& kind, int thread, int leader) override {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = kind.type;
    wanted.config = kind.config;
    wanted.disabled = leader < 0 ? 1 : 0;
    wanted.inherit = 1;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const auto got = syscall(SYS_perf_event_open, &wanted, thread, -1, leader, PERF_FLAG_FD_CLOEXEC);
    return got < 0 ? -errno : static_cast<int>(got);
  }

  void enable(int leader, bool on) override {
    ioctl(leader, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
  }

  std::optional<CounterReading> read(int descriptor) override {
    CounterReading out;
    if (::read(descriptor, &out, sizeof out) != sizeof out) return std::nullopt;
    return out;
  }

  void close(int descriptor) override { ::close(descriptor); }

 private:
  static void add_threads_of(pid_t process, std::vector<int>& out) {
    for (const int thread : threads_of(process))
      if (thread != out.front()) out.push_back(thread);
  }
};

}  // namespace

std::span<const CounterKind> hardware_counters() {
  return kHardware;
}

std::unique_ptr<CounterSystem> system_counters() {
  return std::make_unique<SystemCounters>();
}

}  // namespace kernsweep
