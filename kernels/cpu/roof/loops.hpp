// The inner loops that find the limits of a core, one table per instruction set.
//
// Each table comes from a file of its own, compiled for that instruction set: the processor is asked
// (instructions.hpp) before anything of it is called. The loops work on one thread and know nothing of
// others.
#pragma once

#include <cstdint>

namespace kernsweep::roof {

// Arithmetic only: independent chains of multiply-adds that live in registers, enough of them to hide the
// latency of one. Each round adds `step` to each of `lanes` sums: sum = sum * 1 + 1, or sum += 1 * 1 + ...
// for the instructions that add products of several pairs. So the sums say how many rounds were computed,
// exactly, as long as step * rounds stays below 2^24 (f32), 2^53 (f64) or 2^31 (s32).
struct Chain {
  // `ones`: 64 bytes of ones of the operand's type; `sums`: `lanes` of them, read and written. Both begin
  // on 64 bytes. They are arguments so that no compiler can know their values.
  void (*run)(std::int64_t rounds, const void* ones, void* sums);
  std::int64_t operations;  // of one round; a multiply-add counts 2
  int lanes;
  int step;
};

struct Loops {
  Chain f64, f32;
  const Chain* bf16;  // sums in f32; null: there is no such instruction
  const Chain* s8;    // u8 times s8, sums in s32; the same
  // Sums x[0 .. count) again in each pass; every element is loaded every time.
  double (*read)(const double* x, std::int64_t count, std::int64_t passes);
};

// Room for the sums of any chain.
inline constexpr std::int64_t kSumsBytes = 1024;
// Divided by the `operations` of every chain, so that equal work can be asked of all.
inline constexpr std::int64_t kBlockOperations = 1536;

extern const Loops kPlainLoops;
#if defined(__x86_64__)
extern const Loops kAvx2Loops;
extern const Loops kAvx512Loops;
extern const Chain kAvx512Bf16Chain;
extern const Chain kAvx512VnniChain;
#endif

}  // namespace kernsweep::roof
