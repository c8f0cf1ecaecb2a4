// The properties of a host that do not change from one boot to the next and that affect how fast it
// computes: the input of its fingerprint. Changing values (load, free memory, clock, stolen time) are left
// out; they are in the `conditions` of each result. Names of persons and hosts, addresses and serial
// numbers are left out, too.
#pragma once

#include <map>
#include <set>
#include <string>

namespace kernsweep {

struct HostConditions;
struct Topology;

// For example "cpu.microcode" -> "0x2b000603". Every key is always present; the value is empty if the
// system does not report the property. Values have one line.
using Properties = std::map<std::string, std::string>;

// `machine`: as uname reports it ("x86_64").
Properties stable_properties(const Topology& topology, const HostConditions& host,
                             const std::string& machine);

// The flags that name instructions which kernels may use, sorted. Others (power states, mitigations, flags
// that only newer kernels list) are left out.
std::set<std::string> instruction_sets(const std::set<std::string>& flags);

}  // namespace kernsweep
