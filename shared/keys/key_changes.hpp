// Changes of a key file, and the path of each key's join file. The folder of NAME.join also has NAME.keys,
// NAME.client.join and, for a key KEY that was added, NAME.KEY.join.
//
// Nothing here uses the disk or a clock.
#pragma once

#include <string>

#include "shared/keys/join_file.hpp"
#include "shared/keys/key_file.hpp"

namespace kernsweep {

inline constexpr const char* kWorkerKey = "worker";  // the name of the key in NAME.join
inline constexpr const char* kClientKey = "client";  // the name of the key in NAME.client.join

// "cluster.join" -> "cluster.keys"; ".keys" is appended to a name without ".join".
std::string key_path_of(const std::string& join_path);
// "cluster.keys", "node7" -> "cluster.node7.join".
std::string join_path_of(const std::string& key_path, const std::string& key_name);

// The join file of a new key. It holds the key's secret, which is stored nowhere else.
JoinFile join_file_for(const KeyFile& keys, const std::string& name, KeyRole role, const KeyPair& own);

// Adds a key and returns its join file. Error: `name` is not a valid name, or an accepted key has it.
Result<JoinFile> add_key(KeyFile& keys, const std::string& name, KeyRole role, UnixSeconds now);
// Revokes all keys of that name at the time `now`. Error: no accepted key has it.
Status revoke_key(KeyFile& keys, const std::string& name, UnixSeconds now);
// Adds a new key of that name and role and returns its join file. The old key is accepted until `until`.
// Error: no accepted key has the name.
Result<JoinFile> rotate_key(KeyFile& keys, const std::string& name, UnixSeconds now, UnixSeconds until);
// Makes a new secret key of the coordinator. The old one is accepted until `until`, or not at all if that
// is `now` or earlier.
void rotate_coordinator(KeyFile& keys, UnixSeconds now, UnixSeconds until);

}  // namespace kernsweep
