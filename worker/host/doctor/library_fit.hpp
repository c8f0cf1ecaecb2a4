// Which instructions a library computes with, by the name of the kernel set that it has chosen, against
// those that the processor has. OpenBLAS and BLIS choose from a list that was closed when they were
// released: a newer processor gets the nearest that they know, or the oldest of all.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernsweep {

// What vectors a kernel set uses, in ascending order within a family of processors.
enum class VectorLevel : std::uint8_t { sse = 1, avx, avx2, avx512, avx512_bf16, amx, neon = 16, sve };

const char* name_of(VectorLevel level);

// The best that the processor (the kernel's names of its instruction sets) has; nothing when unknown.
std::optional<VectorLevel> level_of_processor(const std::set<std::string>& instructions);

// What a library's own words mean. `runtime` is as packs tell it: "OpenBLAS 0.3.21 core=Prescott threads=1
// file=/a b/libopenblas.so.0".
struct ChosenKernels {
  std::string make;    // "OpenBLAS 0.3.21", "BLIS 0.9.0", "oneDNN 2.6.3", "CBLAS of unknown make"
  std::string chosen;  // "Prescott", "zen3", "avx512_core_bf16"; empty: it does not tell
  std::string file;    // real path; empty: it does not tell
  std::optional<VectorLevel> level;  // of `chosen`; nothing when the name is not known here
};
ChosenKernels chosen_kernels(std::string_view runtime);

// Whether f32 and f64 products would run on narrower vectors than the processor has: 16-bit and tile
// extensions make no difference to them.
bool is_narrower(VectorLevel chosen, VectorLevel processor);

// Settings {variable, value} that may make this library choose better on such a processor, best first; none
// for makes without such a variable. To be tried: versions differ in the names that they take.
std::vector<std::pair<std::string, std::string>> better_settings(const ChosenKernels& library,
                                                                 VectorLevel processor, bool amd);

}  // namespace kernsweep
