// Limits that no kernel can exceed on a processor: from its instructions and a clock that none reaches. The
// rates that it does reach are roofs (results/roofs).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kernsweep {

// The required precision of the arithmetic. `narrow`: fewer bits than f32 are enough, as for bf16 and s8.
enum class Arithmetic : std::uint8_t { f64, f32, narrow };

// Operations per cycle of one core, where a multiply-add counts 2.
struct ProcessorLimits {
  double f64 = 0, f32 = 0, narrow = 0;
  double of(Arithmetic arithmetic) const {
    return arithmetic == Arithmetic::f64 ? f64 : arithmetic == Arithmetic::f32 ? f32 : narrow;
  }
};

// From the instruction sets: four pipes of the widest vectors, each with a multiply-add; matrix units.
struct VectorUnits {
  int bits = 128;
  bool has_fma = false, has_matrices = false;
};
ProcessorLimits limits_of(const VectorUnits& units);
// For other processors than x86-64 vectors and matrix units of any width are assumed.
ProcessorLimits limits_of_this_processor();

// The rate of one call.
struct CallRate {
  double flops = 0, bytes = 0;  // 0: not known
  double seconds = 0;           // above 0
  std::uint32_t cores = 1;
  double operand_bytes = 0;       // size of all operands
  std::uint64_t cache_bytes = 0;  // of the last level; 0: not known
  Arithmetic arithmetic = Arithmetic::narrow;
};
struct AboveLimit {
  double times = 1;  // above 1
  std::string
      text;  // "8200 GFLOP/s in f32 on 1 core, which can do 768 at most (128 operations a cycle, ...)"
};
// The larger excess. Nothing: the rate is possible. Bytes come from memory if they, and those of the
// operands, are more than twice the last cache. (A kernel may read a small array many times, and use a few
// rows of a large one.) Otherwise they come from the caches: at most three lines of 64 bytes per cycle and
// core.
std::optional<AboveLimit> above_limit(const CallRate& call, const ProcessorLimits& limits);

}  // namespace kernsweep
