// The join files that lie beside a key file.
#pragma once

#include <string>
#include <vector>

#include "shared/keys/key_file.hpp"

namespace kernsweep {

// Those of keys that are accepted `now` get the coordinator's present key and addresses, if they have
// others. Returns the paths of those that were written. One that cannot be read, or has another key than
// the file of that name, is left as it is. Error: one cannot be written.
Result<std::vector<std::string>> renew_join_files(const std::string& key_path, const KeyFile& keys,
                                                  UnixSeconds now);

}  // namespace kernsweep
