#include "transport/allowed_keys.hpp"

namespace kernsweep {

void AllowedKeys::replace(const std::vector<AllowedKey>& keys) {
  std::unordered_map<std::string, KeyHolder> holders;
  for (const AllowedKey& key : keys) holders[z85_of(key.public_key)] = key.holder;
  const std::lock_guard lock(mutex_);
  holders_.swap(holders);
}

std::optional<KeyHolder> AllowedKeys::find(const std::string& z85) const {
  const std::lock_guard lock(mutex_);
  const auto found = holders_.find(z85);
  if (found == holders_.end()) return std::nullopt;
  return found->second;
}

}  // namespace kernsweep
