// Random words and floats into device memory, an item being one block of four words.
#include "kernels/cuda/philox_kernels.hpp"
#include "kernels/cuda/thread_index.hpp"

namespace kernsweep::cuda {
namespace {

// Calls put(i, word i) for words `begin` to `begin` + 3 that are below n.
template <class Put>
__device__ void put_block(std::int64_t begin, std::int64_t n, const PhiloxBlock& block, Put put) {
  for (int w = 0; w < 4; ++w)
    if (begin + w < n) put(begin + w, block.words[w]);
}

}  // namespace
}  // namespace kernsweep::cuda

using namespace kernsweep::cuda;

extern "C" __global__ void philox_words(PhiloxWordsArguments a) {
  for (std::int64_t block = first_item(); 4 * block < a.n; block += items_apart()) {
    put_block(4 * block, a.n, philox_block(a.seed, a.stream, static_cast<std::uint64_t>(block)),
              [&](std::int64_t i, std::uint32_t word) { a.out[i] = word; });
  }
}

extern "C" __global__ void philox_uniform_f32(PhiloxUniformArguments a) {
  for (std::int64_t block = first_item(); 4 * block < a.n; block += items_apart()) {
    put_block(4 * block, a.n, philox_block(a.seed, 0, static_cast<std::uint64_t>(block)),
              [&](std::int64_t i, std::uint32_t word) { a.out[i] = uniform_f32(word, a.range); });
  }
}
