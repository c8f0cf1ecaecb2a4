// The loops of our own variants: one source, compiled once per instruction set with that set's flags.
//
// Arrays are dense and need no alignment beyond that of their elements. `past`: results are stored past the
// caches (non-temporal stores), whole 64-byte lines at a time; implemented only for x86-64, elsewhere it
// makes no difference. Results have the same bits with and without, and however the rows are divided.
// Callers check the processor first (find_loops).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kernsweep::memory_bound {

// Rows of x and y, `cols` elements each, one after the other.
struct Rows {
  const float* x;
  float* y;
  std::int64_t rows, cols;
  float* scratch;  // of this thread alone
  bool past;
};

// Elements of the scratch memory of a thread.
std::int64_t softmax_scratch(std::int64_t cols, bool past);

// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta along a row; gamma and beta have `cols`
// elements.
struct Normalisation {
  const float* gamma;
  const float* beta;
  float epsilon;
};

// y from x, and from z if the operation has two operands.
struct Elements {
  const float* x;
  const float* z;
  float* y;
  std::int64_t count;
  bool past;
};

enum class Elementwise { add, mul, relu, exp, sigmoid, silu, gelu_tanh };
inline constexpr char kElementwiseNames[] = "add|mul|relu|exp|sigmoid|silu|gelu_tanh";
inline constexpr int kElementwiseCount = 7;

// y[c, r] = x[r, c] for r = 0 ... rows-1 and c = first ... last-1, of x with `cols` columns. `past` only if
// the rows of y begin with lines.
struct Transpose {
  const float* x;
  float* y;
  std::int64_t rows, cols, first, last;
  bool past;
};

// y[r] = the row of the table with the number numbers[r], of std::int64_t if `wide`, else of std::int32_t.
struct Gather {
  const float* table;
  std::int64_t table_rows;
  const void* numbers;
  bool wide;
  Rows rows;  // x is not read
};

enum class Reduction { sum, squares, maximum };  // squares: their sum

struct Loops {
  const char* isa;
  void (*softmax)(const Rows& rows);
  void (*layernorm)(const Rows& rows, const Normalisation& given);
  void (*elementwise[kElementwiseCount])(const Elements& elements);  // as Elementwise
  // The result of joining `count` elements. In the order of Reduction.
  double (*reduce_run[3])(const float* x, std::int64_t count);
  // The same for each of `width` columns of `rows` rows that are `stride` elements apart.
  void (*reduce_rows[3])(const float* x, std::int64_t rows, std::int64_t stride, std::int64_t width,
                         float* out);
  void (*transpose)(const Transpose& part);
  void (*gather)(const Gather& part);
};

extern const Loops kLoopsBaseline;  // for every processor of this architecture
extern const Loops kLoopsAvx2;      // AVX2 and FMA; x86-64 only
extern const Loops kLoopsAvx512;    // AVX-512F; x86-64 only

// The loops by the name of `isa`; "best": of the widest set of this processor. Null if it lacks the set.
const Loops* find_loops(std::string_view isa);

}  // namespace kernsweep::memory_bound
