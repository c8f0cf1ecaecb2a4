// The identity of this host: the stable properties that decide whether two results may be compared, as text
// (stable_properties.hpp) and as a hash of that text. A changed property gives another fingerprint. It
// contains no user name, no address and no serial number.
#pragma once

#include <map>
#include <string>

#include "shared/base/digest.hpp"
#include "shared/base/value.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep {

struct HostIdentity {
  Digest fingerprint;
  std::map<std::string, std::string> properties;  // stable_properties()
  std::string text;          // the same as text (shared/lists/property_lines.hpp): the hash's input
  std::string name;          // the host's name; not part of the text
  std::string kernel;        // "Linux 6.1.0"
  std::string distribution;  // "Debian GNU/Linux 12 (bookworm)"
  std::map<std::string, Value> facts;  // host.<key> of `requires`
};

struct HostConditions;

// `cores`: number of cores that the worker offers (host.cores). `name`: empty: the system's host name.
HostIdentity identify_host(const Topology& topology, const HostConditions& conditions, std::uint32_t cores,
                           const std::string& name = "");
// The same with the current conditions of this host.
HostIdentity identify_host(const Topology& topology, std::uint32_t cores, const std::string& name = "");

}  // namespace kernsweep
