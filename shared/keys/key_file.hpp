// The coordinator's key file, NAME.keys: its secret key, and the keys that may connect. JSON, mode 0600:
//
//   {"kernsweep": "keys", "format": 1, "secret": KEY, "former": {"secret": KEY, "until": TIME},
//    "endpoints": ["tcp://10.0.0.5:7777"],
//    "keys": [{"name": "worker", "role": "worker", "public": KEY, "created": TIME, "revoked": TIME}]}
//
// KEY: 40 characters of Z85. TIME: "2026-01-31T12:00:00Z". `former`, `revoked` and `endpoints` may be
// missing. If the time of revocation is in the future, the key is accepted until then. A running
// coordinator notices within a second that the file has changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/keys/curve_key.hpp"

namespace kernsweep {

using UnixSeconds = std::int64_t;

struct KnownKey {
  std::string name;  // not unique: while a key is replaced, the old and the new one have the same name
  KeyRole role = KeyRole::worker;
  CurveKey public_key{};
  UnixSeconds created = 0;
  std::optional<UnixSeconds> revoked;
  bool accepted(UnixSeconds now) const { return !revoked || now < *revoked; }
};

struct FormerSecret {
  CurveKey secret{};
  UnixSeconds until = 0;
};

struct KeyFile {
  CurveKey secret{};
  std::optional<FormerSecret> former;  // accepted until its time, in addition to the new one
  std::vector<std::string> endpoints;  // the addresses that the coordinator last wrote to join files
  std::vector<KnownKey> keys;
};

UnixSeconds unix_seconds_now();
// "2026-11-21T16:43:05Z".
std::string time_text(UnixSeconds time);
// Returns nothing if `text` does not have that form, or the time is before 1970.
std::optional<UnixSeconds> time_from_text(const std::string& text);

std::string text_of(const KeyFile& file);
// `where` names the file in messages. Error: not JSON, not a key file, or a member is missing or wrong.
Result<KeyFile> key_file_of(const std::string& text, const std::string& where);

// Errors: as for read_secret_file() and write_secret_file().
Result<KeyFile> read_key_file(const std::string& path);
Status write_key_file(const std::string& path, const KeyFile& file);

}  // namespace kernsweep
