// A pack of one's own, complete: the family `axpy`, out[i] = alpha * x[i] + y[i], with a reference and one
// way to compute it. It needs nothing of Kernsweep but one header:
//   g++ -std=c++20 -O3 -shared -fPIC -fvisibility=hidden -I<kernsweep> -o example.so example_pack.cpp
#include <cstdint>
#include <cstdio>
#include <new>

#include "kernels/api/pack.h"

namespace {

const ks_param_doc kParams[] = {
    {"n", KS_INTEGER, nullptr, nullptr, "elements of each vector"},
    {"alpha", KS_FLOAT, "2", nullptr, "factor of x"},
};

struct Problem {
  std::int64_t n = 0;
  double alpha = 2;
};

// Parameters come sorted by name with defaults filled in; `n` has no default, so the host has checked that
// it is set.
ks_status read(const ks_params* params, Problem& problem, ks_why why) {
  for (size_t i = 0; i < params->count; ++i) {
    const ks_param& param = params->items[i];
    if (param.name[0] == 'n') problem.n = param.integer;
    if (param.name[0] == 'a') problem.alpha = param.real;
  }
  if (problem.n >= 0) return KS_OK;
  std::snprintf(why.text, why.size, "n is %lld; it must not be negative",
                static_cast<long long>(problem.n));
  return KS_BAD_PARAMETER;
}

ks_status inputs(const ks_params* params, ks_input* wanted, size_t capacity, size_t* count, ks_why why) {
  Problem problem;
  const ks_status status = read(params, problem, why);
  if (status != KS_OK) return status;
  if (capacity < 2) return KS_FAILED;
  for (int i = 0; i < 2; ++i) {
    wanted[i] = ks_input{};  // zero means default
    std::snprintf(wanted[i].name, sizeof wanted[i].name, "%s", i == 0 ? "x" : "y");
    wanted[i].dtype = KS_F32;
    wanted[i].rank = 1;
    wanted[i].shape[0] = problem.n;
    wanted[i].distribution = KS_UNIFORM;
    wanted[i].a = -1;
    wanted[i].b = 1;
  }
  *count = 2;
  return KS_OK;
}

ks_status work(const ks_params* params, ks_work* out, ks_why why) {
  Problem problem;
  const ks_status status = read(params, problem, why);
  out->flops = 2.0 * static_cast<double>(problem.n);        // a multiply-add counts 2
  out->bytes = 3.0 * 4.0 * static_cast<double>(problem.n);  // x and y read once, the result written once
  return status;
}

// Two roundings of f32, each at most 2^-24 of a result of at most alpha + 1: 2^-23 of the largest, and as
// much to spare.
ks_status tolerance(const ks_params*, ks_tolerance* out) {
  *out = {0x1p-22, 0};
  return KS_OK;
}

// `Result` is double for the reference, float for the loop that people would write.
template <class Result>
struct Axpy {
  Problem problem;
  const float* x;
  const float* y;
  Result* out;

  static ks_status can_run(const ks_params* params, ks_why why) {
    Problem problem;
    return read(params, problem, why);
  }

  static ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                           size_t, void** state, ks_why why) {
    Problem problem;
    const ks_status status = read(params, problem, why);
    if (status != KS_OK) return status;
    // The host's memory: aligned, guarded, freed by the host. Never compute into memory of your own.
    const size_t bytes = static_cast<size_t>(problem.n) * sizeof(Result);
    void* out = bytes == 0 ? nullptr : context->allocate(context->host, bytes);
    if (bytes != 0 && out == nullptr) return KS_OUT_OF_MEMORY;
    *state = new (std::nothrow) Axpy{problem, static_cast<const float*>(inputs[0].data),
                                     static_cast<const float*>(inputs[1].data), static_cast<Result*>(out)};
    return *state == nullptr ? KS_OUT_OF_MEMORY : KS_OK;
  }

  static ks_status run(void* state) {
    const Axpy& axpy = *static_cast<const Axpy*>(state);
    const auto alpha = static_cast<Result>(axpy.problem.alpha);
    for (std::int64_t i = 0; i < axpy.problem.n; ++i)
      axpy.out[i] = alpha * static_cast<Result>(axpy.x[i]) + static_cast<Result>(axpy.y[i]);
    return KS_OK;
  }

  static ks_status output(void* state, ks_tensor* view) {
    const Axpy& axpy = *static_cast<const Axpy*>(state);
    *view = ks_tensor{};
    view->data = axpy.out;
    view->dtype = sizeof(Result) == 8 ? KS_F64 : KS_F32;
    view->rank = 1;
    view->shape[0] = axpy.problem.n;
    view->strides[0] = 1;
    return KS_OK;
  }

  static void release(void* state) { delete static_cast<Axpy*>(state); }

  static constexpr ks_variant variant(const char* name, const char* summary) {
    // No own parameters, the host's clock, no library to report, available everywhere.
    return {name, summary, nullptr, 0, can_run, prepare, run, output, nullptr, release, nullptr, nullptr};
  }
};

const ks_variant kLoop = Axpy<float>::variant("loop", "a plain loop");
const ks_variant kReference = Axpy<double>::variant("reference", "the same in double");
const ks_variant* const kVariants[] = {&kLoop, &kReference};
const ks_family kFamily = {"axpy", "out = alpha x + y", kParams,   2, 0, "reference", inputs,
                           work,   tolerance,           kVariants, 2};
const ks_family* const kFamilies[] = {&kFamily};
const ks_pack kPack = {KS_API_MAJOR, KS_API_MINOR, "example", "1.0", "any compiler", kFamilies, 1};

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kPack : nullptr;
}
