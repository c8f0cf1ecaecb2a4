// The loops for AVX2. Compiled with -mavx2 -mf16c. Includes no header with inline functions, because the
// linker could use these instances in files for other processors.
#if defined(__x86_64__)
#include <immintrin.h>

#include "tensors/loops_body.hpp"
#include "tensors/philox_lanes.hpp"

namespace kernsweep {
namespace {

struct Avx2 {
  using Lanes = __m256i;
  static constexpr std::size_t kBlocks = 4;
  static constexpr std::size_t kChains = 2;
  // This order makes the blocks ascend after the pairs are interleaved within 128 bits.
  static Lanes offsets() { return _mm256_setr_epi64x(0, 2, 1, 3); }
  static Lanes all(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
  static Lanes sum(Lanes a, Lanes b) { return _mm256_add_epi64(a, b); }
  static Lanes product(Lanes a, Lanes b) { return _mm256_mul_epu32(a, b); }
  static Lanes high(Lanes a) { return _mm256_srli_epi64(a, 32); }
  static Lanes mix(Lanes a, Lanes b, Lanes c) { return _mm256_xor_si256(_mm256_xor_si256(a, b), c); }
  static Lanes both(Lanes a, Lanes b) { return _mm256_and_si256(a, b); }
  static Lanes load(const std::uint32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void put(std::uint32_t* out, Lanes a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), a); }
  static void store(Lanes w0, Lanes w1, Lanes w2, Lanes w3, std::uint32_t* out) {
    const Lanes first = _mm256_blend_epi32(w0, _mm256_slli_epi64(w1, 32), 0xaa);
    const Lanes second = _mm256_blend_epi32(w2, _mm256_slli_epi64(w3, 32), 0xaa);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_unpacklo_epi64(first, second));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 8), _mm256_unpackhi_epi64(first, second));
  }
};

void f16_of_floats(const float* from, std::size_t count, std::uint16_t* out) {
  for (std::size_t i = 0; i < count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
}

}  // namespace

extern const Loops kLoopsAvx2;
const Loops kLoopsAvx2 = loops_with(philox_in_lanes<Avx2>, f16_of_floats, scale_pairs_in_lanes<Avx2>);

}  // namespace kernsweep
#endif
