#include "worker/host/fingerprint.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include "shared/lists/property_lines.hpp"
#include "worker/host/doctor/conditions.hpp"
#include "worker/host/stable_properties.hpp"

namespace kernsweep {
namespace {

std::string hostname() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

}  // namespace

HostIdentity identify_host(const Topology& topology, const HostConditions& conditions, std::uint32_t cores,
                           const std::string& name) {
  HostIdentity host;
  utsname system{};
  uname(&system);
  host.name = name.empty() ? hostname() : name;
  host.kernel = std::string(system.sysname) + " " + conditions.kernel_release;
  host.distribution = conditions.distribution;
  host.properties = stable_properties(topology, conditions, system.machine);
  host.text = text_of_properties(host.properties);
  host.fingerprint = digest_of(host.text);

  std::string flags;
  for (const std::string& flag : conditions.instructions) flags += (flags.empty() ? "" : " ") + flag;
  host.facts = {
      {"name", host.name},
      {"cpu", topology.cpu_model},
      {"isa", flags},
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

HostIdentity identify_host(const Topology& topology, std::uint32_t cores, const std::string& name) {
  HostConditions conditions = conditions_under("/");
  if (const std::string named = hypervisor_signature(); !named.empty()) conditions.hypervisor = named;
  return identify_host(topology, conditions, cores, name);
}

}  // namespace kernsweep
