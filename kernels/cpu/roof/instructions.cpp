#include "kernels/cpu/roof/instructions.hpp"

#include <string_view>

namespace kernsweep::roof {

const char* name_of(Instructions instructions) {
  switch (instructions) {
    case Instructions::plain:
      return "plain";
    case Instructions::avx2:
      return "avx2";
    case Instructions::avx512:
      return "avx512";
  }
  return "";
}

const Loops* find_loops(Instructions instructions, [[maybe_unused]] std::string& why) {
  if (instructions == Instructions::plain) return &kPlainLoops;
#if defined(__x86_64__)
  if (instructions == Instructions::avx2) {
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &kAvx2Loops;
    why = "this processor has no AVX2 with FMA";
    return nullptr;
  }
  if (__builtin_cpu_supports("avx512f")) return &kAvx512Loops;
  why = "this processor has no AVX-512";
#else
  why = instructions == Instructions::avx2 ? "this architecture has no AVX2"
                                           : "this architecture has no AVX-512";
#endif
  return nullptr;
}

const Chain* find_chain(Instructions instructions, ks_dtype dtype, std::string& why) {
  const Loops* const loops = find_loops(instructions, why);
  if (loops == nullptr) return nullptr;
  if (dtype == KS_F64) return &loops->f64;
  if (dtype == KS_F32) return &loops->f32;
  if (dtype == KS_F16) {
    why = "no loop here multiplies f16; on a GPU the variant cuda does";
    return nullptr;
  }
  const Chain* const dot = dtype == KS_BF16 ? loops->bf16 : loops->s8;
  if (dot == nullptr) {
    why = std::string(name_of(instructions)) + " has no multiply-add of " +
          (dtype == KS_BF16 ? "bf16" : "s8") + "; the variant avx512 may have one";
    return nullptr;
  }
#if defined(__x86_64__)
  if (dtype == KS_BF16 && !__builtin_cpu_supports("avx512bf16")) {
    why = "this processor has no AVX512_BF16 (vdpbf16ps)";
    return nullptr;
  }
  if (dtype == KS_S8 && !__builtin_cpu_supports("avx512vnni")) {
    why = "this processor has no AVX512_VNNI (vpdpbusd)";
    return nullptr;
  }
#endif
  return dot;
}

}  // namespace kernsweep::roof
