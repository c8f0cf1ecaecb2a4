// One operation on every element of an array, or on two arrays.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/memory_bound/families.hpp"
#include "kernels/cpu/memory_bound/onednn.hpp"
#include "kernels/cpu/memory_bound/own.hpp"

namespace kernsweep::memory_bound {
namespace {

using pack::param;
using pack::Setup;

constexpr double kU = 0x1p-24;

// In the order of Elementwise.
struct Operation {
  DnnlPassKind library;
  double flops;  // of an element, with exp as one
  ks_tolerance tolerance;
};
// Each element has a scale of its own. A sum and a product are rounded once. Exponentials have an error of
// at most 5 u (oneDNN's on arm64), and so has a quotient by 1 + exp(-x); 8 u are allowed. gelu multiplies
// the rounding of its argument, 5 u of up to 9 between -4 and 4; in oneDNN's form x / 2 (1 + tanh(...)) it
// cancels below 0, where a rounding of 1 becomes up to 2 u in the result: 16 u are allowed.
constexpr Operation kOperations[kElementwiseCount] = {
    {DnnlPassKind::add, 1, {.relative = kU}},
    {DnnlPassKind::mul, 1, {.relative = kU}},
    {DnnlPassKind::relu, 1, {}},
    {DnnlPassKind::exp, 1, {.relative = 8 * kU}},
    {DnnlPassKind::logistic, 4, {.relative = 8 * kU}},
    {DnnlPassKind::swish, 5, {.relative = 8 * kU}},
    {DnnlPassKind::gelu_tanh, 9, {.relative = 64 * kU, .absolute = 16 * kU}},
};

struct Problem {
  Elementwise op = Elementwise::relu;
  std::int64_t n = 0;

  static auto params() {
    return std::vector{param<&Problem::op>({.name = "op",
                                            .summary = "add and mul: of two arrays; gelu_tanh: as in gemm",
                                            .fallback = "relu",
                                            .choices = kElementwiseNames}),
                       param<&Problem::n>({.name = "n", .summary = "elements", .least = 0})};
  }
  void check() const { check_elements({n}); }
  bool binary() const { return op == Elementwise::add || op == Elementwise::mul; }
  const Operation& operation() const { return kOperations[static_cast<int>(op)]; }
  auto inputs() const {
    std::vector out = {pack::Input{"x", KS_F32, {n}, KS_UNIFORM, -4, 4}};
    if (binary()) out.push_back({"z", KS_F32, {n}, KS_UNIFORM, -4, 4});
    return out;
  }
  ks_work work() const {
    const auto count = static_cast<double>(n);
    return {.flops = operation().flops * count, .bytes = (binary() ? 12 : 8) * count};
  }
  ks_tolerance tolerance() const {
    ks_tolerance out = operation().tolerance;
    out.scale_dims = 1;
    return out;
  }
  // So that each element is a slice of its own.
  std::vector<std::int64_t> shape() const { return {n, 1}; }
};

double exactly(Elementwise op, double x, double z) {
  switch (op) {
    case Elementwise::add:
      return x + z;
    case Elementwise::mul:
      return x * z;
    case Elementwise::relu:
      return std::max(x, 0.0);
    case Elementwise::exp:
      return std::exp(x);
    case Elementwise::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Elementwise::silu:
      return x / (1 + std::exp(-x));
    case Elementwise::gelu_tanh:
      return x / (1 + std::exp(-2 * std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  }
  return NAN;
}

struct Naive {
  Elementwise op;
  std::span<const float> x, z;
  std::span<double> y;

  Naive(const Problem& p, Setup& setup)
      : op(p.op),
        x(setup.input<float>(0)),
        z(setup.input<float>(p.binary() ? 1 : 0)),
        y(setup.output<double>(p.shape())) {}
  void run() {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = exactly(op, x[i], z[i]);
  }
};

struct Own {
  using Settings = OwnSettings;
  static constexpr std::int64_t kPage = 1024;  // elements: no page is written by two threads
  const Loops& loops;
  void (*compute)(const Elements& elements);
  bool past;
  Shares shares;
  std::span<const float> x, z;
  std::span<float> y;

  static void can_run(const Problem&, const Settings& settings) { settings.require(); }
  Own(const Problem& p, const Settings& settings, Setup& setup)
      : loops(settings.loops()),
        compute(loops.elementwise[static_cast<int>(p.op)]),
        past(settings.past_caches(p.work().bytes)),
        shares(setup.threads(), p.n, kPage),
        x(setup.input<float>(0)),
        z(setup.input<float>(p.binary() ? 1 : 0)),
        y(setup.output<float>(p.shape())) {}
  void run() {
    shares.each([this](std::int64_t begin, std::int64_t end, std::int64_t) {
      compute({x.data() + begin, z.data() + begin, y.data() + begin, end - begin, past});
    });
  }
  std::string runtime() const { return own_runtime(loops, past, shares.threads()); }
};

struct Onednn {
  Problem problem;
  OnednnPass pass;

  static DnnlPass described(const Problem& p, const void* x, const void* z) {
    DnnlPass out = {p.operation().library, {dense_operand(KS_F32, {p.n}, x)}, dense_operand(KS_F32, {p.n})};
    if (p.binary()) out.inputs.push_back(dense_operand(KS_F32, {p.n}, z));
    return out;
  }
  static void can_run(const Problem& p) { OnednnPass::require(described(p, nullptr, nullptr)); }
  Onednn(const Problem& p, Setup& setup)
      : problem(p),
        pass(described(p, setup.tensor(0).data, p.binary() ? setup.tensor(1).data : nullptr), setup) {}
  void run() { pass.run(); }
  ks_tensor output() const { return pass.output(problem.shape()); }
  std::string runtime() const { return pass.runtime(); }
};

}  // namespace

pack::Family elementwise_family() {
  return pack::family<Problem>("elementwise", "one operation on each element of one or two arrays",
                               {.reference = "naive", .least = "bytes"},
                               pack::variant<Naive>("naive", "the reference: in f64, one thread"),
                               pack::variant<Own>("own", "ours: vectorised, exponentials by a polynomial"),
                               pack::variant<Onednn>("onednn", "oneDNN's eltwise or binary"));
}

}  // namespace kernsweep::memory_bound
