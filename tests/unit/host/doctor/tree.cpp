#include "tests/unit/host/doctor/tree.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "shared/base/result.hpp"

namespace kernsweep::testing {

namespace files = std::filesystem;

Tree::Tree() {
  std::string pattern = (files::temp_directory_path() / "kernsweep-doctor-XXXXXX").string();
  KS_ASSERT(mkdtemp(pattern.data()) != nullptr);
  root_ = files::canonical(pattern).string() + "/";
}

Tree::~Tree() {
  std::error_code error;
  files::remove_all(root_, error);
}

void Tree::write(const std::string& path, const std::string& text) {
  files::create_directories(files::path(root_ + path).parent_path());
  std::ofstream(root_ + path) << text;
}

void Tree::link(const std::string& path, const std::string& target) {
  files::create_directories(files::path(root_ + path).parent_path());
  files::create_symlink(target, root_ + path);
}

void plant_bare_metal(Tree& tree) {
  const std::string cpus = "sys/devices/system/cpu/";
  std::string cpuinfo;
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string number = std::to_string(cpu);
    const std::string folder = cpus + "cpu" + number;
    cpuinfo += "processor\t: " + number +
               "\nvendor_id\t: GenuineIntel\nmodel name\t: Example Xeon\nmicrocode\t: 0x2b000603\n"
               "flags\t\t: fpu sse2 avx avx2 fma avx512f avx512dq avx512bw avx512vl\n\n";
    tree.write(folder + "/cpufreq/scaling_governor", "powersave\n");
    tree.write(folder + "/cpufreq/scaling_driver", "intel_pstate\n");
    tree.write(folder + "/cpufreq/scaling_min_freq", "800000\n");
    tree.write(folder + "/cpufreq/scaling_max_freq", "2800000\n");
    tree.write(folder + "/cpufreq/cpuinfo_min_freq", "800000\n");
    tree.write(folder + "/cpufreq/cpuinfo_max_freq", "3500000\n");
    tree.write(folder + "/topology/thread_siblings_list", cpu % 2 == 0 ? "0,2\n" : "1,3\n");
  }
  tree.write("proc/cpuinfo", cpuinfo);
  tree.write(cpus + "online", "0-3\n");
  tree.write(cpus + "smt/active", "1\n");
  tree.write(cpus + "intel_pstate/no_turbo", "0\n");
  tree.write(cpus + "vulnerabilities/meltdown", "Mitigation: PTI\n");
  tree.write(cpus + "vulnerabilities/spectre_v1", "Vulnerable: no masking\n");
  tree.write(cpus + "vulnerabilities/l1tf", "Not affected\n");
  tree.write("proc/self/status", "Name:\tdoctor\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n");
  tree.write("proc/self/cgroup", "0::/user.slice\n");
  tree.write("proc/self/limits",
             "Limit                     Soft Limit           Hard Limit           Units\n"
             "Max open files            64                   4096                 files\n"
             "Max locked memory         unlimited            unlimited            bytes\n");
  tree.write("proc/stat", "cpu  10 0 0 90 0 0 0 0 0 0\ncpu0 10 0 0 90 0 0 0 0 0 0\nintr 1\n");
  tree.write("proc/loadavg", "3.50 2.00 1.00 2/345 678\n");
  tree.write("proc/meminfo",
             "MemTotal:        8388608 kB\nMemAvailable:    4194304 kB\nSwapTotal:       1048576 kB\n"
             "SwapFree:         524288 kB\n");
  tree.write("proc/sys/kernel/numa_balancing", "1\n");
  tree.write("proc/sys/kernel/randomize_va_space", "0\n");
  tree.write("proc/sys/kernel/perf_event_paranoid", "4\n");
  tree.write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  tree.write("sys/kernel/mm/transparent_hugepage/shmem_enabled",
             "always within_size advise [never] deny\n");
  tree.write("sys/devices/system/node/online", "0-1\n");
  tree.write("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
  tree.write("sys/class/dmi/id/sys_vendor", "Example Inc.\n");
  tree.write("sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
  tree.write("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  tree.write("sys/bus/pci/devices/0000:00:1f.0/class", "0x020000\n");
  tree.write("sys/bus/pci/devices/0000:00:1f.0/vendor", "0x8086\n");
}

void plant_virtual_machine(Tree& tree) {
  tree.write(
      "proc/cpuinfo",
      "processor\t: 0\nvendor_id\t: AuthenticAMD\nmicrocode\t: 0x1000065\n"
      "flags\t\t: fpu sse2 avx avx2 fma avx512f avx512dq avx512bw avx512vl avx512_bf16 hypervisor\n\n"
      "processor\t: 1\nvendor_id\t: AuthenticAMD\nmicrocode\t: 0x1000066\nflags\t\t: fpu\n\n");
  tree.write("sys/devices/system/cpu/online", "0-1\n");
  tree.write("sys/devices/system/cpu/smt/active", "0\n");
  tree.write("sys/class/dmi/id/sys_vendor", "QEMU\n");
  tree.write("proc/self/status", "Cpus_allowed_list:\t0-1\n");
  // 1000 ticks, 50 of them stolen
  tree.write("proc/stat", "cpu  400 0 100 440 10 0 0 50 0 0\ncpu0 400 0 100 440 10 0 0 50 0 0\n");
  tree.write("proc/sys/kernel/perf_event_paranoid", "2\n");
  tree.write("sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock\n");
}

void plant_container(Tree& tree) {
  plant_bare_metal(tree);
  tree.write("proc/self/status", "Cpus_allowed_list:\t0-1\n");
  tree.write("proc/self/cgroup", "0::/\n");
  tree.write(".dockerenv", "");
  tree.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  tree.write("sys/fs/cgroup/cpu.stat", "usage_usec 5\nnr_periods 100\nnr_throttled 7\nthrottled_usec 9\n");
  tree.write("sys/fs/cgroup/cpuset.cpus.effective", "0-1\n");
  tree.write("sys/fs/cgroup/memory.max", "536870912\n");
  tree.write("sys/fs/cgroup/memory.current", "300000000\n");
  tree.write("sys/fs/cgroup/memory.stat", "anon 1\ninactive_file 100000000\n");
}

Assessment assessed(const std::string& id, const HostConditions& host) {
  for (const Check& check : all_checks()) {
    if (check.id != id) continue;
    const auto assessments = check.assess(host);
    EXPECT_EQ(assessments.size(), 1U) << id;
    return assessments.empty() ? Assessment{} : assessments.front();
  }
  ADD_FAILURE() << "there is no check " << id;
  return {};
}

}  // namespace kernsweep::testing
