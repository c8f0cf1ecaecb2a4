// Layer normalisation over the last dimension (Ba, Kiros and Hinton, "Layer Normalization", 2016):
// y[i, j] = (x[i, j] - mean[i]) / sqrt(variance[i] + epsilon) gamma[j] + beta[j], with the variance of the
// row itself, divided by cols.
#include <cmath>

#include "kernels/cpu/memory_bound/families.hpp"
#include "kernels/cpu/memory_bound/onednn.hpp"
#include "kernels/cpu/memory_bound/own.hpp"
#include "kernels/cpu/memory_bound/row_lengths.hpp"

namespace kernsweep::memory_bound {
namespace {

using pack::param;
using pack::Setup;

struct Problem {
  std::int64_t rows = 0, cols = 0;
  double epsilon = 1e-5;

  static auto params() {
    return std::vector{
        param<&Problem::rows>({.name = "rows", .summary = "rows, each normalised separately", .least = 0}),
        param<&Problem::cols>({.name = "cols", .summary = "elements of a row", .least = 1}),
        param<&Problem::epsilon>({.name = "epsilon",
                                  .summary = "added to the variance",
                                  .fallback = "1e-05",
                                  .least = 1e-12,
                                  .most = 1})};
  }
  void check() const { check_elements({rows, cols}); }
  auto inputs() const {
    return std::vector{pack::Input{"x", KS_F32, {rows, cols}, KS_NORMAL, 0.5, 1},
                       pack::Input{"gamma", KS_F32, {cols}, KS_UNIFORM, 0.5, 1.5},
                       pack::Input{"beta", KS_F32, {cols}, KS_UNIFORM, 0.25, 0.75}};
  }
  double elements() const { return static_cast<double>(rows) * static_cast<double>(cols); }
  // Per element: an addition for the mean; a subtraction, a product and an addition for the variance; a
  // subtraction, two products and an addition for the result.
  ks_work work() const {
    return {.flops = 8 * elements(), .bytes = 8 * elements() + 8 * static_cast<double>(cols)};
  }
  // With u = 2^-24. Relative to the largest y of the row: four roundings, and a sum of cols positive
  // addends, 4 sqrt(cols) u as for gemm. In addition, the mean may have an error of c u max|x|, and so may
  // each distance from it, with max|x| near 6 for generated inputs, and c = 8 for the sum of the mean and
  // the subtraction; the division by sqrt(variance + epsilon) increases that if a row has so few elements
  // that its variance may be near 0 by chance. With 32 elements or more it is above 1/4 except for one row
  // in 10^9 (chi-squared); gamma is at most 1.5.
  ks_tolerance tolerance() const {
    const double n = static_cast<double>(cols), u = 0x1p-24;
    const double least_deviation = cols < 32 ? std::sqrt(epsilon) : 0.5;
    return {.relative = (8 + 4 * std::sqrt(n)) * u,
            .absolute = 8 * 6 * 1.5 * u / least_deviation,
            .scale_dims = 1};
  }
};

struct Naive {
  Problem problem;
  std::span<const float> x, gamma, beta;
  std::span<double> y;

  Naive(const Problem& p, Setup& setup)
      : problem(p),
        x(setup.input<float>(0)),
        gamma(setup.input<float>(1)),
        beta(setup.input<float>(2)),
        y(setup.output<double>({p.rows, p.cols})) {}
  void run() {
    const auto length = static_cast<std::size_t>(problem.cols);
    const auto count = static_cast<double>(problem.cols);
    for (std::size_t row = 0; row < x.size(); row += length) {
      double mean = 0, variance = 0;
      for (std::size_t j = 0; j < length; ++j) mean += x[row + j] / count;
      for (std::size_t j = 0; j < length; ++j)
        variance += (x[row + j] - mean) * (x[row + j] - mean) / count;
      const double deviation = std::sqrt(variance + problem.epsilon);
      for (std::size_t j = 0; j < length; ++j)
        y[row + j] = (x[row + j] - mean) / deviation * gamma[j] + beta[j];
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
  Normalisation given;
  std::span<float> y;
  Scratch stages;

  static void can_run(const Problem&, const Settings& settings) { settings.require(); }
  Own(const Problem& p, const Settings& settings, Setup& setup)
      : problem(p),
        loops(settings.loops()),
        past(settings.past_caches(is_staged(p.cols) ? 0
                                                    : p.work().bytes)),  // staging costs more than it saves
        shares(setup.threads(), p.rows),
        x(setup.input<float>(0)),
        given{setup.input<float>(1).data(), setup.input<float>(2).data(), static_cast<float>(p.epsilon)},
        y(setup.output<float>({p.rows, p.cols})),
        stages(setup, shares.threads(), past ? kStageElements : 0) {}
  void run() {
    shares.each([this](std::int64_t begin, std::int64_t end, std::int64_t share) {
      const std::int64_t at = begin * problem.cols;
      loops.layernorm({x.data() + at, y.data() + at, end - begin, problem.cols, stages.of(share), past},
                      given);
    });
  }
  std::string runtime() const { return own_runtime(loops, past, shares.threads()); }
};

struct Onednn {
  Problem problem;
  OnednnPass pass;

  static DnnlPass described(const Problem& p, const void* x, const void* gamma, const void* beta) {
    return {DnnlPassKind::layer_normalization,
            {dense_operand(KS_F32, {p.rows, p.cols}, x), dense_operand(KS_F32, {p.cols}, gamma),
             dense_operand(KS_F32, {p.cols}, beta)},
            dense_operand(KS_F32, {p.rows, p.cols}),
            static_cast<float>(p.epsilon)};
  }
  static void can_run(const Problem& p) { OnednnPass::require(described(p, nullptr, nullptr, nullptr)); }
  Onednn(const Problem& p, Setup& setup)
      : problem(p),
        pass(described(p, setup.tensor(0).data, setup.tensor(1).data, setup.tensor(2).data), setup) {}
  void run() { pass.run(); }
  ks_tensor output() const { return pass.output({problem.rows, problem.cols}); }
  std::string runtime() const { return pass.runtime(); }
};

}  // namespace

pack::Family layernorm_family() {
  return pack::family<Problem>("layernorm", "layer normalisation of the rows of a matrix",
                               {.reference = "naive", .constants = "gamma|beta"},
                               pack::variant<Naive>("naive", "the reference: in f64, one thread"),
                               pack::variant<Own>("own", "ours: a row stays in the cache for three passes"),
                               pack::variant<Onednn>("onednn", "oneDNN's layer normalisation"));
}

}  // namespace kernsweep::memory_bound
