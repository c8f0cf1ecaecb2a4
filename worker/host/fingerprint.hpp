// Who this host is: the stable properties that decide whether two results may be compared, as text
// (stable_properties.hpp) and as a hash over that text. Change one property, get another fingerprint. No
// user name, no address, no serial number.
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
  std::string text;                    // the same as text (shared/lists/property_lines.hpp): what is hashed
  std::string name;                    // the host's own name; not part of the text
  std::string kernel;                  // "Linux 6.1.0"
  std::string distribution;            // "Debian GNU/Linux 12 (bookworm)"
  std::map<std::string, Value> facts;  // what `requires` may ask as host.<key>
};

struct HostConditions;

// `cores` is how many cores the worker offers (host.cores). `name`: empty: the system's own.
HostIdentity identify_host(const Topology& topology, const HostConditions& conditions, std::uint32_t cores,
                           const std::string& name = "");
// With the conditions of this very host, read now.
HostIdentity identify_host(const Topology& topology, std::uint32_t cores, const std::string& name = "");

}  // namespace kernsweep
