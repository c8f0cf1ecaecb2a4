// The kernel is a Python function of the user. The parameter `python` names it; it is called once with the
// other parameters and returns a function without parameters, whose calls are timed
// (docs/reference/programs.md).
//
// This pack is loaded into an interpreter (worker/slot/python), because a call costs nanoseconds, whereas a
// process costs milliseconds.
#include "kernels/python/cpython_call.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "kernels/api/pack.h"
#include "kernels/pack_parts.hpp"
#include "kernels/python/cpython_interpreter.hpp"
#include "kernels/python/cpython_modules.hpp"

namespace {

using kernsweep::python::Call;
using kernsweep::python::Flaw;

// Reports the modules that were loaded since the last report; the first report of a job includes those of
// earlier jobs, which it may use.
class Telling {
 public:
  void tell(const ks_context& context) {
    if (!context.report_source || !kernsweep::python::look_for_modules()) return;
    const auto& files = kernsweep::python::module_files();
    for (; told_ < files.size(); ++told_) {
      const auto& [role, name, path] = files[told_];
      context.report_source(context.host, role.c_str(), name.c_str(), path.c_str());
    }
  }

 private:
  std::size_t told_ = 0;
};

struct State {
  ks_context context;
  std::unique_ptr<Call> call;
  Telling telling;
  std::string runtime;
};

ks_status can_run(const ks_params* params, ks_why why) {
  const char* const reference = kernsweep::text_of(*params, "python");
  const char* const colon = std::strchr(reference, ':');
  if (colon != nullptr && colon != reference && colon[1] != '\0') return KS_OK;
  std::snprintf(why.text, why.size, "python is module:function, such as bench:sort_list, not '%s'",
                reference);
  return KS_BAD_PARAMETER;
}

ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs, std::size_t,
                  void** state, ks_why why) try {
  Flaw flaw;
  auto made = std::make_unique<State>(State{*context, nullptr, {}, ""});
  made->call = Call::make(kernsweep::text_of(*params, "python"), *params, *context, inputs, flaw);
  made->telling.tell(*context);
  if (!made->call) {
    std::snprintf(why.text, why.size, "%s", flaw.reason.c_str());
    return flaw.status;
  }
  *state = made.release();
  return KS_OK;
} catch (const std::bad_alloc&) {
  return KS_OUT_OF_MEMORY;
}

ks_status told(const State& state, const Flaw& flaw) {
  if (state.context.explain) state.context.explain(state.context.host, flaw.reason.c_str());
  return flaw.status;
}

// Modules that timed calls import are reported afterwards, by output() or a failed run(): no search is
// timed.
ks_status run(void* handle) try {
  State& state = *static_cast<State*>(handle);
  Flaw flaw;
  if (state.call->run(flaw) == KS_OK) return KS_OK;
  state.telling.tell(state.context);
  return told(state, flaw);
} catch (const std::bad_alloc&) {
  return KS_OUT_OF_MEMORY;
}

ks_status output(void* handle, ks_tensor* out) try {
  State& state = *static_cast<State*>(handle);
  Flaw flaw;
  state.telling.tell(state.context);
  return state.call->output(*out, flaw) == KS_OK ? KS_OK : told(state, flaw);
} catch (const std::bad_alloc&) {
  return KS_OUT_OF_MEMORY;
}

ks_status metrics(void* handle, ks_declared_metric* out, std::size_t capacity, std::size_t* count) try {
  *count = static_cast<State*>(handle)->call->metrics(out, capacity);
  return KS_OK;
} catch (const std::bad_alloc&) {
  return KS_OUT_OF_MEMORY;
}

ks_status overwrite(void* handle) try {
  static_cast<State*>(handle)->call->overwrite();
  return KS_OK;
} catch (const std::bad_alloc&) {
  return KS_OUT_OF_MEMORY;
}

ks_status left(void* handle, ks_left* out) try {
  *out = static_cast<State*>(handle)->call->left();
  return KS_OK;
} catch (const std::bad_alloc&) {
  return KS_OUT_OF_MEMORY;
}

void restore(void* handle) {
  static_cast<State*>(handle)->call->restore();
}

ks_status parts(void* handle, const ks_part** out, std::size_t* count) {
  const auto& all = static_cast<State*>(handle)->call->parts();
  *out = all.data();
  *count = all.size();
  return KS_OK;
}

const char* keys(void* handle) try {
  return static_cast<State*>(handle)->call->keys().c_str();
} catch (const std::bad_alloc&) {
  return nullptr;
}

void release(void* handle) {
  delete static_cast<State*>(handle);
}

// Describes the interpreter and what the kernel has loaded.
const char* runtime(void* handle) try {
  State& state = *static_cast<State*>(handle);
  state.runtime = kernsweep::python::interpreter_version() + ("; " + state.call->settings());
  return state.runtime.c_str();
} catch (const std::bad_alloc&) {
  return kernsweep::python::interpreter_version();
}

const ks_param_doc kParams[] = {
    {"python", KS_TEXT, nullptr, nullptr, "module:function; a sweep says python: bench:sort_list"}};

const ks_variant kPython = {.name = "python",
                            .summary = "calls it once with the parameters, then times what it returned",
                            .can_run = can_run,
                            .prepare = prepare,
                            .run = run,
                            .output = output,
                            .release = release,
                            .runtime = runtime,
                            .declared_metrics = metrics,
                            .overwrite = overwrite,
                            .left = left,
                            .restore = restore,
                            .parts = parts,
                            .keys = keys};
const std::array kVariants = {&kPython};

const ks_family kFamily = {.name = "python",
                           .summary = "a Python function of yours",
                           .params = kParams,
                           .param_count = std::size(kParams),
                           .any_params = 1,
                           .inputs = kernsweep::no_inputs,
                           .work = kernsweep::no_work,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
const std::array kFamilies = {&kFamily};

const ks_pack kPack = kernsweep::pack_of("python", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t host_minor) {
  return host_major == KS_API_MAJOR && host_minor >= KS_API_MINOR ? &kPack : nullptr;
}
