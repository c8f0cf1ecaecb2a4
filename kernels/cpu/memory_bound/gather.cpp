// Rows of a table by their numbers, as an embedding looks words up: y[i, :] = table[number[i], :], where a
// number that is out of range is replaced by the nearest valid one, as in XLA's Gather ("clamp").
#include <algorithm>
#include <cmath>

#include "kernels/cpu/memory_bound/families.hpp"
#include "kernels/cpu/memory_bound/own.hpp"
#include "kernels/cpu/memory_bound/row_lengths.hpp"

namespace kernsweep::memory_bound {
namespace {

using pack::param;
using pack::Setup;

struct Problem {
  std::int64_t rows = 0, cols = 0, count = 0, hot = 0;
  ks_dtype index = KS_S64;

  static auto params() {
    return std::vector{
        param<&Problem::rows>({.name = "rows", .summary = "rows of the table", .least = 1}),
        param<&Problem::cols>({.name = "cols", .summary = "elements of a row", .least = 1}),
        param<&Problem::count>({.name = "lookups", .summary = "rows that are looked up", .least = 0}),
        param<&Problem::hot>({.name = "hot",
                              .summary = "the first so many rows are looked up, all as often; 0: all",
                              .fallback = "0",
                              .least = 0}),
        param<&Problem::index>(
            {.name = "index", .summary = "type of the numbers", .fallback = "s64", .choices = "s32|s64"})};
  }
  void check() const {
    check_elements({rows, cols});
    check_elements({count, cols});
    if (hot > rows) throw pack::Refused(KS_BAD_PARAMETER, "hot is more than the table has rows");
    if (index == KS_S32 && rows > 0x7fffffff)
      throw pack::Refused(KS_BAD_PARAMETER, "rows do not fit numbers of s32; take index: s64");
  }
  std::int64_t looked_up() const { return hot > 0 ? hot : rows; }
  auto inputs() const {
    return std::vector{
        pack::Input{"table", KS_F32, {rows, cols}},
        pack::Input{"number", index, {count}, KS_INTEGERS, 0, static_cast<double>(looked_up() - 1)}};
  }
  // Rows that are looked up more than once are read once: of h equally likely rows, `count` draws are
  // expected to find h (1 - (1 - 1/h)^count).
  ks_work work() const {
    const auto h = static_cast<double>(looked_up()), draws = static_cast<double>(count);
    const double found = h == 1 ? std::min(1.0, draws) : -h * std::expm1(draws * std::log1p(-1 / h));
    const double row = 4 * static_cast<double>(cols);
    return {.bytes = (found + draws) * row + (index == KS_S32 ? 4 : 8) * draws};
  }
};

// The numbers, of either type.
struct Numbers {
  bool wide;
  std::span<const std::int64_t> s64;
  std::span<const std::int32_t> s32;

  Numbers(const Problem& p, const Setup& setup) : wide(p.index == KS_S64) {
    if (wide) {
      s64 = setup.input<std::int64_t>(1);
    } else {
      s32 = setup.input<std::int32_t>(1);
    }
  }
  const void* from(std::int64_t i) const {
    return wide ? static_cast<const void*>(s64.data() + i) : static_cast<const void*>(s32.data() + i);
  }
};

struct Naive {
  Problem problem;
  std::span<const float> table;
  Numbers numbers;
  std::span<double> y;

  Naive(const Problem& p, Setup& setup)
      : problem(p),
        table(setup.input<float>(0)),
        numbers(p, setup),
        y(setup.output<double>({p.count, p.cols})) {}
  void run() {
    const auto count = static_cast<std::size_t>(problem.count),
               cols = static_cast<std::size_t>(problem.cols);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t number = numbers.wide ? numbers.s64[i] : numbers.s32[i];
      const auto row = static_cast<std::size_t>(std::clamp<std::int64_t>(number, 0, problem.rows - 1));
      std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(row * cols), cols,
                  y.begin() + static_cast<std::ptrdiff_t>(i * cols));
    }
  }
};

struct Own {
  using Settings = OwnSettings;
  Problem problem;
  const Loops& loops;
  bool past;
  Shares shares;
  std::span<const float> table;
  Numbers numbers;
  std::span<float> y;
  Scratch stages;

  static void can_run(const Problem&, const Settings& settings) { settings.require(); }
  Own(const Problem& p, const Settings& settings, Setup& setup)
      : problem(p),
        loops(settings.loops()),
        past(settings.past_caches(is_staged(p.cols) ? 0 : p.work().bytes)),
        shares(setup.threads(), p.count),
        table(setup.input<float>(0)),
        numbers(p, setup),
        y(setup.output<float>({p.count, p.cols})),
        stages(setup, shares.threads(), past ? kStageElements : 0) {}
  void run() {
    shares.each([this](std::int64_t begin, std::int64_t end, std::int64_t share) {
      loops.gather(
          {table.data(),
           problem.rows,
           numbers.from(begin),
           numbers.wide,
           {nullptr, y.data() + begin * problem.cols, end - begin, problem.cols, stages.of(share), past}});
    });
  }
  std::string runtime() const { return own_runtime(loops, past, shares.threads()); }
};

}  // namespace

pack::Family gather_family() {
  return pack::family<Problem>(
      "gather", "rows of a table by their numbers, as an embedding",
      {.reference = "naive", .constants = "table"},
      pack::variant<Naive>("naive", "the reference: row by row, one thread"),
      pack::variant<Own>("own", "ours: rows that come later are fetched meanwhile"));
}

}  // namespace kernsweep::memory_bound
