#include <nlohmann/json.hpp>

#include "cli/show/json.hpp"
#include "shared/keys/key_file.hpp"

namespace kernsweep {

std::string keys_json(const KeyFile& keys, UnixSeconds now) {
  nlohmann::ordered_json out;
  out["coordinator"] = z85_of(public_of(keys.secret));
  if (keys.former && now < keys.former->until) out["former_until"] = time_text(keys.former->until);
  out["endpoints"] = keys.endpoints;
  out["keys"] = nlohmann::ordered_json::array();
  for (const KnownKey& key : keys.keys) {
    nlohmann::ordered_json entry;
    entry["name"] = key.name;
    entry["role"] = text_of(key.role);
    entry["public"] = z85_of(key.public_key);
    entry["created"] = time_text(key.created);
    entry["revoked"] =
        key.revoked ? nlohmann::ordered_json(time_text(*key.revoked)) : nlohmann::ordered_json();
    entry["accepted"] = key.accepted(now);
    out["keys"].push_back(std::move(entry));
  }
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace kernsweep
