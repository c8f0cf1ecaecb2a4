// The loops for any processor, and the choice between the three.
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "shared/base/dtype.hpp"
#include "shared/base/result.hpp"
#include "tensors/loops_body.hpp"

namespace kernsweep {

#if defined(__x86_64__)
extern const Loops kLoopsAvx2;
extern const Loops kLoopsAvx512;
#endif

namespace {

std::size_t no_philox_blocks(std::uint64_t, std::uint32_t, std::uint64_t, std::uint32_t*, std::size_t) {
  return 0;
}

void f16_by_integers(const float* __restrict from, std::size_t count, std::uint16_t* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = f16_of(from[i]);
}

void scale_pairs(std::uint32_t* words, std::size_t count, std::uint64_t numbers) {
  __extension__ using Wide = unsigned __int128;
  auto* const pairs = reinterpret_cast<Pair*>(words);
  for (std::size_t i = 0; i < count; ++i)
    pairs[i] = static_cast<std::uint64_t>((static_cast<Wide>(pairs[i]) * numbers) >> 64);
}

constexpr Loops kLoopsPlain = loops_with(no_philox_blocks, f16_by_integers, scale_pairs);

#if defined(__x86_64__)
// clang 14's __builtin_cpu_supports does not accept f16c.
bool has_f16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

}  // namespace

bool usable(Instructions instructions) {
#if defined(__x86_64__)
  switch (instructions) {
    case Instructions::plain:
      return true;
    case Instructions::avx2:
      return __builtin_cpu_supports("avx2") != 0 && has_f16c();
    case Instructions::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  }
#endif
  return instructions == Instructions::plain;
}

Instructions widest_instructions() {
  static const Instructions widest = usable(Instructions::avx512) ? Instructions::avx512
                                     : usable(Instructions::avx2) ? Instructions::avx2
                                                                  : Instructions::plain;
  return widest;
}

const Loops& loops_for(Instructions instructions) {
  KS_ASSERT(usable(instructions));
#if defined(__x86_64__)
  if (instructions == Instructions::avx2) return kLoopsAvx2;
  if (instructions == Instructions::avx512) return kLoopsAvx512;
#endif
  return kLoopsPlain;
}

}  // namespace kernsweep
