// 16 random bytes from the operating system, as a secret that a parent shares with its child, or as a
// unique name.
#pragma once

#include <sys/random.h>

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

inline std::string random_token() {
  std::string token(16, '\0');
  KS_ASSERT(getrandom(token.data(), token.size(), 0) == static_cast<ssize_t>(token.size()));
  return token;
}

}  // namespace kernsweep
