// Operations element by element; included by loops_of_isa.cpp only.
#pragma once

namespace kernsweep::memory_bound {
namespace {

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
