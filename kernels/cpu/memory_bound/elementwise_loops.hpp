// Operations element by element; included by loops_body.hpp only.
#pragma once

namespace kernsweep::memory_bound {
namespace {

// exp of any x: 0 where it is below 2^-126, infinity where it is above the largest float.
inline Vec exp_of_any(Vec x) {
  const Vec inside = x < -87.33654f ? Vec{} : exp_of(x);
  return x > 88.72283f ? all(kInfinity) : inside;
}

// x / (1 + exp(-v)) with v = 2 sqrt(2 / pi) (x + 0.044715 x^3): the same as x / 2 (1 + tanh(v / 2)),
// without its cancellation below 0.
inline Vec gelu_of(Vec x) {
  return x / (1.0f + exp_of_any(x * (x * x * -0.0713548163f - 1.59576912f)));
}

void add(const Elements& e) {
  write_all(e, [&](const auto& where) { return where(e.x) + where(e.z); });
}
void mul(const Elements& e) {
  write_all(e, [&](const auto& where) { return where(e.x) * where(e.z); });
}
void relu(const Elements& e) {
  write_all(e, [&](const auto& where) { return larger(where(e.x), Vec{}); });
}
void exp(const Elements& e) {
  write_all(e, [&](const auto& where) { return exp_of_any(where(e.x)); });
}
void sigmoid(const Elements& e) {
  write_all(e, [&](const auto& where) { return 1.0f / (1.0f + exp_of_any(-where(e.x))); });
}
void silu(const Elements& e) {
  write_all(e, [&](const auto& where) {
    const Vec x = where(e.x);
    return x / (1.0f + exp_of_any(-x));
  });
}
void gelu_tanh(const Elements& e) {
  write_all(e, [&](const auto& where) { return gelu_of(where(e.x)); });
}

}  // namespace
}  // namespace kernsweep::memory_bound
