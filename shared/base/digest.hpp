// The identity of a thing: 128 bits of BLAKE2b (libsodium's generichash) over its complete description.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kernsweep {

struct Digest {
  std::array<std::uint8_t, 16> bytes{};
  friend auto operator<=>(const Digest&, const Digest&) = default;
  std::string hex() const;  // 32 lower-case digits
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

Digest digest_of(std::string_view content);
// The same hash, for content that is added in pieces.
class DigestStream {
 public:
  DigestStream();
  ~DigestStream();
  DigestStream(const DigestStream&) = delete;
  DigestStream& operator=(const DigestStream&) = delete;
  void add(const void* bytes, std::size_t size);
  Digest digest();  // once, after all was added

 private:
  struct State;
  std::unique_ptr<State> state_;
};
// Returns nothing if `hex` is not 32 hexadecimal digits, or `raw` not 16 bytes.
std::optional<Digest> digest_from_hex(std::string_view hex);
std::optional<Digest> digest_from_bytes(std::string_view raw);

}  // namespace kernsweep

template <>
struct std::hash<kernsweep::Digest> {
  std::size_t operator()(const kernsweep::Digest& d) const {
    std::size_t h;
    std::memcpy(&h, d.bytes.data(), sizeof h);
    return h;
  }
};
