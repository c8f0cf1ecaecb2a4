// The only file that includes Random123.
#include <Random123/philox.h>

#include "shared/base/philox_constants.hpp"
#include "shared/base/result.hpp"
#include "tensors/philox.hpp"

namespace kernsweep {

static_assert(philox::kMultiplier0 == PHILOX_M4x32_0 && philox::kMultiplier1 == PHILOX_M4x32_1);
static_assert(philox::kKeyStep0 == PHILOX_W32_0 && philox::kKeyStep1 == PHILOX_W32_1);

void fill_philox(std::uint64_t seed, std::uint32_t stream, std::uint64_t first_block,
                 std::span<std::uint32_t> words, Instructions instructions) {
  KS_ASSERT(words.size() % 4 == 0);
  const std::size_t done =
      loops_for(instructions).philox_blocks(seed, stream, first_block, words.data(), words.size() / 4);
  const philox4x32_key_t key = {{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  for (std::size_t i = done; i < words.size() / 4; ++i) {
    const std::uint64_t block = first_block + i;
    const philox4x32_ctr_t counter = {
        {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), stream, 0}};
    const philox4x32_ctr_t random = philox4x32_R(philox::kRounds, counter, key);
    for (std::size_t w = 0; w < 4; ++w) words[4 * i + w] = random.v[w];
  }
}

void philox_block(const std::uint32_t counter[4], const std::uint32_t key[2], std::uint32_t out[4]) {
  const philox4x32_ctr_t random =
      philox4x32_R(philox::kRounds, {{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
  for (int w = 0; w < 4; ++w) out[w] = random.v[w];
}

}  // namespace kernsweep
