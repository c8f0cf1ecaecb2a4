#include "kernels/cpu/linear/loops.hpp"

namespace kernsweep::linear {

const Loops* find_loops(std::string_view isa) {
  const bool best = isa == "best";
#if defined(__x86_64__)
  if ((best || isa == "avx512_vnni") && __builtin_cpu_supports("avx512vnni") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return &kLoopsAvx512;
  if ((best || isa == "avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return &kLoopsAvx2;
#endif
  return best || isa == "baseline" ? &kLoopsBaseline : nullptr;
}

}  // namespace kernsweep::linear
