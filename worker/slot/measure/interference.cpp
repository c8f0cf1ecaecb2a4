#include "worker/slot/measure/interference.hpp"

#include <string>

#include "shared/base/digest.hpp"

namespace kernsweep {

bool chosen_for_interference(std::uint64_t seed, std::uint64_t index, double share) {
  if (!(share > 0)) return false;
  const Digest digest = digest_of("interference/" + std::to_string(seed) + "/" + std::to_string(index));
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | digest.bytes[i];
  return static_cast<double>(number) < share * 4294967296.0;
}

}  // namespace kernsweep
