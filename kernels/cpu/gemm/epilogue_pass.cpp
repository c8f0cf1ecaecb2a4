#include "kernels/cpu/gemm/epilogue_pass.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep {
namespace {

constexpr std::int64_t kRunColumns = 4096;  // columns of a part: long rows are divided among threads, too

template <class T>
T gelu(T x) {
  constexpr T kTwiceRootOf2OverPi = static_cast<T>(1.5957691216057307);
  const T y = kTwiceRootOf2OverPi * (x + static_cast<T>(0.044715) * x * x * x);
  return x / (1 + std::exp(-y));
}

template <class T, class Activate>
void finish_run(T* c, const T* bias, std::int64_t columns, Activate activate) {
  if (bias == nullptr) {
    for (std::int64_t j = 0; j < columns; ++j) c[j] = activate(c[j]);
  } else {
    for (std::int64_t j = 0; j < columns; ++j) c[j] = activate(c[j] + bias[j]);
  }
}

template <class T, class Activate>
void finish_by(const GemmProblem& problem, const T* bias, T* c, Team& team, Activate activate) {
  const std::int64_t runs = (problem.n + kRunColumns - 1) / kRunColumns;
  on_each(team, problem.batch * problem.m * runs, [&](std::int64_t part) {
    const std::int64_t row = part / runs;  // row number over all batches
    const std::int64_t column = part % runs * kRunColumns;
    finish_run(c + row * problem.ldc + column, bias == nullptr ? nullptr : bias + column,
               std::min(kRunColumns, problem.n - column), activate);
  });
}

}  // namespace

template <class T>
void finish_product(const GemmProblem& problem, const T* bias, T* c, Team& team) {
  if (problem.epilogue.is_none() || problem.is_empty()) return;
  const T* const added = problem.epilogue.has_bias ? bias : nullptr;
  switch (problem.epilogue.activation) {
    case Activation::relu:
      return finish_by(problem, added, c, team, [](T x) { return x < 0 ? T{0} : x; });
    case Activation::gelu:
      return finish_by(problem, added, c, team, [](T x) { return gelu(x); });
    case Activation::none:
      break;
  }
  return finish_by(problem, added, c, team, [](T x) { return x; });
}

template void finish_product(const GemmProblem&, const float*, float*, Team&);
template void finish_product(const GemmProblem&, const double*, double*, Team&);

}  // namespace kernsweep
