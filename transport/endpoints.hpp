// Addresses in their text form: "tcp://HOST:PORT", "tcp://[::1]:7777", "ipc://@name".
#pragma once

#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

// Whether the endpoint begins with "tcp://".
bool is_tcp(const std::string& endpoint);
// Returns an error if the port is above 65535. libzmq finds other mistakes.
Status check_port(const std::string& endpoint);

// Whether the address has version 6, is all addresses of this machine ("*"), or is a name without a version
// 4 address. Looks a name up once per process, which may take seconds.
bool needs_version_6(const std::string& endpoint);

// Replaces a name (localhost, this machine's) by an address, and an interface that has only version 6
// addresses by one of them, because libzmq binds to neither. Returns the input if there is no address. A
// lookup may take seconds; a name that leads only to this machine is logged as a warning.
std::string endpoint_to_bind(const std::string& endpoint);

// The addresses by which other machines reach a socket that is bound to `bound`. A host of "*", "0.0.0.0"
// or "[::]" becomes each address of every interface that is up, followed by the machine's name; any other
// address is unchanged. Link-local addresses, which need an interface, are omitted. Logs a warning if only
// the name remains.
std::vector<std::string> reachable_endpoints(const std::string& bound);

}  // namespace kernsweep
