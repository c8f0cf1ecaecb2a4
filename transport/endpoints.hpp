// Addresses as they are written: "tcp://HOST:PORT", "tcp://[::1]:7777", "ipc://@name".
#pragma once

#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

bool is_tcp(const std::string& endpoint);
// Error: the port is above 65535. Other mistakes are found by libzmq.
Status check_port(const std::string& endpoint);

// Whether the address is one of version 6, all of this machine's ("*"), or a name that has no address of
// version 4. Looks a name up once in this process, which may take seconds.
bool needs_version_6(const std::string& endpoint);

// The same with an address in place of a name (localhost, this machine's), and of an interface that only
// has addresses of version 6: libzmq binds to neither. As it is where there is none. A name may take
// seconds; one that leads to this machine alone is logged as a warning.
std::string endpoint_to_bind(const std::string& endpoint);

// The addresses by which other machines reach a socket that is bound to `bound`. A host of "*", "0.0.0.0"
// or "[::]" becomes each address of an interface of this machine that is up, and then the machine's name;
// any other address stays as it is. Link-local addresses are left out, which need an interface. Logs a
// warning where only the name is left.
std::vector<std::string> reachable_endpoints(const std::string& bound);

}  // namespace kernsweep
