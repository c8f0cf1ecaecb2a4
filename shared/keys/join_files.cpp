#include "shared/keys/join_files.hpp"

#include "shared/base/try.hpp"
#include "shared/keys/key_changes.hpp"

namespace kernsweep {

Result<std::vector<std::string>> renew_join_files(const std::string& key_path, const KeyFile& keys,
                                                  UnixSeconds now) {
  const CurveKey present = public_of(keys.secret);
  std::vector<std::string> renewed;
  for (const KnownKey& key : keys.keys) {
    if (!key.accepted(now)) continue;
    const std::string path = join_path_of(key_path, key.name);
    auto join = read_join_file(path);
    if (!join || join->own.public_key != key.public_key) continue;
    if (join->endpoints == keys.endpoints && join->coordinator == present) continue;
    join->endpoints = keys.endpoints;
    join->coordinator = present;
    KS_RETURN_IF_ERROR(write_join_file(path, *join));
    renewed.push_back(path);
  }
  return renewed;
}

}  // namespace kernsweep
