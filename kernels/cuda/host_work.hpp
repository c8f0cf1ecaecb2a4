// The C entry points of a reference of this pack that computes on the host, made from a C++ class.
//
// The class (`Work`) has
//   static ks_status check(const ks_params*, ks_why);
//   Work(const ks_params*, const ks_context&, const ks_tensor* inputs);  // may throw Failure
//   void run();
//   void output(ks_tensor&);  // gets a zero-filled view
#pragma once

#include "kernels/cuda/entries.hpp"

namespace kernsweep::cuda {

template <class Work>
constexpr ks_variant host_variant(const char* name, const char* summary) {
  ks_variant variant{};
  variant.name = name;
  variant.summary = summary;
  variant.can_run = [](const ks_params* params, ks_why why) { return Work::check(params, why); };
  variant.prepare = [](const ks_params* params, const ks_context* context, const ks_tensor* inputs, size_t,
                       void** state, ks_why why) {
    *state = nullptr;
    return guarded_telling(why, [&] {
      if (const ks_status status = Work::check(params, why); status != KS_OK) return status;
      *state = new Work(params, *context, inputs);
      return KS_OK;
    });
  };
  variant.run = [](void* state) {
    static_cast<Work*>(state)->run();
    return KS_OK;
  };
  variant.output = [](void* state, ks_tensor* out) {
    *out = {};
    static_cast<Work*>(state)->output(*out);
    return KS_OK;
  };
  variant.release = [](void* state) { delete static_cast<Work*>(state); };
  return variant;
}

}  // namespace kernsweep::cuda
