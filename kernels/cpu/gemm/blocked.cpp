#include "kernels/cpu/gemm/blocked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "kernels/cpu/gemm/epilogue_pass.hpp"
#include "kernels/cpu/gemm/micro_kernel.hpp"
#include "kernels/cpu/libraries/isa.hpp"
#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/libraries/variant.hpp"
#include "kernels/cpu/parallel/tbb.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep {
namespace {

const ks_param_doc kParams[] = {
    {"block_m", KS_INTEGER, "240", nullptr,
     "rows of A per task, for the L2 cache; rounded up to the register tile"},
    {"block_n", KS_INTEGER, "4096", nullptr,
     "columns of B packed at once; rounded up to the register tile"},
    {"block_k", KS_INTEGER, "512", nullptr, "products summed before C is touched, for the L1 cache"},
    {"isa", KS_TEXT, "best", kIsaChoices, "instructions of the register tile; best: by the processor"},
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return ceil_div(a, b) * b;
}

struct Blocks {
  std::int64_t m = 0, n = 0, k = 0;
  std::string isa;
};

ks_status read_blocks(const ks_params* given, Blocks& blocks, ks_why why) {
  const Params params(given);
  if (const ks_status status = params.check(kParams, std::size(kParams), why); status != KS_OK)
    return status;
  blocks = {params.integer("block_m", 240), params.integer("block_n", 4096), params.integer("block_k", 512),
            params.text("isa", "best")};
  constexpr std::int64_t kBlockMax = std::int64_t{1} << 30;
  for (const auto& [name, block] :
       {std::pair{"block_m", blocks.m}, std::pair{"block_n", blocks.n}, std::pair{"block_k", blocks.k}})
    if (block < 1 || block > kBlockMax)
      return refuse(KS_BAD_PARAMETER, why, fmt::format("{} is {}; it must be from 1 to 2^30", name, block));
  if (find_micro_kernel<float>(blocks.isa) != nullptr) return KS_OK;
  return refuse(KS_UNSUPPORTED, why, fmt::format("this processor has no {}", blocks.isa));
}

// Copies `count` rows (or columns) x `depth` of a matrix into a sliver: depth x width, zeros after `count`.
// `step` leads from one of the `count` to the next, `depth_step` along the sum.
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

  ks_status multiply(const T* a, const T* b, T* c, T* a_panel, T* b_panel) {
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
          ks_status status = pack(a_batch, b_batch, j, columns, p, depth);
          if (status == KS_OK) status = multiply_panels(c_batch + j, columns, depth, p > 0);
          if (status != KS_OK) return status;
        }
    }
    return KS_OK;
  }

  const char* isa() const { return kernel_.isa; }

 private:
  ks_status pack(const T* a, const T* b, std::int64_t j, std::int64_t columns, std::int64_t p,
                 std::int64_t depth) {
    const MatrixLayout at_a = problem_.op_a();
    const MatrixLayout at_b = problem_.op_b();
    const std::int64_t b_slivers = ceil_div(columns, kernel_.columns);
    const std::int64_t a_slivers = ceil_div(problem_.m, kernel_.rows);
    return team_.each(b_slivers + a_slivers, [&](std::int64_t sliver) {
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
  ks_status multiply_panels(T* c, std::int64_t columns, std::int64_t depth, bool add) {
    const std::int64_t slivers = ceil_div(columns, kernel_.columns);
    const std::int64_t row_slivers = ceil_div(problem_.m, kernel_.rows);
    const std::int64_t row_tasks = ceil_div(problem_.m, block_m_);
    const std::int64_t threads = team_.threads();
    const std::int64_t wanted = threads == 1 ? 1 : round_up(ceil_div(8 * threads, row_tasks), threads);
    const std::int64_t shares = std::min(wanted, slivers);
    return team_.each(row_tasks * shares, [&](std::int64_t task) {
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
  static ks_status can_run(const ks_params* params, ks_why why) {
    GemmProblem problem;
    Blocks blocks;
    return read(params, problem, blocks, why);
  }

  static ks_status prepare(const ks_params* params, const ks_context& context, const ks_tensor* inputs,
                           std::unique_ptr<Blocked>& made, ks_why why) {
    auto kernel = std::make_unique<Blocked>();
    Blocks blocks;
    ks_status status = read(params, kernel->problem_, blocks, why);
    if (status != KS_OK) return status;
    kernel->team_ = Team::make(context.threads, status, why);
    if (status != KS_OK) return status;
    kernel->a_ = inputs[0].data;
    kernel->b_ = inputs[1].data;
    if (kernel->problem_.epilogue.has_bias) kernel->bias_ = inputs[2].data;
    status = kernel->c_.allocate(kernel->problem_, context, why);
    if (status != KS_OK) return status;
    status = kernel->problem_.dtype == Dtype::f32 ? kernel->plan(kernel->f32_, blocks, context, why)
                                                  : kernel->plan(kernel->f64_, blocks, context, why);
    if (status == KS_OK) made = std::move(kernel);
    return status;
  }

  ks_status run() {
    if (problem_.is_empty()) return KS_OK;
    return f32_ != nullptr ? multiply(*f32_) : multiply(*f64_);
  }

  ks_status output(ks_tensor& out) {
    c_.view(out);
    return KS_OK;
  }

  const char* runtime() const { return runtime_.c_str(); }

 private:
  static ks_status read(const ks_params* params, GemmProblem& problem, Blocks& blocks, ks_why why) {
    if (const ks_status status = read_gemm(params, problem, why); status != KS_OK) return status;
    if (const ks_status status = read_blocks(params, blocks, why); status != KS_OK) return status;
    if (!problem.tf32 && (problem.dtype == Dtype::f32 || problem.dtype == Dtype::f64)) return KS_OK;
    return refuse(KS_UNSUPPORTED, why,
                  fmt::format("blocked multiplies f32 and f64, not {}", problem.dtype_name()));
  }

  template <class T>
  ks_status plan(std::unique_ptr<Product<T>>& product, const Blocks& blocks, const ks_context& context,
                 ks_why why) {
    product = std::make_unique<Product<T>>(problem_, blocks, *team_);
    runtime_ = fmt::format("blocked isa={} threads={}", product->isa(), team_->threads());
    if (problem_.is_empty()) return KS_OK;
    a_panel_ = context.allocate(context.host, product->a_panel_bytes());
    b_panel_ = context.allocate(context.host, product->b_panel_bytes());
    if (a_panel_ != nullptr && b_panel_ != nullptr) return KS_OK;
    return refuse(
        KS_OUT_OF_MEMORY, why,
        fmt::format("no memory for packed panels of {} bytes; smaller block_n and block_k need less",
                    product->a_panel_bytes() + product->b_panel_bytes()));
  }

  template <class T>
  ks_status multiply(Product<T>& product) {
    T* const c = static_cast<T*>(c_.data());
    const ks_status status = product.multiply(static_cast<const T*>(a_), static_cast<const T*>(b_), c,
                                              static_cast<T*>(a_panel_), static_cast<T*>(b_panel_));
    return status == KS_OK ? finish_product(problem_, static_cast<const T*>(bias_), c, *team_) : status;
  }

  GemmProblem problem_;
  std::unique_ptr<Team> team_;
  const void* a_ = nullptr;
  const void* b_ = nullptr;
  const void* bias_ = nullptr;
  void* a_panel_ = nullptr;
  void* b_panel_ = nullptr;
  GemmOutput c_;
  std::unique_ptr<Product<float>> f32_;
  std::unique_ptr<Product<double>> f64_;
  std::string runtime_;
};

}  // namespace

const ks_variant kGemmBlocked = make_variant<Blocked>(
    "blocked", "our own blocked, packed and vectorised product: f32, f64; threads by oneTBB", kParams,
    std::size(kParams));

}  // namespace kernsweep
