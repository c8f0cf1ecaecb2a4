// The instruction set of our own kernels that are compiled for several: the parameter `isa`.
#pragma once

#include <string_view>

namespace kernsweep {

inline constexpr char kIsaChoices[] = "best|avx512f|avx2|baseline";
inline constexpr char kIsaSummary[] = "instruction set; best: the widest of the processor";

// The kernels for the set named `isa`, one of kIsaChoices; "best": for the first that this processor and
// its operating system have. Null if they do not have it. `avx512f` needs AVX-512F, `avx2` AVX2 and FMA; on
// other processors than x86-64 both are null; `baseline` is never null.
template <class Kernels>
const Kernels* kernels_for(std::string_view isa, [[maybe_unused]] const Kernels* avx512f,
                           [[maybe_unused]] const Kernels* avx2, const Kernels* baseline) {
  const bool best = isa == "best";
#if defined(__x86_64__)  // __builtin_cpu_supports also checks the operating system's support (XCR0)
  if ((best || isa == "avx512f") && __builtin_cpu_supports("avx512f")) return avx512f;
  if ((best || isa == "avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2;
#endif
  return best || isa == "baseline" ? baseline : nullptr;
}

}  // namespace kernsweep

// The same for objects; the first two exist only on x86-64 processors.
#if defined(__x86_64__)
#define KERNSWEEP_KERNELS_FOR(isa, avx512f, avx2, baseline) \
  ::kernsweep::kernels_for(isa, &(avx512f), &(avx2), &(baseline))
#else
#define KERNSWEEP_KERNELS_FOR(isa, avx512f, avx2, baseline)                                       \
  ::kernsweep::kernels_for(isa, decltype (&(baseline))(nullptr), decltype (&(baseline))(nullptr), \
                           &(baseline))
#endif
