// Our own product: cache blocks, packed panels, a register tile (Goto and van de Geijn 2008; the loop nest
// is that of BLIS, Van Zee and van de Geijn 2015), threads by oneTBB.
//
//   for each block_n columns of C                 B's panel: block_k x block_n, packed, for all threads
//     for each block_k of the sum                 A's panel: m x block_k, packed, for all threads
//       tasks: block_m rows x a share of columns  A's block stays in the L2 cache
//         for each sliver of B                    stays in the L1 cache
//           for each sliver of A: the register tile
//
// An epilogue is a separate pass afterwards (epilogue_pass.hpp).
//
// The order of each element's sum depends on block_k alone: the same output for any number of threads.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "kernels/cpu/gemm/epilogue_pass.hpp"
#include "kernels/cpu/gemm/micro_kernel.hpp"
#include "kernels/cpu/gemm/variants.hpp"

namespace kernsweep {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return ceil_div(a, b) * b;
}

struct Blocks {
  std::int64_t m = 240, n = 4096, k = 512;
  std::string isa = "best";

  static auto params() {
    using pack::param;
    constexpr double kMost = 0x1p30;
    return std::vector{
        param<&Blocks::m>(
            {.name = "block_m",
             .summary = "rows of A per task, for the L2 cache; rounded up to the register tile",
             .fallback = "240",
             .setting = true,
             .least = 1,
             .most = kMost}),
        param<&Blocks::n>({.name = "block_n",
                           .summary = "columns of B packed at once; rounded up to the register tile",
                           .fallback = "4096",
                           .setting = true,
                           .least = 1,
                           .most = kMost}),
        param<&Blocks::k>({.name = "block_k",
                           .summary = "products summed before C is touched, for the L1 cache",
                           .fallback = "512",
                           .setting = true,
                           .least = 1,
                           .most = kMost}),
        isa_param<&Blocks::isa>()};
  }
  void check() const { required(find_micro_kernel<float>(isa), isa); }
};

// Copies `count` rows (or columns) x `depth` of a matrix into a sliver: depth x width, zeros after `count`.
// `step` is the distance from one of the `count` to the next, `depth_step` that along the sum.
template <class T>
void pack_sliver(const T* from, std::int64_t count, std::int64_t step, std::int64_t depth,
                 std::int64_t depth_step, std::int64_t width, T* to) {
  if (count == width && step == 1) {
    for (std::int64_t p = 0; p < depth; ++p) std::copy_n(from + p * depth_step, width, to + p * width);
    return;
  }
  for (std::int64_t p = 0; p < depth; ++p) {
    for (std::int64_t i = 0; i < count; ++i) to[p * width + i] = from[i * step + p * depth_step];
    std::fill(to + p * width + count, to + (p + 1) * width, T{0});
  }
}

// Computes one product of one element type.
template <class T>
class Product {
 public:
  Product(const GemmProblem& problem, const Blocks& blocks, Team& team)
      : problem_(problem), kernel_(*find_micro_kernel<T>(blocks.isa)), team_(team) {
    block_m_ = round_up(std::min(blocks.m, problem.m), kernel_.rows);
    block_n_ = round_up(std::min(blocks.n, problem.n), kernel_.columns);
    block_k_ = std::min(blocks.k, std::max<std::int64_t>(problem.k, 1));
  }

  std::size_t a_panel_bytes() const {
    return static_cast<std::size_t>(round_up(problem_.m, kernel_.rows) * block_k_) * sizeof(T);
  }
  std::size_t b_panel_bytes() const { return static_cast<std::size_t>(block_n_ * block_k_) * sizeof(T); }

  void multiply(const T* a, const T* b, T* c, T* a_panel, T* b_panel) {
    a_panel_ = a_panel;
    b_panel_ = b_panel;
    for (std::int64_t batch = 0; batch < problem_.batch; ++batch) {
      const T* a_batch = a + batch * problem_.op_a().batch_stride;
      const T* b_batch = b + batch * problem_.op_b().batch_stride;
      T* c_batch = c + batch * problem_.m * problem_.ldc;
      if (problem_.k == 0) {
        for (std::int64_t i = 0; i < problem_.m; ++i)
          std::fill_n(c_batch + i * problem_.ldc, problem_.n, T{0});
        continue;
      }
      for (std::int64_t j = 0; j < problem_.n; j += block_n_)
        for (std::int64_t p = 0; p < problem_.k; p += block_k_) {
          const std::int64_t columns = std::min(block_n_, problem_.n - j);
          const std::int64_t depth = std::min(block_k_, problem_.k - p);
          pack(a_batch, b_batch, j, columns, p, depth);
          multiply_panels(c_batch + j, columns, depth, p > 0);
        }
    }
  }

  const char* isa() const { return kernel_.isa; }

 private:
  void pack(const T* a, const T* b, std::int64_t j, std::int64_t columns, std::int64_t p,
            std::int64_t depth) {
    const MatrixLayout at_a = problem_.op_a();
    const MatrixLayout at_b = problem_.op_b();
    const std::int64_t b_slivers = ceil_div(columns, kernel_.columns);
    const std::int64_t a_slivers = ceil_div(problem_.m, kernel_.rows);
    on_each(team_, b_slivers + a_slivers, [&](std::int64_t sliver) {
      if (sliver < b_slivers) {
        const std::int64_t first = sliver * kernel_.columns;
        pack_sliver(b + p * at_b.row_stride + (j + first) * at_b.column_stride,
                    std::min(kernel_.columns, columns - first), at_b.column_stride, depth, at_b.row_stride,
                    kernel_.columns, b_panel_ + first * depth);
      } else {
        const std::int64_t first = (sliver - b_slivers) * kernel_.rows;
        pack_sliver(a + first * at_a.row_stride + p * at_a.column_stride,
                    std::min(kernel_.rows, problem_.m - first), at_a.row_stride, depth, at_a.column_stride,
                    kernel_.rows, a_panel_ + first * depth);
      }
    });
  }

  // A task is at most block_m rows x a share of the columns. The team gives each thread equally many
  // adjacent tasks, so tasks should be equally large, and a thread should have all rows of the same
  // columns.
  void multiply_panels(T* c, std::int64_t columns, std::int64_t depth, bool add) {
    const std::int64_t slivers = ceil_div(columns, kernel_.columns);
    const std::int64_t row_slivers = ceil_div(problem_.m, kernel_.rows);
    const std::int64_t row_tasks = ceil_div(problem_.m, block_m_);
    const std::int64_t threads = team_.threads();
    const std::int64_t wanted = threads == 1 ? 1 : round_up(ceil_div(8 * threads, row_tasks), threads);
    const std::int64_t shares = std::min(wanted, slivers);
    on_each(team_, row_tasks * shares, [&](std::int64_t task) {
      const std::int64_t share = task / row_tasks;
      const std::int64_t row_task = task % row_tasks;
      const std::int64_t last_sliver = (share + 1) * slivers / shares;
      const std::int64_t last_row = (row_task + 1) * row_slivers / row_tasks;
      for (std::int64_t sliver = share * slivers / shares; sliver < last_sliver; ++sliver)
        for (std::int64_t row = row_task * row_slivers / row_tasks; row < last_row; ++row)
          multiply_tile(c, columns, depth, row * kernel_.rows, sliver * kernel_.columns, add);
    });
  }

  void multiply_tile(T* c, std::int64_t columns, std::int64_t depth, std::int64_t row, std::int64_t column,
                     bool add) {
    const T* a = a_panel_ + row * depth;
    const T* b = b_panel_ + column * depth;
    T* to = c + row * problem_.ldc + column;
    const std::int64_t rows_here = std::min(kernel_.rows, problem_.m - row);
    const std::int64_t columns_here = std::min(kernel_.columns, columns - column);
    if (rows_here == kernel_.rows && columns_here == kernel_.columns)
      return kernel_.multiply(depth, a, b, to, problem_.ldc, add);
    T tile[kTileMax];
    kernel_.multiply(depth, a, b, tile, kernel_.columns, false);
    for (std::int64_t i = 0; i < rows_here; ++i)
      for (std::int64_t j = 0; j < columns_here; ++j) {
        T& element = to[i * problem_.ldc + j];
        element = add ? element + tile[i * kernel_.columns + j] : tile[i * kernel_.columns + j];
      }
  }

  static constexpr std::int64_t kTileMax = 512;

  const GemmProblem problem_;
  const MicroKernel<T>& kernel_;
  Team& team_;
  std::int64_t block_m_, block_n_, block_k_;
  T* a_panel_ = nullptr;
  T* b_panel_ = nullptr;
};

class Blocked {
 public:
  using Settings = Blocks;

  static void can_run(const GemmProblem& problem) {
    if (problem.tf32 || (problem.dtype != Dtype::f32 && problem.dtype != Dtype::f64))
      throw pack::Refused(KS_UNSUPPORTED,
                          fmt::format("blocked multiplies f32 and f64, not {}", problem.dtype_name()));
  }

  Blocked(const GemmProblem& problem, const Blocks& blocks, pack::Setup& setup)
      : problem_((can_run(problem), problem)),
        team_(team_of(setup)),
        a_(setup.tensor(0).data),
        b_(setup.tensor(1).data),
        bias_(problem.epilogue.has_bias ? setup.tensor(2).data : nullptr),
        c_(problem, setup) {
    problem.dtype == Dtype::f32 ? plan(f32_, blocks, setup) : plan(f64_, blocks, setup);
  }

  void run() {
    if (problem_.is_empty()) return;
    f32_ != nullptr ? multiply(*f32_) : multiply(*f64_);
  }

  ks_tensor output() const { return c_.view(problem_); }
  std::string runtime() const {
    return fmt::format("blocked isa={} threads={}", f32_ != nullptr ? f32_->isa() : f64_->isa(),
                       team_->threads());
  }

 private:
  template <class T>
  void plan(std::unique_ptr<Product<T>>& product, const Blocks& blocks, pack::Setup& setup) {
    product = std::make_unique<Product<T>>(problem_, blocks, *team_);
    if (problem_.is_empty()) return;
    try {
      a_panel_ = setup.allocate<std::byte>(product->a_panel_bytes()).data();
      b_panel_ = setup.allocate<std::byte>(product->b_panel_bytes()).data();
    } catch (const pack::Refused& refused) {
      throw pack::Refused(
          refused.status(),
          fmt::format("no memory for packed panels of {} bytes; smaller block_n and block_k need less",
                      product->a_panel_bytes() + product->b_panel_bytes()));
    }
  }

  template <class T>
  void multiply(Product<T>& product) {
    T* const c = static_cast<T*>(c_.data());
    product.multiply(static_cast<const T*>(a_), static_cast<const T*>(b_), c, static_cast<T*>(a_panel_),
                     static_cast<T*>(b_panel_));
    finish_product(problem_, static_cast<const T*>(bias_), c, *team_);
  }

  GemmProblem problem_;
  std::unique_ptr<Team> team_;
  const void* a_;
  const void* b_;
  const void* bias_;
  void* a_panel_ = nullptr;
  void* b_panel_ = nullptr;
  GemmOutput c_;
  std::unique_ptr<Product<float>> f32_;
  std::unique_ptr<Product<double>> f64_;
};

}  // namespace

pack::Variant gemm_blocked() {
  return pack::variant<Blocked>(
             "blocked", "our own blocked, packed and vectorised product: f32, f64; threads by oneTBB")
      .of<GemmProblem>();
}

}  // namespace kernsweep
