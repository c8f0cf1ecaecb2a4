// The innermost loops of our own variants: one source, compiled once per instruction set with that set's
// flags.
//
// Both keep a strip of columns of Y in registers over all elements of a row (of up to 4 rows of blocks), so
// that Y is written once, and process all rows for one strip before the next: the strip of B that they read
// repeatedly is `strip` columns wide. Callers check the processor first (find_loops).
#pragma once

#include <cstdint>
#include <string_view>

namespace kernsweep::spmm {

// Rows [first, last) of Y = A B. `b` [k, n] and `y` [m, n], row-major.
struct CsrRows {
  const std::int32_t* begins;
  const std::int32_t* columns;
  const float* values;
  const float* b;
  float* y;
  std::int64_t n, first, last;
};

// Rows of blocks [first, last).
struct BsrRows {
  const std::int32_t* begins;
  const std::int32_t* columns;
  const float* values;
  const float* b;
  float* y;
  std::int64_t block, m, n, k, first, last;
};

struct Loops {
  const char* isa;
  void (*csr)(const CsrRows& rows);
  void (*bsr)(const BsrRows& rows);
};

extern const Loops kLoopsBaseline;  // for every processor of this architecture
extern const Loops kLoopsAvx2;      // AVX2 and FMA; x86-64 only
extern const Loops kLoopsAvx512;    // AVX-512F; x86-64 only

// The loops by the name of `isa`; "best": of the widest set of this processor. Null if it lacks the set.
const Loops* find_loops(std::string_view isa);

}  // namespace kernsweep::spmm
