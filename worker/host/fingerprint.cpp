#include "worker/host/fingerprint.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace kernsweep {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n\"");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\n\"") - first + 1);
}

// The value of the first line that begins with `key` (up to `separator`); empty when there is none.
std::string field_of(const char* path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(separator);
    if (at != std::string::npos && trimmed(line.substr(0, at)) == key) return trimmed(line.substr(at + 1));
  }
  return "";
}

std::string first_line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return trimmed(line);
}

std::string hostname() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

}  // namespace

HostIdentity identify_host(const Topology& topology, std::uint32_t cores) {
  HostIdentity host;
  utsname system{};
  uname(&system);
  host.name = hostname();
  host.kernel = std::string(system.sysname) + " " + system.release;
  host.distribution = field_of("/etc/os-release", "PRETTY_NAME", '=');
  const std::string flags = field_of("/proc/cpuinfo", "flags", ':');

  std::map<std::string, std::string> properties = {
      {"cpu.model", topology.cpu_model},
      {"cpu.family", field_of("/proc/cpuinfo", "cpu family", ':')},
      {"cpu.model_number", field_of("/proc/cpuinfo", "model", ':')},
      {"cpu.stepping", field_of("/proc/cpuinfo", "stepping", ':')},
      {"cpu.microcode", field_of("/proc/cpuinfo", "microcode", ':')},
      {"cpu.flags", flags.empty() ? field_of("/proc/cpuinfo", "Features", ':') : flags},
      {"cpu.sockets", std::to_string(topology.sockets)},
      {"cpu.cores", std::to_string(topology.cores.size())},
      {"cpu.threads_per_core", std::to_string(topology.threads_per_core)},
      {"cache.l1d_bytes", std::to_string(topology.l1d_bytes)},
      {"cache.l2_bytes", std::to_string(topology.l2_bytes)},
      {"cache.last_level_bytes", std::to_string(topology.llc_bytes)},
      {"memory.numa_nodes", std::to_string(topology.numa_nodes)},
      {"memory.gib", std::to_string((topology.memory_bytes + (1ULL << 29)) >> 30)},
      {"memory.transparent_hugepages", first_line_of("/sys/kernel/mm/transparent_hugepage/enabled")},
      {"system.kernel", host.kernel},
      {"system.machine", system.machine},
      {"system.distribution", host.distribution},
      {"system.governor", first_line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
  };
  for (const auto& [key, value] : properties) host.text += key + " = " + value + "\n";
  host.fingerprint = digest_of(host.text);

  host.facts = {
      {"name", host.name},
      {"cpu", topology.cpu_model},
      {"isa", properties["cpu.flags"]},
      {"machine", std::string(system.machine)},
      {"cores", static_cast<std::int64_t>(cores)},
      {"sockets", static_cast<std::int64_t>(topology.sockets)},
      {"numa_nodes", static_cast<std::int64_t>(topology.numa_nodes)},
      {"memory_bytes", static_cast<std::int64_t>(topology.memory_bytes)},
      {"last_level_cache_bytes", static_cast<std::int64_t>(topology.llc_bytes)},
      {"fingerprint", host.fingerprint.hex()},
  };
  return host;
}

}  // namespace kernsweep
