// The constants of Philox4x32 for our vectorised rounds; tensors/philox.cpp checks them against those of
// the library.
#pragma once

#include <cstdint>

namespace kernsweep::philox {

inline constexpr std::uint32_t kRounds = 7;
inline constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
inline constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t kKeyStep0 = 0x9E3779B9;
inline constexpr std::uint32_t kKeyStep1 = 0xBB67AE85;

}  // namespace kernsweep::philox
