// The file of hosts for `kernsweep ssh`.
//
//   # a comment, here or at the end of a line
//   node1
//   ann@node2.example:2222  --cores 8     options of 'kernsweep worker' for this host alone
//   [2001:db8::7]:2222
//
// Words are separated by blanks, and there is no quoting. A host may stand there more than once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

struct SshHost {
  std::string text;         // as in the file: "ann@node2.example:2222"
  std::string destination;  // for ssh: "ann@node2.example"
  std::uint16_t port = 0;   // 0: as ~/.ssh/config says
  std::vector<std::string> worker_options;
};

// `where` names the file in messages. Errors, with the line: no host at all, a port that is none, a name
// that ssh would take for an option or that no host can have, an option that is not for a worker's host
// (--join, --connect) or that workers do not have.
Result<std::vector<SshHost>> parse_hosts(const std::string& text, const std::string& where);
Result<std::vector<SshHost>> read_hosts(const std::string& path);

}  // namespace kernsweep
