// The keys that may connect. Shared by the socket's owner, which changes it, and the thread that
// authenticates new connections. Thread-safe: each call holds a lock.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared/keys/curve_key.hpp"

namespace kernsweep {

struct KeyHolder {
  std::string name;
  KeyRole role = KeyRole::worker;
};

struct AllowedKey {
  CurveKey public_key{};
  KeyHolder holder;
};

class AllowedKeys {
 public:
  // Replaces all keys.
  void replace(const std::vector<AllowedKey>& keys);
  // Returns nothing if the key is unknown or no longer allowed. `z85`: the public key as text.
  std::optional<KeyHolder> find(const std::string& z85) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, KeyHolder> holders_;  // by public key in Z85
};

}  // namespace kernsweep
