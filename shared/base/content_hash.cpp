#include <xxhash.h>

#include <cstring>

#include "shared/base/content_hash.hpp"

namespace kernsweep {
namespace {

Digest digest_of_hash(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  Digest digest;
  static_assert(sizeof canonical.digest == sizeof digest.bytes);
  std::memcpy(digest.bytes.data(), canonical.digest, sizeof canonical.digest);
  return digest;
}

}  // namespace

Digest content_hash(const void* bytes, std::size_t size) {
  return digest_of_hash(XXH3_128bits(bytes, size));
}

struct ContentHasher::State {
  XXH3_state_t* xxh3 = XXH3_createState();
  State() { XXH3_128bits_reset(xxh3); }
  ~State() { XXH3_freeState(xxh3); }
};

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) {}
ContentHasher::~ContentHasher() = default;
void ContentHasher::add(const void* bytes, std::size_t size) {
  if (size > 0) XXH3_128bits_update(state_->xxh3, bytes, size);
}
Digest ContentHasher::digest() const {
  return digest_of_hash(XXH3_128bits_digest(state_->xxh3));
}

}  // namespace kernsweep
