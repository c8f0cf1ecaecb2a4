// The loops for AVX-512 (F, BW, DQ, VL). Compiled with these. Includes no header with inline functions,
// because the linker could use these instances in files for other processors. The zero-masked forms with a
// full mask equal the plain ones, for which gcc 12 warns in its own header (GCC bug 105593).
#if defined(__x86_64__)
#include <immintrin.h>

#include "tensors/loops_body.hpp"
#include "tensors/philox_lanes.hpp"

namespace kernsweep {
namespace {

struct Avx512 {
  using Lanes = __m512i;
  static constexpr std::size_t kBlocks = 8;
  static constexpr std::size_t kChains = 4;
  static constexpr __mmask8 kEvery = 0xff;
  // This order makes the blocks ascend after the pairs are interleaved within 128 bits.
  static Lanes offsets() { return _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7); }
  static Lanes all(std::uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
  static Lanes sum(Lanes a, Lanes b) { return _mm512_add_epi64(a, b); }
  static Lanes product(Lanes a, Lanes b) { return _mm512_maskz_mul_epu32(kEvery, a, b); }
  static Lanes high(Lanes a) { return _mm512_maskz_srli_epi64(kEvery, a, 32); }
  static Lanes mix(Lanes a, Lanes b, Lanes c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);  // the truth table of a ^ b ^ c
  }
  static Lanes both(Lanes a, Lanes b) { return _mm512_and_si512(a, b); }
  static Lanes load(const std::uint32_t* from) { return _mm512_loadu_si512(from); }
  static void put(std::uint32_t* out, Lanes a) { _mm512_storeu_si512(out, a); }
  static void store(Lanes w0, Lanes w1, Lanes w2, Lanes w3, std::uint32_t* out) {
    const Lanes first = _mm512_mask_blend_epi32(0xaaaa, w0, _mm512_maskz_slli_epi64(kEvery, w1, 32));
    const Lanes second = _mm512_mask_blend_epi32(0xaaaa, w2, _mm512_maskz_slli_epi64(kEvery, w3, 32));
    _mm512_storeu_si512(out, _mm512_maskz_unpacklo_epi64(kEvery, first, second));
    _mm512_storeu_si512(out + 16, _mm512_maskz_unpackhi_epi64(kEvery, first, second));
  }
};

// `count` is a multiple of 8: the last step may be half a vector.
void f16_of_floats(const float* from, std::size_t count, std::uint16_t* out) {
  for (std::size_t i = 0; i < count; i += 16) {
    const auto wanted = static_cast<__mmask16>(count - i >= 16 ? 0xffff : 0xff);
    const __m512 floats = _mm512_maskz_loadu_ps(wanted, from + i);
    const __m256i rounded = _mm512_maskz_cvtps_ph(wanted, floats, _MM_FROUND_TO_NEAREST_INT);
    _mm256_mask_storeu_epi16(out + i, wanted, rounded);
  }
}

}  // namespace

extern const Loops kLoopsAvx512;
const Loops kLoopsAvx512 = loops_with(philox_in_lanes<Avx512>, f16_of_floats, scale_pairs_in_lanes<Avx512>);

}  // namespace kernsweep
#endif
