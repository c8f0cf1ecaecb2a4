// Keys of Curve25519, as CURVE uses them: 32 bytes each, written as 40 characters of Z85.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernsweep {

using CurveKey = std::array<std::uint8_t, 32>;

struct KeyPair {
  CurveKey public_key{};
  CurveKey secret_key{};
};

// What the holder of a key may do: measure for a coordinator (worker), or send requests to it (client).
enum class KeyRole : std::uint8_t { worker = 1, client };
const char* text_of(KeyRole role);  // "worker", "client"
std::optional<KeyRole> role_from_text(std::string_view text);

// A new pair, from random bytes of the operating system.
KeyPair make_key_pair();
CurveKey public_of(const CurveKey& secret_key);

// Z85 (ZeroMQ RFC 32): four bytes as five printable characters, none of which JSON must escape.
std::string z85_of(const CurveKey& key);
// Returns nothing unless `text` is 40 characters of Z85 that encode 32 bytes.
std::optional<CurveKey> key_from_z85(std::string_view text);

}  // namespace kernsweep
