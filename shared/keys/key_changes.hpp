// What may be changed in a key file, and where the join file of each key lies: beside NAME.join are
// NAME.keys, NAME.client.join and, for a key KEY that was added, NAME.KEY.join.
//
// Pure: nothing here uses the disk or a clock.
#pragma once

#include <string>

#include "shared/keys/join_file.hpp"
#include "shared/keys/key_file.hpp"

namespace kernsweep {

inline constexpr const char* kWorkerKey = "worker";  // the name of the key in NAME.join
inline constexpr const char* kClientKey = "client";  // of that in NAME.client.join

// "cluster.join" -> "cluster.keys"; a name without ".join" just gets ".keys".
std::string key_path_of(const std::string& join_path);
// "cluster.keys", "node7" -> "cluster.node7.join".
std::string join_path_of(const std::string& key_path, const std::string& key_name);

// A key that was just made, with its secret, which is stored nowhere else.
JoinFile join_file_for(const KeyFile& keys, const std::string& name, KeyRole role, const KeyPair& own);

// Error: the name cannot be one, or an accepted key has it.
Result<JoinFile> add_key(KeyFile& keys, const std::string& name, KeyRole role, UnixSeconds now);
// All keys of that name, from now on. Error: no accepted key has it.
Status revoke_key(KeyFile& keys, const std::string& name, UnixSeconds now);
// A new key of that name and role; the former is accepted until `until`. Error: no accepted key has it.
Result<JoinFile> rotate_key(KeyFile& keys, const std::string& name, UnixSeconds now, UnixSeconds until);
// A new secret key of the coordinator; the former one is accepted until `until` (not at all if that is now
// or earlier).
void rotate_coordinator(KeyFile& keys, UnixSeconds now, UnixSeconds until);

}  // namespace kernsweep
