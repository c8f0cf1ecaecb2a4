#include "kernels/cpu/stream/stream.hpp"

namespace kernsweep::stream {

using pack::param;

std::vector<pack::Param<Problem>> Problem::params() {
  return {param<&Problem::op>({.name = "op",
                               .summary = "which of STREAM's loops",
                               .fallback = "triad",
                               .choices = "copy|scale|add|triad"}),
          param<&Problem::n>(
              {.name = "n",
               .summary = "elements per array; STREAM asks for four times the last-level caches or more",
               .fallback = "33554432",
               .least = 0,
               .most = 0x1p40}),
          param<&Problem::dtype>(
              {.name = "dtype", .summary = "element type", .fallback = "f64", .choices = "f64|f32"}),
          param<&Problem::non_temporal>(
              {.name = "non_temporal",
               .summary =
                   "stores that bypass the caches, and so save reading each line before it is overwritten",
               .fallback = "false",
               .setting = true})};
}

std::vector<pack::Input> Problem::inputs() const {
  std::vector<pack::Input> out{{"x", dtype, {n}}};
  if (inputs_of(op) == 2) out.push_back({"y", dtype, {n}});
  return out;
}

ks_work Problem::work() const {
  const auto elements = static_cast<double>(n);
  const double flops = op == Op::copy ? 0 : op == Op::triad ? 2 : 1;
  return {.flops = flops * elements,
          .bytes = elements * static_cast<double>((inputs_of(op) + 1) * element_bytes())};
}

// At most two roundings separate the result from the exact one, each at most u = 2^-53 (f64) or 2^-24 (f32)
// of a value that is no larger than |x| + 3 |y|: at most 4 for generated inputs, near the largest |result|
// for others.
ks_tolerance Problem::tolerance() const {
  const double u = dtype == KS_F64 ? 0x1p-53 : 0x1p-24;
  return {.relative = 4 * u, .absolute = 8 * u};
}

Naive::Naive(const Problem& problem, pack::Setup& setup)
    : problem_(problem),
      x_(setup.tensor(0).data),
      y_(inputs_of(problem.op) == 2 ? setup.tensor(1).data : nullptr),
      z_(setup.output<double>({problem.n})) {}

template <class T>
void Naive::compute_all() {
  const auto* x = static_cast<const T*>(x_);
  const auto* y = static_cast<const T*>(y_);
  for (std::size_t i = 0; i < z_.size(); ++i) {
    switch (problem_.op) {
      case Op::copy:
        z_[i] = x[i];
        break;
      case Op::scale:
        z_[i] = kScalar * x[i];
        break;
      case Op::add:
        z_[i] = static_cast<double>(x[i]) + y[i];
        break;
      case Op::triad:
        z_[i] = x[i] + kScalar * y[i];
        break;
    }
  }
}

void Naive::run() {
  problem_.dtype == KS_F64 ? compute_all<double>() : compute_all<float>();
}

}  // namespace kernsweep::stream
