#include "worker/lost_cores.hpp"

#include <vector>

namespace kernsweep {

std::string text_of(const Topology& topology, const LostCores& lost) {
  std::vector<std::uint32_t> cpus;
  for (const auto& [core, why] : lost) cpus.push_back(topology.cores.at(core).cpu);
  return (cpus.size() == 1 ? "core " : "cores ") + cpu_list_text(cpus);
}

void tell(const Topology& topology, const LostCores& lost, wire::HostFacts& out) {
  std::map<std::string, LostCores> by_reason;
  for (const auto& [core, why] : lost) by_reason[why].emplace(core, why);
  for (const auto& [why, cores] : by_reason) {
    wire::LostCores& group = *out.add_lost_cores();
    for (const auto& [core, same] : cores) group.add_cpus(topology.cores.at(core).cpu);
    group.set_why(why);
  }
}

Topology cores_left(const Topology& topology, const LostCores& lost) {
  Topology left = topology;
  left.cores.clear();
  for (std::uint32_t core = 0; core < topology.cores.size(); ++core) {
    if (!lost.contains(core)) left.cores.push_back(topology.cores[core]);
  }
  return left;
}

}  // namespace kernsweep
