// The loops for any processor, and the choice between the three.
#include "shared/result.hpp"
#include "shared/tensors/loops_body.hpp"

namespace kernsweep {

#if defined(__x86_64__)
extern const Loops kLoopsAvx2;
extern const Loops kLoopsAvx512;
#endif

namespace {

std::size_t no_philox_blocks(std::uint64_t, std::uint32_t, std::uint64_t, std::uint32_t*, std::size_t) {
  return 0;
}

constexpr Loops kLoopsPlain = {no_philox_blocks, uniform_f32, uniform_f64, normal_of_word, normal_of_pair};

}  // namespace

bool usable(Instructions instructions) {
#if defined(__x86_64__)
  switch (instructions) {
    case Instructions::plain:
      return true;
    case Instructions::avx2:
      return __builtin_cpu_supports("avx2") != 0;
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
