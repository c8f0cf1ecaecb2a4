// Reads the file of hosts for `kernsweep ssh`:
//
//   # a comment, here or at the end of a line
//   node1
//   ann@node2.example:2222  --cores 8     options of 'kernsweep worker' for this host alone
//   [2001:db8::7]:2222
//
// Words are separated by blanks; there is no quoting. A host may be listed more than once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct SshHost {
  std::string text;         // as in the file: "ann@node2.example:2222"
  std::string destination;  // for ssh: "ann@node2.example"
  std::uint16_t port = 0;   // 0: not given, so ssh chooses it (~/.ssh/config)
  std::vector<std::string> worker_options;
};

// `where` names the file in messages. Errors, with the line: an invalid port; a name that ssh would read as
// an option or that no host can have; an option that may not be set per host (--join, --connect) or that
// `kernsweep worker` does not have. Also an error: there is no host.
Result<std::vector<SshHost>> parse_hosts(const std::string& text, const std::string& where);
Result<std::vector<SshHost>> read_hosts(const std::string& path);

}  // namespace kernsweep
