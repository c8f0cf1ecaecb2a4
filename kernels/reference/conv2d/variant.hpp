// The C functions of a variant around a C++ class, once for all variants of the family.
//
// A Kernel is default-constructible and has
//   static ks_status can_run(const Problem&, const Params&, ks_why);
//   ks_status prepare(const Problem&, const Params&, const ks_context&, const ks_tensor* inputs, ks_why);
//   ks_status run();
//   ks_status output(ks_tensor&);
//   const char* runtime() const;
// `prepare` and the others are only called after can_run has returned KS_OK for the same point. Exceptions
// are caught here.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <string>

#include "kernels/api/pack.h"
#include "kernels/cpu/libraries/params.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::conv2d {

template <class Kernel>
struct Life {
  static ks_status can_run(const ks_params* params, ks_why why) {
    Problem problem;
    if (const ks_status status = read_problem(params, problem, why); status != KS_OK) return status;
    return Kernel::can_run(problem, Params(params), why);
  }

  static ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                           size_t input_count, void** state, ks_why why) try {
    Problem problem;
    if (const ks_status status = read_problem(params, problem, why); status != KS_OK) return status;
    if (const ks_status status = Kernel::can_run(problem, Params(params), why); status != KS_OK)
      return status;
    if (input_count != (problem.epilogue.has_bias ? 3 : 2))
      return refuse(KS_FAILED, why,
                    "want the inputs `input` and `weights`, and `bias` of an epilogue with one");
    auto kernel = std::make_unique<Kernel>();
    const ks_status status = kernel->prepare(problem, Params(params), *context, inputs, why);
    if (status == KS_OK) *state = kernel.release();
    return status;
  } catch (const std::bad_alloc&) {
    return refuse(KS_OUT_OF_MEMORY, why, "no memory for the state of a kernel");
  } catch (const std::exception& error) {
    return refuse(KS_FAILED, why, error.what());
  }

  static ks_status run(void* state) { return static_cast<Kernel*>(state)->run(); }
  static ks_status output(void* state, ks_tensor* out) { return static_cast<Kernel*>(state)->output(*out); }
  static const char* runtime(void* state) { return static_cast<Kernel*>(state)->runtime(); }
  static void release(void* state) { delete static_cast<Kernel*>(state); }
};

template <class Kernel>
constexpr ks_variant variant_of(const char* name, const char* summary, const ks_param_doc* params = nullptr,
                                size_t param_count = 0) {
  using L = Life<Kernel>;
  return {.name = name,
          .summary = summary,
          .params = params,
          .param_count = param_count,
          .can_run = L::can_run,
          .prepare = L::prepare,
          .run = L::run,
          .output = L::output,
          .release = L::release,
          .runtime = L::runtime};
}

// `count` elements of memory from the slot. KS_OUT_OF_MEMORY with a reason, in which `what` names the use.
template <class T>
ks_status allocate(const ks_context& context, std::int64_t count, const char* what, T*& memory,
                   ks_why why) {
  memory = static_cast<T*>(context.allocate(context.host, static_cast<std::size_t>(count) * sizeof(T)));
  if (memory != nullptr || count == 0) return KS_OK;
  return refuse(KS_OUT_OF_MEMORY, why, std::string("no memory for ") + what);
}

}  // namespace kernsweep::conv2d
