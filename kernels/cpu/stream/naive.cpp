// The reference: each element in f64, in order, on one thread.
#include <memory>
#include <new>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/stream/stream.hpp"

namespace kernsweep::stream {
namespace {

struct State {
  Problem problem;
  const void* x = nullptr;
  const void* y = nullptr;
  double* z = nullptr;
};

ks_status can_run(const ks_params* params, ks_why why) {
  Problem problem;
  return parse(params, problem, why);
}

ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs, size_t,
                  void** state, ks_why why) {
  auto made = std::unique_ptr<State>(new (std::nothrow) State);
  if (made == nullptr) return refuse(KS_OUT_OF_MEMORY, why, "no memory for the state of a kernel");
  if (const ks_status status = parse(params, made->problem, why); status != KS_OK) return status;
  const auto bytes = static_cast<std::size_t>(made->problem.n) * sizeof(double);
  made->z = static_cast<double*>(context->allocate(context->host, bytes));
  if (made->z == nullptr && bytes > 0)
    return refuse(KS_OUT_OF_MEMORY, why, "no memory for the output array");
  made->x = inputs[0].data;
  made->y = inputs_of(made->problem.op) == 2 ? inputs[1].data : nullptr;
  *state = made.release();
  return KS_OK;
}

template <class T>
void compute_all(const State& state) {
  const auto* x = static_cast<const T*>(state.x);
  const auto* y = static_cast<const T*>(state.y);
  for (std::int64_t i = 0; i < state.problem.n; ++i) {
    switch (state.problem.op) {
      case Op::copy:
        state.z[i] = x[i];
        break;
      case Op::scale:
        state.z[i] = kScalar * x[i];
        break;
      case Op::add:
        state.z[i] = static_cast<double>(x[i]) + y[i];
        break;
      case Op::triad:
        state.z[i] = x[i] + kScalar * y[i];
        break;
    }
  }
}

ks_status run(void* opaque) {
  const auto& state = *static_cast<State*>(opaque);
  if (state.problem.dtype == KS_F64) {
    compute_all<double>(state);
  } else {
    compute_all<float>(state);
  }
  return KS_OK;
}

ks_status output(void* opaque, ks_tensor* out) {
  const auto& state = *static_cast<State*>(opaque);
  *out = {.data = state.z, .dtype = KS_F64, .rank = 1};
  out->shape[0] = state.problem.n;
  out->strides[0] = 1;
  return KS_OK;
}

void release(void* state) {
  delete static_cast<State*>(state);
}

}  // namespace

const ks_variant kNaive = {.name = "naive",
                           .summary = "the reference: one element after the other, in f64, one thread",
                           .can_run = can_run,
                           .prepare = prepare,
                           .run = run,
                           .output = output,
                           .release = release};

}  // namespace kernsweep::stream
