// The join files in the folder of a key file.
#pragma once

#include <string>
#include <vector>

#include "shared/keys/key_file.hpp"

namespace kernsweep {

// Writes the coordinator's current key and addresses to the join files of all keys that are accepted `now`,
// if they differ. Returns the paths of the files that were written. A file that cannot be read, or whose
// key is not the one in the key file, is left unchanged. Error: a file cannot be written.
Result<std::vector<std::string>> renew_join_files(const std::string& key_path, const KeyFile& keys,
                                                  UnixSeconds now);

}  // namespace kernsweep
