// The gauges on Linux: rusage, /proc, /sys. Files are opened once; values of missing or unreadable files
// are not known.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

#include "worker/slot/watch/effective_clock.hpp"
#include "worker/slot/watch/gauges.hpp"
#include "worker/slot/watch/linux_usage.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

// Folders in `where` whose name begins with `prefix`; none if `where` does not exist.
std::vector<fs::path> folders(const char* where, std::string_view prefix) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator at(where, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with(prefix)) out.push_back(at->path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Packages of /sys/class/powercap: intel-rapl:0, but not its parts (intel-rapl:0:1).
std::vector<fs::path> energy_packages() {
  std::vector<fs::path> out;
  for (const fs::path& zone : folders("/sys/class/powercap", "intel-rapl:")) {
    const std::string name = zone.filename().string();
    if (std::count(name.begin(), name.end(), ':') == 1 && number_in(zone / "energy_uj"))
      out.push_back(zone);
  }
  return out;
}

std::vector<std::uint64_t> numbers_in(const std::vector<fs::path>& folders, const char* file) {
  std::vector<std::uint64_t> out;
  for (const fs::path& folder : folders) {
    if (const auto number = number_in(folder / file)) out.push_back(*number);
  }
  return out;
}

class SystemGauges : public Gauges {
 public:
  SystemGauges(std::vector<std::uint32_t> own, const std::vector<std::string>& gpus)
      : own_(std::move(own)),
        stat_(open("/proc/stat", O_RDONLY | O_CLOEXEC)),
        ticks_per_s_(static_cast<double>(sysconf(_SC_CLK_TCK))),
        packages_(energy_packages()),
        energy_ranges_(numbers_in(packages_, "max_energy_range_uj")),
        energy_last_(numbers_in(packages_, "energy_uj")),
        gpus_(gpus.empty() ? nullptr : meter_of_gpus(gpus)) {}
  ~SystemGauges() override {
    if (stat_ >= 0) close(stat_);
  }
  SystemGauges(const SystemGauges&) = delete;
  SystemGauges& operator=(const SystemGauges&) = delete;

  Instant now() override { return monotonic_now(); }
  double clock_ghz(double expected_ghz) override { return effective_clock_ghz(expected_ghz); }

  // With another process on the same cores, each of the two is preempted when it wakes the other one.
  EdgeReading edge() override {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    EdgeReading out{0, sched_getcpu(), added_ ? 0 : static_cast<std::uint64_t>(usage.ru_nivcsw),
                    static_cast<std::uint64_t>(usage.ru_majflt), schedule_of_this_thread()};
    const ChildrenUse children = use_of_children();
    out.schedule.children_s = children.cpu_s;
    out.switches_of_children = children.switches;
    return out;
  }

  ProcessUse use() override {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    // The load of processes that this one has started is our own: commands, a pool of processes, copies, an
    // isolated kernel.
    const TreeTime tree = tree_time();
    return {tree.all_s() + (tree.is_listed || added_ == 0 ? 0 : cpu_seconds_of(added_)),
            static_cast<std::uint64_t>(usage.ru_minflt)};
  }

  std::optional<ThreadTimes> threads() override { return thread_times(); }

  std::vector<ThreadWait> waits() override { return thread_waits(); }

  void begin_looks() override { looks_.emplace(); }
  std::vector<CoreLook> end_looks() override {
    std::vector<CoreLook> out = looks_ ? looks_->end() : std::vector<CoreLook>();
    looks_.reset();
    return out;
  }

  std::optional<HostTimes> host_times() override {
    // Reads only the lines of the processors; the rest of the file is long and not used.
    text_.resize(std::size_t{128} * (static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)) + 2));
    const ssize_t got = stat_ >= 0 ? pread(stat_, text_.data(), text_.size(), 0) : -1;
    if (got <= 0) return std::nullopt;
    return host_times_of(std::string_view(text_.data(), static_cast<std::size_t>(got)), own_, ticks_per_s_);
  }

  std::optional<double> energy_j() override {
    if (packages_.empty()) return std::nullopt;
    std::vector<std::uint64_t> now = numbers_in(packages_, "energy_uj");
    const auto gained = energy_gained_j(energy_last_, now, energy_ranges_);
    if (!gained) return std::nullopt;
    energy_last_ = std::move(now);
    return energy_sum_j_ += *gained;
  }

  GpuMeter* gpus() override { return gpus_.get(); }
  Throttling throttling() override { return groups_.throttling(); }

  // An added process is a distrusted one: calls are passed to it, and possibly each call to a new one.
  CounterSystem* counters() override { return added_ ? nullptr : counters_.get(); }

  void add_process(int process) override { added_ = process; }

  HostState host_state() override {
    HostState out;
    std::array<double, 1> load{};
    if (getloadavg(load.data(), 1) == 1) out.load_1min = load[0];
    for (const fs::path& zone : folders("/sys/class/thermal", "thermal_zone")) {
      if (const auto milli = number_in(zone / "temp"))
        out.temperature_c = std::max(out.temperature_c.value_or(0), static_cast<double>(*milli) * 1e-3);
    }
    return out;
  }

 private:
  std::vector<std::uint32_t> own_;
  GroupEvents groups_;
  std::optional<ThreadLooks> looks_;
  int added_ = 0;
  int stat_;
  double ticks_per_s_;
  std::string text_;
  std::vector<fs::path> packages_;
  std::vector<std::uint64_t> energy_ranges_, energy_last_;
  double energy_sum_j_ = 0;
  std::unique_ptr<GpuMeter> gpus_;
  std::unique_ptr<CounterSystem> counters_ = system_counters();
};

}  // namespace

std::optional<double> energy_gained_j(const std::vector<std::uint64_t>& before,
                                      const std::vector<std::uint64_t>& after,
                                      const std::vector<std::uint64_t>& ranges) {
  if (before.empty() || before.size() != after.size() || ranges.size() != after.size()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] >= before[i]) {
      sum += static_cast<double>(after[i] - before[i]);
    } else if (ranges[i] >= before[i]) {  // wrapped, at most once: a wrap takes minutes
      sum += static_cast<double>(ranges[i] - before[i] + after[i]);
    } else {
      return std::nullopt;
    }
  }
  return sum * 1e-6;
}

std::unique_ptr<Gauges> system_gauges(std::vector<std::uint32_t> own,
                                      const std::vector<std::string>& gpus) {
  return std::make_unique<SystemGauges>(std::move(own), gpus);
}

}  // namespace kernsweep
