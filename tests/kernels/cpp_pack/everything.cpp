// A pack that uses all of kernels/api/pack.hpp, and fails where its point says so.
#include "kernels/api/pack.hpp"

namespace everything {
using namespace kernsweep::pack;

enum class Op { add, scale };

struct Problem {
  std::int64_t n = 4;
  Op op = Op::add;
  ks_dtype dtype = KS_F32;
  std::string fails, throws;
  bool fast = false, backwards = false;
  std::int64_t block = 8;  // of the variant `kernel`

  static auto params() {
    return std::vector{
        param<&Problem::n>({.name = "n", .summary = "elements", .fallback = "4", .least = 0, .most = 1e6}),
        param<&Problem::op>({.name = "op", .summary = "what", .fallback = "add", .choices = "add|scale"}),
        param<&Problem::dtype>(
            {.name = "dtype", .summary = "type", .fallback = "f32", .choices = "f32|s8"}),
        param<&Problem::fails>({.name = "fails", .summary = "where", .fallback = ""}),
        param<&Problem::throws>({.name = "throws", .summary = "what", .fallback = ""}),
        param<&Problem::fast>({.name = "fast", .summary = "how", .fallback = "false", .setting = true}),
        param<&Problem::backwards>(
            {.name = "order", .summary = "of x", .fallback = "up", .choices = "up|down"}),
        param<&Problem::block>({.name = "block", .fallback = "8", .of_variants = true})};
  }
  void check() const {
    if (fast && n > 1000) throw Refused(KS_BAD_PARAMETER, "fast is for n of at most 1000");
  }
  void fail_in(std::string_view place) const {
    if (place != fails) return;
    if (throws == "unsupported") throw Refused(KS_UNSUPPORTED, fails + " is not supported");
    if (throws == "memory") throw std::bad_alloc();
    if (throws == "number") throw 1;
    if (throws == "size") (void)dense(nullptr, KS_F32, {std::int64_t{1} << 40, std::int64_t{1} << 40});
    throw std::runtime_error(fails + " has failed");
  }
  auto inputs() {
    fail_in("inputs");
    return std::vector{Input{"x", dtype, {n}, KS_INTEGERS, 1, 9}};
  }
  ks_work work() const { return {.flops = op == Op::add ? 1.0 : 2.0, .bytes = 3}; }
  ks_tolerance tolerance() const { return {.relative = block / 16.0, .scale_dims = 1}; }
};

struct Kernel {
  struct Settings {
    std::int64_t block = 8;
    bool exact = true;
    static auto params() {
      return std::vector{
          param<&Settings::block>(
              {.name = "block", .summary = "of a loop", .fallback = "8", .setting = true, .least = 1}),
          param<&Settings::exact>({.name = "exact", .summary = "part of the problem", .fallback = "true"})};
    }
  };
  Problem problem;
  Settings settings;
  std::span<const float> x;
  std::span<double> out;
  int threads;

  Kernel(const Problem& p, const Settings& s, Setup& setup)
      : problem(p),
        settings(s),
        x(setup.input<float>(0)),  // another type than that of a point with s8: Refused
        out(setup.output<double>({1, p.n})),
        threads(setup.threads()) {
    p.fail_in("prepare");
  }
  static void can_run(const Problem& p, const Settings& s) {
    p.fail_in("can_run");
    if (s.block > 64)
      throw Refused(KS_UNSUPPORTED, "block is " + std::to_string(s.block) + ", not above 64");
  }
  void run() {
    problem.fail_in("run");
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float from = x[problem.backwards ? x.size() - 1 - i : i];
      out[i] = problem.op == Op::add ? from + 1 : from * 2;
    }
  }
  ks_tensor output() const {
    problem.fail_in("output");
    return dense(out.data(), KS_F64, {problem.n, 1});
  }
  std::string runtime() {  // hooks need not be const
    return "block=" + std::to_string(settings.block) + " threads=" + std::to_string(threads);
  }
  std::vector<ks_declared_metric> metrics() const {
    ks_declared_metric metric{
        .name = "blocks", .value = double(settings.block), .better = KS_SMALLER_IS_BETTER};
    return {metric};
  }
};

// Has neither operands nor output.
struct Nothing {
  static std::vector<Param<Nothing>> params() { return {}; }
};
struct Idle {
  Idle(const Nothing&, Setup&) {}
  void run() const {}
};

// On a device whose clock counts runs.
struct Queued {
  std::uint64_t runs = 0;
  std::span<std::byte> out;
  Queued(const Nothing&, Setup& setup) : out(setup.output_of(KS_BF16, {5})) {}
  void run() { runs = 1; }
  void run_many(std::uint64_t many) {
    if (many > runs_max) throw Refused(KS_FAILED, "too many runs");
    runs = many;
  }
  double elapsed() const { return double(runs); }
  static constexpr std::uint64_t runs_max = 3;
  static constexpr double elapsed_resolution = 0.5;
};

// Made where only the problem is known, as in another file.
Variant queued() {
  return variant<Queued>("queued", "has a queue").of<Nothing>();
}

ks_status never(ks_why why) {
  std::snprintf(why.text, why.size, "not on this host");
  return KS_UNSUPPORTED;
}

}  // namespace everything

KERNSWEEP_PACK("everything", "2",
               family<everything::Problem>("every", "all of it", {.reference = "kernel", .constants = "x"},
                                           variant<everything::Kernel>("kernel", "computes")),
               family<everything::Nothing>("nothing", "no operands", {.any_params = true},
                                           variant<everything::Idle>("idle", "does nothing",
                                                                     everything::never),
                                           everything::queued()))
