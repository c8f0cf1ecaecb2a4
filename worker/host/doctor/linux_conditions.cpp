#include <algorithm>
#include <filesystem>

#include "shared/text/trimmed.hpp"
#include "worker/host/doctor/activity.hpp"
#include "worker/host/doctor/conditions.hpp"
#include "worker/host/doctor/library_files.hpp"
#include "worker/host/doctor/linux_files.hpp"

namespace kernsweep {
namespace {

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::optional<std::uint64_t> bytes_of(const std::vector<std::string>& lines, const char* key) {
  const auto words = words_of(field_in(lines, key).value_or(""));
  const auto kib = words.empty() ? std::nullopt : number_of(words[0]);
  if (!kib || *kib < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*kib) * 1024;
}

CpuConditions cpu_under(const std::string& root, std::uint32_t cpu) {
  CpuConditions out;
  out.cpu = cpu;
  const std::string folder = root + "sys/devices/system/cpu/cpu" + std::to_string(cpu);
  const std::string policy = folder + "/cpufreq/";
  out.governor = line_in(policy + "scaling_governor").value_or("");
  out.driver = line_in(policy + "scaling_driver").value_or("");
  out.min_khz = positive_in(policy + "scaling_min_freq");
  out.max_khz = positive_in(policy + "scaling_max_freq");
  out.lowest_khz = positive_in(policy + "cpuinfo_min_freq");
  out.highest_khz = positive_in(policy + "cpuinfo_max_freq");
  out.siblings = cpu_list_of(line_in(folder + "/topology/thread_siblings_list").value_or(""));
  return out;
}

// "32K", "1024K", "32M" in bytes; 0: not a number of this form.
std::uint64_t size_of(std::string_view text) {
  std::uint64_t unit = 1;
  if (text.ends_with('K')) unit = 1 << 10;
  if (text.ends_with('M')) unit = 1 << 20;
  if (unit > 1) text.remove_suffix(1);
  const auto number = number_of(text);
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) * unit : 0;
}

void read_caches(const std::string& root, std::uint32_t cpu, std::set<CacheConditions>& out) {
  const std::string folder = root + "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/";
  for (const std::string& name : names_in(folder)) {
    const auto level = positive_in(folder + name + "/level");
    if (!level) continue;
    CacheConditions cache;
    cache.level = static_cast<std::uint32_t>(*level);
    cache.type = line_in(folder + name + "/type").value_or("");
    cache.bytes = size_of(line_in(folder + name + "/size").value_or(""));
    cache.line_bytes =
        static_cast<std::uint32_t>(positive_in(folder + name + "/coherency_line_size").value_or(0));
    const auto shared = cpu_list_of(line_in(folder + name + "/shared_cpu_list").value_or(""));
    cache.sharing = static_cast<std::uint32_t>(shared.size());
    out.insert(cache);
  }
}

// Family, model and stepping of the first processor; on ARM the corresponding fields with other names.
void read_processor_name(const std::string& key, const std::string& value, HostConditions& out) {
  const auto first = [&](std::string& to) {
    if (to.empty()) to = value;
  };
  if (key == "cpu family" || key == "CPU architecture") first(out.cpu_family);
  if (key == "model" || key == "CPU part") first(out.cpu_model_number);
  if (key == "stepping" || key == "CPU variant") first(out.cpu_stepping);
  if (key == "CPU implementer") first(out.cpu_vendor);
  if (key == "CPU revision" && out.cpu_stepping.find('.') == std::string::npos)
    out.cpu_stepping += "." + value;
}

// One paragraph per processor; instruction sets are "flags" on x86 and "Features" on ARM.
void read_cpuinfo(const std::string& root, HostConditions& out) {
  std::int64_t current = -1;
  for (const std::string& line : lines_in(root + "proc/cpuinfo")) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key(trimmed(std::string_view(line).substr(0, colon)));
    const std::string value(trimmed(std::string_view(line).substr(colon + 1)));
    if (key == "processor") current = number_of(value).value_or(-1);
    if (key == "vendor_id") out.cpu_vendor = value;
    if (key == "model name") out.cpu_model = value;
    read_processor_name(key, value, out);
    if ((key == "flags" || key == "Features") && out.instructions.empty()) {
      for (std::string& word : words_of(value)) out.instructions.insert(std::move(word));
    }
    if (key != "microcode") continue;
    for (CpuConditions& cpu : out.cpus)
      if (cpu.cpu == static_cast<std::uint32_t>(current)) cpu.microcode = value;
  }
  out.hypervisor_flag = out.instructions.contains("hypervisor");
}

std::optional<bool> turbo_under(const std::string& root) {
  const std::string folder = root + "sys/devices/system/cpu/";
  if (const auto off = number_in(folder + "intel_pstate/no_turbo")) return *off == 0;
  if (const auto on = number_in(folder + "cpufreq/boost")) return *on != 0;
  return std::nullopt;
}

std::string hypervisor_under(const std::string& root) {
  if (const auto type = line_in(root + "sys/hypervisor/type"); type && !type->empty()) return *type;
  if (is_there(root + "proc/device-tree/hypervisor/compatible")) return "KVM";
  const std::string maker = line_in(root + "sys/class/dmi/id/sys_vendor").value_or("");
  const std::string product = line_in(root + "sys/class/dmi/id/product_name").value_or("");
  for (const char* known : {"QEMU", "VMware", "innotek", "Xen", "Parallels", "Bochs"})
    if (maker.find(known) != std::string::npos || product.find(known) != std::string::npos) return known;
  if (product == "Virtual Machine" && maker.starts_with("Microsoft")) return "Hyper-V";
  return "";
}

std::string container_under(const std::string& root) {
  if (const auto manager = line_in(root + "run/systemd/container"); manager && !manager->empty())
    return *manager;
  if (is_there(root + "run/.containerenv")) return "podman";
  if (is_there(root + ".dockerenv")) return "docker";
  for (const std::string& line : lines_in(root + "proc/1/cgroup"))
    for (const char* mark : {"kubepods", "docker", "lxc", "containerd"})
      if (line.find(mark) != std::string::npos) return mark;
  return "";
}

// "Max open files   1024   4096   files"
std::optional<SystemLimit> limit_of(const std::vector<std::string>& lines, const char* key) {
  const auto words = words_of(field_in(lines, key).value_or(""));
  if (words.size() < 2) return std::nullopt;
  const auto bound = [](const std::string& word) -> std::optional<std::uint64_t> {
    const auto number = number_of(word);
    return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
  };
  return SystemLimit{bound(words[0]), bound(words[1])};
}

void read_processors(const std::string& root, HostConditions& out) {
  const std::string folder = root + "sys/devices/system/cpu/";
  const auto online = cpu_list_of(line_in(folder + "online").value_or(""));
  out.cpus_online = static_cast<std::uint32_t>(online.size());
  const auto allowed = field_in(lines_in(root + "proc/self/status"), "Cpus_allowed_list");
  for (const std::uint32_t cpu : allowed ? cpu_list_of(*allowed) : online) {
    if (!online.empty() && std::find(online.begin(), online.end(), cpu) == online.end()) continue;
    out.cpus.push_back(cpu_under(root, cpu));
    read_caches(root, cpu, out.caches);
  }
  read_cpuinfo(root, out);
  out.turbo = turbo_under(root);
  if (const auto active = number_in(folder + "smt/active")) out.smt_active = *active != 0;
  for (const std::string& name : names_in(folder + "vulnerabilities"))
    out.vulnerabilities[name] = line_in(folder + "vulnerabilities/" + name).value_or("");
}

void read_memory(const std::string& root, HostConditions& out) {
  const auto memory = lines_in(root + "proc/meminfo");
  out.memory_bytes = bytes_of(memory, "MemTotal");
  out.available_bytes = bytes_of(memory, "MemAvailable");
  out.swap_bytes = bytes_of(memory, "SwapTotal");
  if (const auto unused = bytes_of(memory, "SwapFree"); unused && out.swap_bytes)
    out.swap_used_bytes = *out.swap_bytes - std::min(*out.swap_bytes, *unused);
  out.huge_pages = chosen_in(root + "sys/kernel/mm/transparent_hugepage/enabled");
  out.shared_huge_pages = chosen_in(root + "sys/kernel/mm/transparent_hugepage/shmem_enabled");
  out.numa_balancing = number_in(root + "proc/sys/kernel/numa_balancing");
  const auto nodes = cpu_list_of(line_in(root + "sys/devices/system/node/online").value_or("0"));
  out.numa_nodes = static_cast<std::uint32_t>(std::max<std::size_t>(1, nodes.size()));
  for (const std::uint32_t node : nodes) {
    const std::string folder = root + "sys/devices/system/node/node" + std::to_string(node);
    const auto cpus = line_in(folder + "/cpulist");
    if (!cpus) continue;
    std::string distance;
    for (const std::string& word : words_of(line_in(folder + "/distance").value_or("")))
      distance += " " + word;
    out.numa_layout.push_back("node" + std::to_string(node) + " cpus " + *cpus + " distance" + distance);
  }
}

void read_system(const std::string& root, HostConditions& out) {
  out.kernel_release = line_in(root + "proc/sys/kernel/osrelease").value_or("");
  out.kernel_build = line_in(root + "proc/sys/kernel/version").value_or("");
  for (const std::string& line : lines_in(root + "etc/os-release")) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    for (const char c : line.substr(12))
      if (c != '"') out.distribution += c;
  }
}

void read_gpus(const std::string& root, HostConditions& out) {
  const std::string folder = root + "sys/bus/pci/devices/";
  for (const std::string& name : names_in(folder)) {
    const std::string kind = line_in(folder + name + "/class").value_or("");
    const std::string maker = line_in(folder + name + "/vendor").value_or("");
    if (!kind.starts_with("0x03")) continue;  // PCI: display controllers
    const char* const known = maker == "0x10de" ? "NVIDIA" : maker == "0x1002" ? "AMD" : nullptr;
    if (known) out.gpu.devices.push_back(std::string(known) + " " + name);
  }
  out.gpu.nvidia_driver = line_in(root + "sys/module/nvidia/version").value_or("");
  for (const std::string& library_folder : library_folders_under(root, "")) {
    const std::string file = library_folder + "/libcuda.so.1";
    if (out.gpu.libcuda.empty() && is_there(file)) out.gpu.libcuda = file;
  }
}

}  // namespace

HostConditions conditions_under(const std::string& root) {
  HostConditions out;
  read_processors(root, out);
  out.hypervisor = hypervisor_under(root);
  out.container = container_under(root);
  const Activity::Ticks ticks = processors_under(root).all;
  if (const auto all = static_cast<double>(ticks.busy + ticks.idle + ticks.steal); all > 0)
    out.steal_since_boot = static_cast<double>(ticks.steal) / all;
  if (const auto words = words_of(line_in(root + "proc/loadavg").value_or("")); !words.empty()) {
    char* end = nullptr;
    const double load = std::strtod(words[0].c_str(), &end);
    if (end != words[0].c_str() && load >= 0) out.load_average = load;
  }
  read_memory(root, out);
  read_system(root, out);
  out.address_randomisation = number_in(root + "proc/sys/kernel/randomize_va_space");
  out.perf_paranoid = number_in(root + "proc/sys/kernel/perf_event_paranoid");
  out.groups = group_limits_under(root);
  const auto limits = lines_in(root + "proc/self/limits");
  out.locked_memory = limit_of(limits, "Max locked memory");
  out.open_files = limit_of(limits, "Max open files");
  out.clock_source =
      line_in(root + "sys/devices/system/clocksource/clocksource0/current_clocksource").value_or("");
  read_gpus(root, out);
  return out;
}

}  // namespace kernsweep
