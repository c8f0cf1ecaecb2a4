// Addresses as they are written: "tcp://HOST:PORT", "tcp://[::1]:7777", "ipc://@name".
#pragma once

#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

bool is_tcp(const std::string& endpoint);
// Error: it names a port above 65535. What else may be wrong libzmq finds.
Status check_port(const std::string& endpoint);

// How others reach a socket that is bound there: a host of "*", "0.0.0.0" or "[::]" becomes each address of
// an interface of this machine that is up, and then its name; any other address stays as it is. Link-local
// addresses are left out, because they mean nothing without an interface.
std::vector<std::string> reachable_endpoints(const std::string& bound);

}  // namespace kernsweep
