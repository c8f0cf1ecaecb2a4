#include "shared/keys/key_changes.hpp"

#include <algorithm>

namespace kernsweep {
namespace {

constexpr std::string_view kJoin = ".join";
constexpr std::string_view kKeys = ".keys";

std::string without(const std::string& path, std::string_view ending) {
  return path.ends_with(ending) ? path.substr(0, path.size() - ending.size()) : path;
}

const KnownKey* accepted_key(const KeyFile& keys, const std::string& name, UnixSeconds now) {
  const auto found = std::ranges::find_if(
      keys.keys, [&](const KnownKey& key) { return key.name == name && key.accepted(now); });
  return found == keys.keys.end() ? nullptr : &*found;
}

Error nobody_has(const std::string& name) {
  return Error{"no accepted key is named '" + name + "'; 'kernsweep keys list' shows them"};
}

JoinFile make_key(KeyFile& keys, const std::string& name, KeyRole role, UnixSeconds now) {
  const KeyPair own = make_key_pair();
  keys.keys.push_back({name, role, own.public_key, now, std::nullopt});
  return join_file_for(keys, name, role, own);
}

}  // namespace

std::string key_path_of(const std::string& join_path) {
  return without(join_path, kJoin) + std::string(kKeys);
}

std::string join_path_of(const std::string& key_path, const std::string& key_name) {
  const std::string stem = without(key_path, kKeys);
  return stem + (key_name == kWorkerKey ? "" : "." + key_name) + std::string(kJoin);
}

JoinFile join_file_for(const KeyFile& keys, const std::string& name, KeyRole role, const KeyPair& own) {
  return {name, role, keys.endpoints, public_of(keys.secret), own};
}

Result<JoinFile> add_key(KeyFile& keys, const std::string& name, KeyRole role, UnixSeconds now) {
  if (!is_key_name(name)) {
    return failure("'" + name +
                   "' cannot be the name of a key; use up to 64 letters, digits, '.', '-' and '_'");
  }
  if (accepted_key(keys, name, now)) {
    return failure("there is a key named '" + name + "'; exchange it with 'kernsweep keys rotate " + name +
                   "', or choose another name");
  }
  return make_key(keys, name, role, now);
}

Status revoke_key(KeyFile& keys, const std::string& name, UnixSeconds now) {
  if (!accepted_key(keys, name, now)) return tl::unexpected(nobody_has(name));
  for (KnownKey& key : keys.keys) {
    if (key.name == name && key.accepted(now)) key.revoked = now;
  }
  return Done{};
}

Result<JoinFile> rotate_key(KeyFile& keys, const std::string& name, UnixSeconds now, UnixSeconds until) {
  const KnownKey* const former = accepted_key(keys, name, now);
  if (!former) return tl::unexpected(nobody_has(name));
  const KeyRole role = former->role;
  for (KnownKey& key : keys.keys) {
    if (key.name == name && key.accepted(now)) key.revoked = std::min(key.revoked.value_or(until), until);
  }
  return make_key(keys, name, role, now);
}

void rotate_coordinator(KeyFile& keys, UnixSeconds now, UnixSeconds until) {
  keys.former.reset();
  if (until > now) keys.former = FormerSecret{keys.secret, until};
  keys.secret = make_key_pair().secret_key;
}

}  // namespace kernsweep
