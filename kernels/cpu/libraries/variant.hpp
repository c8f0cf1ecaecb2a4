// The C entry points of a variant, made from a C++ class, so that all variants behave alike: nothing is
// thrown across the interface, a failed prepare leaves nothing behind, and every state is freed.
//
// The class (`Kernel`) has
//   static ks_status can_run(const ks_params*, ks_why);
//   static ks_status prepare(const ks_params*, const ks_context&, const ks_tensor* inputs,
//                            std::unique_ptr<Kernel>&, ks_why);  // sets the pointer only with KS_OK
//   ks_status run();
//   ks_status output(ks_tensor&);                  // gets a zero-filled view
//   const char* runtime() const;
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>

#include "kernels/api/pack.h"
#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep {

template <class Kernel>
struct VariantEntries {
  static ks_status can_run(const ks_params* params, ks_why why) {
    return guarded(why, [&] { return Kernel::can_run(params, why); });
  }

  static ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                           size_t, void** state, ks_why why) {
    *state = nullptr;
    return guarded(why, [&] {
      std::unique_ptr<Kernel> kernel;
      const ks_status status = Kernel::prepare(params, *context, inputs, kernel, why);
      if (status == KS_OK) *state = kernel.release();
      return status;
    });
  }

  static ks_status run(void* state) {
    return guarded({}, [&] { return static_cast<Kernel*>(state)->run(); });
  }

  static ks_status output(void* state, ks_tensor* out) {
    *out = ks_tensor{};
    return guarded({}, [&] { return static_cast<Kernel*>(state)->output(*out); });
  }

  static void release(void* state) { delete static_cast<Kernel*>(state); }
  static const char* runtime(void* state) { return static_cast<const Kernel*>(state)->runtime(); }

 private:
  template <class Call>
  static ks_status guarded(ks_why why, Call&& call) {
    try {
      return call();
    } catch (const std::bad_alloc&) {
      return refuse(KS_OUT_OF_MEMORY, why, "out of memory");
    } catch (const std::exception& error) {
      return refuse(KS_FAILED, why, error.what());
    }
  }
};

template <class Kernel>
constexpr ks_variant make_variant(const char* name, const char* summary, const ks_param_doc* docs = nullptr,
                                  std::size_t doc_count = 0, ks_status (*available)(ks_why why) = nullptr) {
  using Entries = VariantEntries<Kernel>;
  return {name,          summary,          docs,    doc_count,         &Entries::can_run, &Entries::prepare,
          &Entries::run, &Entries::output, nullptr, &Entries::release, &Entries::runtime, available};
}

}  // namespace kernsweep
