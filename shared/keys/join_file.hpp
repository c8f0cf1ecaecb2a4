// The join file: all that a worker or a client needs to reach a coordinator. JSON, mode 0600:
//
//   {"kernsweep": "join", "format": 1, "name": "worker", "role": "worker",
//    "endpoints": ["tcp://10.0.0.5:7777"], "coordinator": KEY, "public": KEY, "secret": KEY}
//
// KEY: 40 characters of Z85. `coordinator` is the coordinator's public key, with which a connection is
// checked. `public` belongs to `secret`. Members that this version does not know are ignored.
// docs/reference/security.md describes what each role may do.
#pragma once

#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/keys/curve_key.hpp"

namespace kernsweep {

struct JoinFile {
  std::string name;  // of the key
  KeyRole role = KeyRole::worker;
  std::vector<std::string> endpoints;  // to be tried in this order; at least one
  CurveKey coordinator{};
  KeyPair own;
};

// Letters, digits, '.', '-' and '_', 1 to 64 of them, not beginning with '.' or '-': fit for a file's name.
bool is_key_name(const std::string& name);

std::string text_of(const JoinFile& file);
// `where` names the file in messages. Error: not JSON, not a join file, or a member is missing or wrong.
Result<JoinFile> join_file_of(const std::string& text, const std::string& where);

// Errors: as for read_secret_file() and write_secret_file().
Result<JoinFile> read_join_file(const std::string& path);
Status write_join_file(const std::string& path, const JoinFile& file);

}  // namespace kernsweep
