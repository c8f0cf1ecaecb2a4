#include "shared/base/digest.hpp"

#include <sodium.h>

#include "shared/base/result.hpp"

namespace kernsweep {
namespace {

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string Digest::hex() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const auto byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

Digest digest_of(std::string_view content) {
  Digest digest;
  const int rc = crypto_generichash(digest.bytes.data(), digest.bytes.size(),
                                    reinterpret_cast<const unsigned char*>(content.data()), content.size(),
                                    nullptr, 0);
  KS_ASSERT(rc == 0);
  return digest;
}

struct DigestStream::State {
  crypto_generichash_state hash;
};

DigestStream::DigestStream() : state_(std::make_unique<State>()) {
  KS_ASSERT(crypto_generichash_init(&state_->hash, nullptr, 0, sizeof(Digest::bytes)) == 0);
}
DigestStream::~DigestStream() = default;

void DigestStream::add(const void* bytes, std::size_t size) {
  crypto_generichash_update(&state_->hash, static_cast<const unsigned char*>(bytes), size);
}

Digest DigestStream::digest() {
  Digest digest;
  KS_ASSERT(crypto_generichash_final(&state_->hash, digest.bytes.data(), digest.bytes.size()) == 0);
  return digest;
}

std::optional<Digest> digest_from_hex(std::string_view hex) {
  Digest digest;
  if (hex.size() != 2 * digest.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const int high = nibble(hex[2 * i]);
    const int low = nibble(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return digest;
}

std::optional<Digest> digest_from_bytes(std::string_view raw) {
  Digest digest;
  if (raw.size() != digest.bytes.size()) return std::nullopt;
  std::memcpy(digest.bytes.data(), raw.data(), raw.size());
  return digest;
}

}  // namespace kernsweep
