// Reductions of a matrix in f32: of each row, of each column, or of all elements.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/memory_bound/families.hpp"
#include "kernels/cpu/memory_bound/onednn.hpp"
#include "kernels/cpu/memory_bound/own.hpp"

namespace kernsweep::memory_bound {
namespace {

using pack::param;
using pack::Setup;

enum class Op { sum, mean, max, l2 };
enum class Axis { row, column, all };

struct Problem {
  Op op = Op::sum;
  Axis axis = Axis::row;
  std::int64_t rows = 0, cols = 0;

  static auto params() {
    return std::vector{
        param<&Problem::op>({.name = "op",
                             .summary = "l2: square root of the sum of squares",
                             .fallback = "sum",
                             .choices = "sum|mean|max|l2"}),
        param<&Problem::axis>({.name = "axis",
                               .summary = "one result for each row, for each column, or one of all",
                               .fallback = "row",
                               .choices = "row|column|all"}),
        param<&Problem::rows>({.name = "rows", .summary = "rows", .least = 0}),
        param<&Problem::cols>({.name = "cols", .summary = "elements of a row", .least = 0})};
  }
  void check() const {
    check_elements({rows, cols});
    if (reduced() > 0 || results() == 0) return;
    throw pack::Refused(KS_BAD_PARAMETER,
                        "rows, cols: nothing is reduced; the extent that is reduced must "
                        "be at least 1");
  }
  std::int64_t results() const { return axis == Axis::row ? rows : axis == Axis::column ? cols : 1; }
  std::int64_t reduced() const {
    return axis == Axis::row ? cols : axis == Axis::column ? rows : rows * cols;
  }
  // Sums of positive numbers, because those of others may be small by cancellation; but a maximum of
  // positive numbers would not show its initial value.
  auto inputs() const {
    const bool is_max = op == Op::max;
    return std::vector{
        pack::Input{"x", KS_F32, {rows, cols}, KS_UNIFORM, is_max ? -1.0 : 0.5, is_max ? 1.0 : 1.5}};
  }
  ks_work work() const {
    const double elements = static_cast<double>(rows) * static_cast<double>(cols);
    return {.flops = (op == Op::l2 ? 2 : 1) * elements,
            .bytes = 4 * (elements + static_cast<double>(results()))};
  }
  // Each result has a scale of its own. With u = 2^-24: 4 sqrt(n) u for a sum of n positive numbers, as for
  // gemm, and two more roundings for a product and a quotient or square root.
  ks_tolerance tolerance() const {
    if (op == Op::max) return {};
    return {.relative = (4 * std::sqrt(static_cast<double>(reduced())) + 2) * 0x1p-24, .scale_dims = 1};
  }
  // So that each result is a slice of its own.
  std::vector<std::int64_t> shape() const { return {results(), 1}; }
  // The result from the joined elements.
  double finish(double joined) const {
    if (op == Op::mean) return joined / static_cast<double>(reduced());
    return op == Op::l2 ? std::sqrt(joined) : joined;
  }
};

struct Naive {
  Problem problem;
  std::span<const float> x;
  std::span<double> y;

  Naive(const Problem& p, Setup& setup)
      : problem(p), x(setup.input<float>(0)), y(setup.output<double>(p.shape())) {}
  void run() {
    const bool is_max = problem.op == Op::max;
    std::fill(y.begin(), y.end(), is_max ? -std::numeric_limits<double>::infinity() : 0);
    const auto cols = static_cast<std::size_t>(problem.cols);
    for (std::size_t i = 0; i < x.size(); ++i) {
      double& to = y[problem.axis == Axis::row ? i / cols : problem.axis == Axis::column ? i % cols : 0];
      const double value = x[i];
      to = is_max ? std::max(to, value) : to + (problem.op == Op::l2 ? value * value : value);
    }
    for (double& result : y) result = problem.finish(result);
  }
};

struct OwnIsa {
  std::string isa = "best";
  static auto params() { return std::vector{isa_param<&OwnIsa::isa>()}; }
};

// The problem alone determines the parts of the work, so the bits of a result do not depend on the threads.
struct Own {
  using Settings = OwnIsa;
  // Elements of a run, 256 KiB, with a partial result of its own.
  static constexpr std::int64_t kRun = 65536;
  // For columns: the part of a row that is read at a time, 16 KiB; and the rows with one partial result, so
  // many that these cause little traffic.
  static constexpr std::int64_t kWidth = 4096;
  static constexpr std::int64_t kRowsLeast = 256, kGroupsMost = 64;

  Problem problem;
  const Loops& loops;
  Reduction kind;
  std::span<const float> x;
  std::span<float> y;
  std::int64_t runs = 1;             // of each row
  std::int64_t wide = 0, times = 1;  // for columns: `times` rows are one of `wide` elements
  std::int64_t group = 0, groups = 0, panels = 0;
  Shares shares;
  std::span<double> partial;      // [rows][runs]
  std::span<float> partial_rows;  // [groups][wide]

  static void can_run(const Problem&, const Settings& settings) { loops_named(settings.isa); }
  Own(const Problem& p, const Settings& settings, Setup& setup)
      : problem(p),
        loops(loops_named(settings.isa)),
        kind(p.op == Op::max  ? Reduction::maximum
             : p.op == Op::l2 ? Reduction::squares
                              : Reduction::sum),
        x(setup.input<float>(0)),
        y(setup.output<float>(p.shape())),
        shares(setup.threads(), plan()) {
    if (problem.axis != Axis::column) {
      partial = setup.allocate<double>(runs > 1 ? static_cast<std::size_t>(rows() * runs) : 0);
    } else {
      partial_rows = setup.allocate<float>(static_cast<std::size_t>(groups * wide));
    }
  }
  void run() {
    if (problem.axis == Axis::column) {
      reduce_columns();
    } else {
      reduce_rows();
    }
  }
  std::string runtime() const { return own_runtime(loops, false, shares.threads()); }

 private:
  std::int64_t rows() const { return problem.axis == Axis::all ? 1 : problem.rows; }
  std::int64_t cols() const { return problem.reduced(); }

  // Divides the work; returns the number of parts.
  std::int64_t plan() {
    if (problem.axis != Axis::column) {
      runs = std::max<std::int64_t>(1, (cols() + kRun - 1) / kRun);
      return rows() * runs;
    }
    if (problem.cols == 0) return 0;
    // Narrow matrices: several rows are treated as one, which is folded in the end.
    times = std::clamp<std::int64_t>(1024 / problem.cols, 1, problem.rows);
    wide = problem.cols * times;
    const std::int64_t wide_rows = problem.rows / times;
    group = std::max((wide_rows + kGroupsMost - 1) / kGroupsMost, kRowsLeast);
    groups = (wide_rows + group - 1) / group;
    panels = (wide + kWidth - 1) / kWidth;
    return groups * panels;
  }

  void reduce_rows() {
    shares.each([this](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (std::int64_t part = begin; part < end; ++part) {
        const std::int64_t row = part / runs, first = part % runs * kRun;
        const double joined = loops.reduce_run[static_cast<int>(kind)](x.data() + row * cols() + first,
                                                                       std::min(kRun, cols() - first));
        if (runs > 1) {
          partial[static_cast<std::size_t>(part)] = joined;
        } else {
          y[static_cast<std::size_t>(row)] = static_cast<float>(problem.finish(joined));
        }
      }
    });
    if (runs == 1) return;
    for (std::size_t row = 0; row < y.size(); ++row) {
      const auto of_row =
          partial.subspan(row * static_cast<std::size_t>(runs), static_cast<std::size_t>(runs));
      double joined = of_row[0];
      for (const double each : of_row.subspan(1)) joined = join(joined, each);
      y[row] = static_cast<float>(problem.finish(joined));
    }
  }

  void reduce_columns() {
    const std::int64_t wide_rows = wide > 0 ? problem.rows / times : 0;
    shares.each([this, wide_rows](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (std::int64_t part = begin; part < end; ++part) {
        const std::int64_t first = part / panels * group, column = part % panels * kWidth;
        loops.reduce_rows[static_cast<int>(kind)](
            x.data() + first * wide + column, std::min(group, wide_rows - first), wide,
            std::min(kWidth, wide - column), partial_rows.data() + part / panels * wide + column);
      }
    });
    const auto width = static_cast<std::size_t>(problem.cols);
    for (std::size_t j = 0; j < y.size(); ++j) {
      double joined = partial_rows[j];
      for (std::size_t i = j + width; i < partial_rows.size(); i += width)
        joined = join(joined, partial_rows[i]);
      // The last rows, if they are too few for a wide one.
      for (std::size_t i = static_cast<std::size_t>(wide_rows * wide) + j; i < x.size(); i += width)
        joined = join(joined, problem.op == Op::l2 ? static_cast<double>(x[i]) * x[i] : x[i]);
      y[j] = static_cast<float>(problem.finish(joined));
    }
  }

  double join(double a, double b) const { return kind == Reduction::maximum ? std::max(a, b) : a + b; }
};

struct Onednn {
  Problem problem;
  OnednnPass pass;

  static DnnlPass described(const Problem& p, const void* x) {
    constexpr DnnlPassKind kKinds[] = {DnnlPassKind::sum, DnnlPassKind::mean, DnnlPassKind::max,
                                       DnnlPassKind::l2_norm};
    const std::vector<std::int64_t> result = {p.axis == Axis::row ? p.rows : 1,
                                              p.axis == Axis::column ? p.cols : 1};
    return {kKinds[static_cast<int>(p.op)],
            {dense_operand(KS_F32, {p.rows, p.cols}, x)},
            dense_operand(KS_F32, result)};
  }
  static void can_run(const Problem& p) { OnednnPass::require(described(p, nullptr)); }
  Onednn(const Problem& p, Setup& setup) : problem(p), pass(described(p, setup.tensor(0).data), setup) {}
  void run() { pass.run(); }
  ks_tensor output() const { return pass.output(problem.shape()); }
  std::string runtime() const { return pass.runtime(); }
};

}  // namespace

pack::Family reduction_family() {
  return pack::family<Problem>("reduction",
                               "sum, mean, maximum or norm of rows, columns or all of a matrix",
                               {.reference = "naive", .least = "bytes"},
                               pack::variant<Naive>("naive", "the reference: in f64, one thread"),
                               pack::variant<Own>("own", "ours: partial results in f32, joined in f64"),
                               pack::variant<Onednn>("onednn", "oneDNN's reduction"));
}

}  // namespace kernsweep::memory_bound
