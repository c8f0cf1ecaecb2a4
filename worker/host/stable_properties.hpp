// The properties of a host that stay as they are from one start to the next and that decide how fast it
// computes: what its fingerprint is made of. What changes by itself (load, free memory, the clock's speed,
// stolen time) is left out; `conditions` of each result has that. So is what names a person, an address or
// the machine itself.
#pragma once

#include <map>
#include <set>
#include <string>

namespace kernsweep {

struct HostConditions;
struct Topology;

// "cpu.microcode" -> "0x2b000603". Every key is always there; a property that this system does not show is
// empty. Values are one line each.
using Properties = std::map<std::string, std::string>;

// `machine`: as uname tells it ("x86_64").
Properties stable_properties(const Topology& topology, const HostConditions& host,
                             const std::string& machine);

// Of the processor's flags those that name instructions a kernel may be built from or written in, sorted.
// The others (power states, mitigations, what a newer kernel has learnt to list) are left out.
std::set<std::string> instruction_sets(const std::set<std::string>& flags);

}  // namespace kernsweep
