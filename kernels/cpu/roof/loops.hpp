// The inner loops that find the limits of a core, one table per instruction set.
//
// Each table comes from a file of its own, compiled for that instruction set: check the processor
// (instructions.hpp) before any of its functions is called. The loops run on one thread.
#pragma once

#include <cstdint>

namespace kernsweep::roof {

// Arithmetic only: independent chains of multiply-adds in registers, enough of them to hide the latency of
// one. Each round adds `step` to each of `lanes` sums: sum = sum * 1 + 1, or sum += 1 * 1 + ... for
// instructions that add products of several pairs. So the sums show exactly how many rounds were computed,
// as long as step * rounds is below 2^24 (f32), 2^53 (f64) or 2^31 (s32).
struct Chain {
  // `ones`: 64 bytes of ones of the operand's type; `sums`: `lanes` sums, read and written. Both are
  // aligned to 64 bytes. They are arguments so that the compiler cannot know their values.
  void (*run)(std::int64_t rounds, const void* ones, void* sums);
  std::int64_t operations;  // of one round; a multiply-add counts 2
  int lanes;
  int step;
};

struct Loops {
  Chain f64, f32;
  const Chain* bf16;  // sums in f32; null: the processor has no such instruction
  const Chain* s8;    // u8 times s8, sums in s32; null: the same
  // Sums x[0 .. count) once per pass; every pass loads every element.
  double (*read)(const double* x, std::int64_t count, std::int64_t passes);
};

// Bytes for the sums of any chain.
inline constexpr std::int64_t kSumsBytes = 1024;
// A multiple of the `operations` of every chain, so that all can do the same amount of work.
inline constexpr std::int64_t kBlockOperations = 1536;

extern const Loops kPlainLoops;
#if defined(__x86_64__)
extern const Loops kAvx2Loops;
extern const Loops kAvx512Loops;
extern const Chain kAvx512Bf16Chain;
extern const Chain kAvx512VnniChain;
#endif

}  // namespace kernsweep::roof
