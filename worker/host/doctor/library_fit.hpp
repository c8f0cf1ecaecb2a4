// Compares the instructions that a library uses, derived from the name of its kernel set, with those of the
// processor. OpenBLAS and BLIS choose from a list that was fixed when they were released: on a newer
// processor they use the nearest set of the list, or the oldest one.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernsweep {

// The vectors that a kernel set uses, in ascending order within one architecture.
enum class VectorLevel : std::uint8_t { sse = 1, avx, avx2, avx512, avx512_bf16, amx, neon = 16, sve };

const char* name_of(VectorLevel level);

// The best level of the processor, from the kernel's names of its instruction sets; nothing if unknown.
std::optional<VectorLevel> level_of_processor(const std::set<std::string>& instructions);

// The parts of a library's description of itself. `runtime` is the text of its pack: "OpenBLAS 0.3.21
// core=Prescott threads=1 file=/a b/libopenblas.so.0".
struct ChosenKernels {
  std::string make;    // "OpenBLAS 0.3.21", "BLIS 0.9.0", "oneDNN 2.6.3", "CBLAS of unknown make"
  std::string chosen;  // "Prescott", "zen3", "avx512_core_bf16"; empty: not reported
  std::string file;    // real path; empty: not reported
  std::optional<VectorLevel> level;  // of `chosen`; nothing if the name is not in our tables
};
ChosenKernels chosen_kernels(std::string_view runtime);

// True if f32 and f64 products would use narrower vectors than the processor has. 16-bit and tile
// extensions do not count, because these products do not use them.
bool is_narrower(VectorLevel chosen, VectorLevel processor);

// Settings {variable, value} with which this library may choose better kernels on this processor, the best
// first; none if the library has no such variable. They must be tried, because versions accept different
// names.
std::vector<std::pair<std::string, std::string>> better_settings(const ChosenKernels& library,
                                                                 VectorLevel processor, bool amd);

}  // namespace kernsweep
