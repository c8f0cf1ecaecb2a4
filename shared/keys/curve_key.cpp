#include "shared/keys/curve_key.hpp"

namespace kernsweep {
namespace {

constexpr std::string_view kAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
static_assert(kAlphabet.size() == 85);
constexpr std::size_t kCharacters = 40;

}  // namespace

const char* text_of(KeyRole role) {
  return role == KeyRole::client ? "client" : "worker";
}

std::optional<KeyRole> role_from_text(std::string_view text) {
  if (text == "worker") return KeyRole::worker;
  if (text == "client") return KeyRole::client;
  return std::nullopt;
}

std::string z85_of(const CurveKey& key) {
  std::string text;
  for (std::size_t at = 0; at < key.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) word = word << 8 | key[at + i];
    char five[5];
    for (int i = 4; i >= 0; --i, word /= 85) five[i] = kAlphabet[word % 85];
    text.append(five, sizeof five);
  }
  return text;
}

std::optional<CurveKey> key_from_z85(std::string_view text) {
  if (text.size() != kCharacters) return std::nullopt;
  CurveKey key{};
  for (std::size_t group = 0; group < kCharacters / 5; ++group) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const auto digit = kAlphabet.find(text[group * 5 + i]);
      if (digit == std::string_view::npos) return std::nullopt;
      word = word * 85 + digit;
    }
    if (word > 0xFFFFFFFFU) return std::nullopt;  // 85^5 is a little more than 2^32
    for (std::size_t i = 0; i < 4; ++i)
      key[group * 4 + i] = static_cast<std::uint8_t>(word >> (24 - 8 * i));
  }
  return key;
}

}  // namespace kernsweep
