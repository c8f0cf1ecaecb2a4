// The reference: computes each element of C separately, adds its products in double, p = 0 ... k-1, in
// order (s8: exactly, because no such sum comes near 2^53), then applies the epilogue in double too.
//
// It verifies all other variants, so it must be fast enough for products that are swept, such as
// 8192-cubes. The threads of the job share the blocks of C; a block's operands are converted panel by panel
// to doubles that stay in the L2 and L1 caches, and a tile of C in registers adds their products
// (sum_tile.hpp). Neither blocks nor threads change the order of a sum: the bits are the same for any
// number of threads. The result is KS_F64, or KS_S32 for s8, dense.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "kernels/cpu/parallel/pack_team.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"
#include "kernels/reference/gemm/sum_tile.hpp"

namespace kernsweep {
namespace {

// Multiples of every tile's shape. A block's sums and its panel of A (rows x depth) fit in the L2 cache
// together, a sliver of B (depth x columns of a tile) in L1.
constexpr std::int64_t kBlockRows = 240;
constexpr std::int64_t kBlockColumns = 256;
constexpr std::int64_t kBlockDepth = 256;

double widen(double value) {
  return value;
}
double widen(float value) {
  return static_cast<double>(value);
}
double widen(std::int8_t value) {
  return value;
}

// Elements of short float types: the bits, with a type for the format.
struct Bf16 {
  std::uint16_t bits;
};
struct F16 {
  std::uint16_t bits;
};
struct F8E4M3 {
  std::uint8_t bits;
};
struct F8E5M2 {
  std::uint8_t bits;
};
double widen(Bf16 value) {
  return static_cast<double>(float_of_bf16(value.bits));
}
double widen(F16 value) {
  return static_cast<double>(float_of_f16(value.bits));
}
double widen(F8E4M3 value) {
  return static_cast<double>(float_of_f8e4m3(value.bits));
}
double widen(F8E5M2 value) {
  return static_cast<double>(float_of_f8e5m2(value.bits));
}

std::int64_t parts_of(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

// Converts `count` rows of A or columns of B, `step` apart, to depth x width doubles. Elements after
// `count` are used only in sums that are not stored.
template <class Element>
void widen_sliver(const Element* from, std::int64_t count, std::int64_t step, std::int64_t depth,
                  std::int64_t depth_step, std::int64_t width, double* to) {
  if (step == 1) {
    for (std::int64_t p = 0; p < depth; ++p)
      for (std::int64_t i = 0; i < count; ++i) to[p * width + i] = widen(from[p * depth_step + i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t p = 0; p < depth; ++p) to[p * width + i] = widen(from[i * step + p * depth_step]);
  }
}

class Naive {
 public:
  Naive(const GemmProblem& problem, pack::Setup& setup)
      : problem_(problem),
        team_(team_of(setup)),
        a_(setup.tensor(0).data),
        b_(setup.tensor(1).data),
        bias_(problem.epilogue.has_bias ? setup.tensor(2).data : nullptr),
        exact_(exact(problem)),
        c_(exact_, setup) {
    // Blocks are no larger than the problem, and each thread gets a contiguous range of them.
    block_rows_ = std::min(kBlockRows, parts_of(problem.m, tile_.rows) * tile_.rows);
    block_columns_ = std::min(kBlockColumns, parts_of(problem.n, tile_.columns) * tile_.columns);
    block_depth_ = std::min(kBlockDepth, problem.k);
    if (problem.is_empty()) return;
    row_blocks_ = parts_of(problem.m, block_rows_);
    column_blocks_ = parts_of(problem.n, block_columns_);
    blocks_ = problem.batch * row_blocks_ * column_blocks_;
    shares_ = std::min<std::int64_t>(team_->threads(), blocks_);
    scratch_ = setup.allocate<double>(static_cast<std::size_t>(shares_ * scratch_doubles())).data();
  }

  void run() {
    if (problem_.is_empty()) return;
    switch (problem_.dtype) {
      case Dtype::f64:
        return multiply<double, double>();
      case Dtype::f32:
        return multiply<float, double>();
      case Dtype::bf16:
        return multiply<Bf16, double>();
      case Dtype::f16:
        return multiply<F16, double>();
      case Dtype::f8e4m3:
        return multiply<F8E4M3, double>();
      case Dtype::f8e5m2:
        return multiply<F8E5M2, double>();
      case Dtype::s8:
        return multiply<std::int8_t, std::int32_t>();
      default:
        throw pack::Refused(KS_FAILED, "the reference knows no such type");
    }
  }

  ks_tensor output() const { return c_.view(exact_); }

  std::string runtime() const {
    return fmt::format("sums in double isa={} threads={}", tile_.isa, team_->threads());
  }

 private:
  // The memory of one thread, in this order.
  struct Scratch {
    double* sums;  // block_rows_ x block_columns_
    double* a;     // slivers of tile_.rows, depth x rows each
    double* b;     // one sliver of tile_.columns
  };

  static GemmProblem exact(GemmProblem problem) {
    problem.out = problem.dtype == Dtype::s8 ? Dtype::s32 : Dtype::f64;
    problem.ldc = problem.n;
    return problem;
  }

  std::int64_t scratch_doubles() const {
    return block_rows_ * block_columns_ + (block_rows_ + tile_.columns) * block_depth_;
  }

  Scratch scratch_of(std::int64_t share) const {
    double* const sums = scratch_ + share * scratch_doubles();
    double* const a = sums + block_rows_ * block_columns_;
    return {sums, a, a + block_rows_ * block_depth_};
  }

  template <class Element, class Result>
  void multiply() {
    on_each(*team_, shares_, [this](std::int64_t share) {
      const Scratch scratch = scratch_of(share);
      const std::int64_t last = (share + 1) * blocks_ / shares_;
      for (std::int64_t block = share * blocks_ / shares_; block < last; ++block)
        multiply_block<Element, Result>(block, scratch);
    });
  }

  template <class Element, class Result>
  void multiply_block(std::int64_t block, const Scratch& scratch) {
    const std::int64_t batch = block / (row_blocks_ * column_blocks_);
    const std::int64_t i = block / column_blocks_ % row_blocks_ * block_rows_;
    const std::int64_t j = block % column_blocks_ * block_columns_;
    const std::int64_t rows = std::min(block_rows_, problem_.m - i);
    const std::int64_t columns = std::min(block_columns_, problem_.n - j);
    const MatrixLayout at_a = problem_.op_a();
    const MatrixLayout at_b = problem_.op_b();
    const Element* a = static_cast<const Element*>(a_) + batch * at_a.batch_stride + i * at_a.row_stride;
    const Element* b = static_cast<const Element*>(b_) + batch * at_b.batch_stride + j * at_b.column_stride;
    std::fill_n(scratch.sums, block_rows_ * block_columns_, 0.0);
    for (std::int64_t p = 0; p < problem_.k; p += block_depth_) {
      const std::int64_t depth = std::min(block_depth_, problem_.k - p);
      for (std::int64_t row = 0; row < rows; row += tile_.rows)
        widen_sliver(a + row * at_a.row_stride + p * at_a.column_stride, std::min(tile_.rows, rows - row),
                     at_a.row_stride, depth, at_a.column_stride, tile_.rows, scratch.a + row * depth);
      for (std::int64_t column = 0; column < columns; column += tile_.columns) {
        widen_sliver(b + p * at_b.row_stride + column * at_b.column_stride,
                     std::min(tile_.columns, columns - column), at_b.column_stride, depth, at_b.row_stride,
                     tile_.columns, scratch.b);
        for (std::int64_t row = 0; row < rows; row += tile_.rows)
          tile_.add(depth, scratch.a + row * depth, scratch.b, scratch.sums + row * block_columns_ + column,
                    block_columns_);
      }
    }
    if (!problem_.epilogue.is_none())
      finish_sums(problem_.epilogue, problem_.bias_dtype(), bias_,
                  {scratch.sums, rows, columns, block_columns_, j});
    auto* const c = static_cast<Result*>(c_.data()) + (batch * problem_.m + i) * problem_.n + j;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        c[row * problem_.n + column] = static_cast<Result>(scratch.sums[row * block_columns_ + column]);
  }

  GemmProblem problem_;
  const SumTile& tile_ = widest_sum_tile();
  std::unique_ptr<Team> team_;
  const void* a_;
  const void* b_;
  const void* bias_;
  GemmProblem exact_;  // with this variant's result type
  GemmOutput c_;
  double* scratch_ = nullptr;
  std::int64_t block_rows_ = 0, block_columns_ = 0, block_depth_ = 0;
  std::int64_t row_blocks_ = 0, column_blocks_ = 0, blocks_ = 0, shares_ = 0;
};

}  // namespace

pack::Variant gemm_naive() {
  return pack::variant<Naive>(
             "naive",
             "the reference: every sum in double, in order (s8: exact integers), every dtype; oneTBB")
      .of<GemmProblem>();
}

}  // namespace kernsweep
