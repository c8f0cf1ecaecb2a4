// A pack of one's own in C++, complete: the family `axpy`, out[i] = alpha * x[i] + y[i], with a reference
// and one way to compute it. It needs two headers of Kernsweep, which its package installs, and C++20:
//   g++ -std=c++20 -O3 -shared -fPIC -fvisibility=hidden -o axpy.so axpy.cpp
#include <kernsweep/pack.hpp>

namespace axpy {
using namespace kernsweep::pack;

struct Problem {
  std::int64_t n = 0;
  double alpha = 2;

  static auto params() {
    return std::vector{
        param<&Problem::n>({.name = "n", .summary = "elements of each vector", .least = 0}),
        param<&Problem::alpha>({.name = "alpha", .summary = "factor of x", .fallback = "2"})};
  }
  auto inputs() const { return std::vector{Input{"x", KS_F32, {n}}, Input{"y", KS_F32, {n}}}; }
  // A multiply-add counts 2; x and y are read once, the result is written once.
  ks_work work() const { return {.flops = 2.0 * double(n), .bytes = 12.0 * double(n)}; }
  // Two roundings of f32, each at most 2^-24 of a result of at most alpha + 1, and as much to spare.
  ks_tolerance tolerance() const { return {.relative = 0x1p-22}; }
};

// `Result` is double for the reference, float for the loop that people would write.
template <class Result>
struct Axpy {
  Result alpha;
  std::span<const float> x, y;
  std::span<Result> out;

  Axpy(const Problem& problem, Setup& setup)  // not timed
      : alpha(Result(problem.alpha)),
        x(setup.input<float>(0)),
        y(setup.input<float>(1)),
        out(setup.output<Result>({problem.n})) {}
  void run() {  // timed
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = alpha * Result(x[i]) + Result(y[i]);
  }
};

}  // namespace axpy

KERNSWEEP_PACK("axpy", "1.0",
               family<axpy::Problem>("axpy", "out = alpha x + y", {.reference = "reference"},
                                     variant<axpy::Axpy<float>>("loop", "a plain loop"),
                                     variant<axpy::Axpy<double>>("reference", "the same in double")))
