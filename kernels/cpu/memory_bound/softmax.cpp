// softmax over the last dimension: y[i, j] = exp(x[i, j] - m[i]) / sum over k of exp(x[i, k] - m[i]), with
// m[i] the largest of row i.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/memory_bound/families.hpp"
#include "kernels/cpu/memory_bound/onednn.hpp"
#include "kernels/cpu/memory_bound/own.hpp"

namespace kernsweep::memory_bound {
namespace {

using pack::param;
using pack::Setup;

struct Problem {
  std::int64_t rows = 0, cols = 0;

  static auto params() {
    return std::vector{
        param<&Problem::rows>({.name = "rows", .summary = "rows, each normalised separately", .least = 0}),
        param<&Problem::cols>({.name = "cols", .summary = "elements of a row", .least = 1})};
  }
  void check() const { check_elements({rows, cols}); }
  auto inputs() const { return std::vector{pack::Input{"x", KS_F32, {rows, cols}, KS_NORMAL, 0, 1}}; }
  double elements() const { return static_cast<double>(rows) * static_cast<double>(cols); }
  // Per element: a comparison, a subtraction, an exponential, an addition, a division.
  ks_work work() const { return {.flops = 5 * elements(), .bytes = 8 * elements()}; }
  // Relative to the largest y of the row, with u = 2^-24. The rounding of d = x - m changes exp(d) by |d| u
  // relative: at most u / e of the largest exponential, but up to ln(cols) u of their sum, the entropy of
  // the row. Exponential, product and reciprocal: 4 u each at most. Sum: 4 sqrt(cols) u, as for gemm.
  ks_tolerance tolerance() const {
    const auto n = static_cast<double>(cols);
    return {.relative = (12 + std::log(n) + 4 * std::sqrt(n)) * 0x1p-24, .scale_dims = 1};
  }
};

struct Naive {
  std::int64_t cols;
  std::span<const float> x;
  std::span<double> y;

  Naive(const Problem& problem, Setup& setup)
      : cols(problem.cols), x(setup.input<float>(0)), y(setup.output<double>({problem.rows, cols})) {}
  void run() {
    const auto length = static_cast<std::size_t>(cols);
    for (std::size_t row = 0; row < x.size(); row += length) {
      const double top = *std::max_element(x.data() + row, x.data() + row + length);
      double sum = 0;
      for (std::size_t i = row; i < row + length; ++i) sum += y[i] = std::exp(x[i] - top);
      for (std::size_t i = row; i < row + length; ++i) y[i] /= sum;
    }
  }
};

struct Own {
  using Settings = OwnSettings;
  Problem problem;
  const Loops& loops;
  bool past;
  Shares shares;
  std::span<const float> x;
  std::span<float> y;
  Scratch scratch;

  static void can_run(const Problem&, const Settings& settings) { settings.require(); }
  Own(const Problem& p, const Settings& settings, Setup& setup)
      : problem(p),
        loops(settings.loops()),
        past(settings.non_temporal == NonTemporal::always),  // never the faster way: see memory-kernels.md
        shares(setup.threads(), p.rows),
        x(setup.input<float>(0)),
        y(setup.output<float>({p.rows, p.cols})),
        scratch(setup, shares.threads(), softmax_scratch(p.cols, past)) {}
  void run() {
    shares.each([this](std::int64_t begin, std::int64_t end, std::int64_t share) {
      const std::int64_t at = begin * problem.cols;
      loops.softmax({x.data() + at, y.data() + at, end - begin, problem.cols, scratch.of(share), past});
    });
  }
  std::string runtime() const { return own_runtime(loops, past, shares.threads()); }
};

struct Onednn {
  Problem problem;
  OnednnPass pass;

  static DnnlPass described(const Problem& p, const void* x) {
    return {DnnlPassKind::softmax,
            {dense_operand(KS_F32, {p.rows, p.cols}, x)},
            dense_operand(KS_F32, {p.rows, p.cols})};
  }
  static void can_run(const Problem& p) { OnednnPass::require(described(p, nullptr)); }
  Onednn(const Problem& p, Setup& setup) : problem(p), pass(described(p, setup.tensor(0).data), setup) {}
  void run() { pass.run(); }
  ks_tensor output() const { return pass.output({problem.rows, problem.cols}); }
  std::string runtime() const { return pass.runtime(); }
};

}  // namespace

pack::Family softmax_family() {
  return pack::family<Problem>(
      "softmax", "softmax over the rows of a matrix", {.reference = "naive", .least = "bytes"},
      pack::variant<Naive>("naive", "the reference: in f64, one thread"),
      pack::variant<Own>("own", "ours: vectorised exponentials, a row stays in the cache"),
      pack::variant<Onednn>("onednn", "oneDNN's softmax"));
}

}  // namespace kernsweep::memory_bound
