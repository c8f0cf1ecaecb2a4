// What no kernel can exceed on a processor, whatever it does: from the instructions that it has and a clock
// that none reaches. Not what it does reach, which roofs measure (results/roofs).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kernsweep {

// How exact the arithmetic has to be. `narrow`: fewer bits than f32 are enough, as for bf16 and s8.
enum class Arithmetic : std::uint8_t { f64, f32, narrow };

// Operations in a cycle of one core, a multiply-add counting 2.
struct ProcessorLimits {
  double f64 = 0, f32 = 0, narrow = 0;
  double of(Arithmetic arithmetic) const {
    return arithmetic == Arithmetic::f64 ? f64 : arithmetic == Arithmetic::f32 ? f32 : narrow;
  }
};

// Of instruction sets: four pipes of the widest vectors, each with a multiply-add; matrix units.
struct VectorUnits {
  int bits = 128;
  bool has_fma = false, has_matrices = false;
};
ProcessorLimits limits_of(const VectorUnits& units);
// On other processors than x86-64 vectors and matrix units of any width are assumed.
ProcessorLimits limits_of_this_processor();

// One call.
struct CallRate {
  double flops = 0, bytes = 0;  // 0: not known
  double seconds = 0;           // above 0
  std::uint32_t cores = 1;
  double operand_bytes = 0;       // that it has
  std::uint64_t cache_bytes = 0;  // of the last level; 0: not known
  Arithmetic arithmetic = Arithmetic::narrow;
};
struct AboveLimit {
  double times = 1;  // above 1
  std::string
      text;  // "8200 GFLOP/s in f32 on 1 core, which can do 768 at most (128 operations a cycle, ...)"
};
// The larger excess. Nothing: it is possible. Bytes come from memory if they, and those of the operands,
// are more than twice the last cache has. A kernel may go over a small array many times, and use a few rows
// of a large one. Else they come from the caches: at most three lines of 64 bytes a cycle of each core.
std::optional<AboveLimit> above_limit(const CallRate& call, const ProcessorLimits& limits);

}  // namespace kernsweep
