#include <sodium.h>

#include "shared/base/result.hpp"
#include "shared/keys/curve_key.hpp"

namespace kernsweep {

KeyPair make_key_pair() {
  KS_ASSERT(sodium_init() >= 0);  // 1: was initialised before
  KeyPair pair;
  static_assert(crypto_box_PUBLICKEYBYTES == 32 && crypto_box_SECRETKEYBYTES == 32);
  KS_ASSERT(crypto_box_keypair(pair.public_key.data(), pair.secret_key.data()) == 0);
  return pair;
}

CurveKey public_of(const CurveKey& secret_key) {
  CurveKey key{};
  KS_ASSERT(crypto_scalarmult_base(key.data(), secret_key.data()) == 0);
  return key;
}

}  // namespace kernsweep
