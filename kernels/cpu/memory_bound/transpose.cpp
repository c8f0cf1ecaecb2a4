// Transposes of matrices of f32: y[b, j, i] = x[b, i, j].
#include <algorithm>

#include "kernels/cpu/memory_bound/families.hpp"
#include "kernels/cpu/memory_bound/onednn.hpp"
#include "kernels/cpu/memory_bound/own.hpp"

namespace kernsweep::memory_bound {
namespace {

using pack::param;
using pack::Setup;

struct Problem {
  std::int64_t batch = 1, rows = 0, cols = 0;

  static auto params() {
    return std::vector{
        param<&Problem::batch>(
            {.name = "batch", .summary = "matrices, one after the other", .fallback = "1", .least = 0}),
        param<&Problem::rows>({.name = "rows", .summary = "rows of x, columns of the result", .least = 0}),
        param<&Problem::cols>({.name = "cols", .summary = "columns of x, rows of the result", .least = 0})};
  }
  void check() const { check_elements({batch, rows, cols}); }
  auto inputs() const { return std::vector{pack::Input{"x", KS_F32, {batch, rows, cols}}}; }
  ks_work work() const {
    return {.bytes =
                8 * static_cast<double>(batch) * static_cast<double>(rows) * static_cast<double>(cols)};
  }
  std::vector<std::int64_t> result() const { return {batch, cols, rows}; }
};

struct Naive {
  Problem problem;
  std::span<const float> x;
  std::span<double> y;

  Naive(const Problem& p, Setup& setup)
      : problem(p), x(setup.input<float>(0)), y(setup.output<double>(p.result())) {}
  void run() {
    const auto rows = static_cast<std::size_t>(problem.rows), cols = static_cast<std::size_t>(problem.cols);
    for (std::size_t from = 0; from < x.size(); from += rows * cols)
      for (std::size_t j = 0; j < cols; ++j)
        for (std::size_t i = 0; i < rows; ++i) y[from + j * rows + i] = x[from + i * cols + j];
  }
};

struct Own {
  using Settings = OwnSettings;
  static constexpr std::int64_t kLine = 16;  // columns that a thread takes at once
  Problem problem;
  const Loops& loops;
  bool past;
  std::int64_t lines;  // of the columns of a matrix
  Shares shares;
  std::span<const float> x;
  std::span<float> y;

  static void can_run(const Problem&, const Settings& settings) { settings.require(); }
  Own(const Problem& p, const Settings& settings, Setup& setup)
      : problem(p),
        loops(settings.loops()),
        past(settings.past_caches(p.work().bytes) && p.rows % kLine == 0),  // rows of y begin with lines
        lines((p.cols + kLine - 1) / kLine),
        shares(setup.threads(), p.rows == 0 ? 0 : p.batch * lines),
        x(setup.input<float>(0)),
        y(setup.output<float>(p.result())) {}
  void run() {
    shares.each([this](std::int64_t begin, std::int64_t end, std::int64_t) {
      while (begin < end) {
        const std::int64_t matrix = begin / lines, until = std::min(end, (matrix + 1) * lines);
        const std::int64_t at = matrix * problem.rows * problem.cols;
        loops.transpose({x.data() + at, y.data() + at, problem.rows, problem.cols,
                         (begin - matrix * lines) * kLine,
                         std::min(problem.cols, (until - matrix * lines) * kLine), past});
        begin = until;
      }
    });
  }
  std::string runtime() const { return own_runtime(loops, past, shares.threads()); }
};

struct Onednn {
  Problem problem;
  OnednnPass pass;

  static DnnlPass described(const Problem& p, const void* x) {
    const std::vector<std::int64_t> dims = {p.batch, p.rows, p.cols};
    DnnlOperand result = {.dtype = KS_F32, .dims = dims, .strides = {p.rows * p.cols, 1, p.rows}};
    return {DnnlPassKind::reorder, {dense_operand(KS_F32, dims, x)}, result};
  }
  static void can_run(const Problem& p) { OnednnPass::require(described(p, nullptr)); }
  Onednn(const Problem& p, Setup& setup) : problem(p), pass(described(p, setup.tensor(0).data), setup) {}
  void run() { pass.run(); }
  ks_tensor output() const { return pass.output(problem.result()); }
  std::string runtime() const { return pass.runtime(); }
};

}  // namespace

pack::Family transpose_family() {
  return pack::family<Problem>(
      "transpose", "transposes of matrices", {.reference = "naive", .least = "bytes"},
      pack::variant<Naive>("naive", "the reference: element by element, one thread"),
      pack::variant<Own>("own", "ours: squares of 16 x 16 in registers"),
      pack::variant<Onednn>("onednn", "oneDNN's reorder"));
}

}  // namespace kernsweep::memory_bound
