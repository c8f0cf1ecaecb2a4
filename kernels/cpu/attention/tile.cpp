#include "kernels/cpu/attention/tile.hpp"

#include <string_view>

namespace kernsweep::attention {

const TileKernels* find_tile_kernels(const char* isa) {
  const std::string_view name = isa;
  const bool any = name == "best";
#if defined(__x86_64__)
  if ((any || name == "avx512f") && __builtin_cpu_supports("avx512f")) return &kTileAvx512;
  if ((any || name == "avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return &kTileAvx2;
#endif
  return any || name == "baseline" ? &kTileBaseline : nullptr;
}

}  // namespace kernsweep::attention
