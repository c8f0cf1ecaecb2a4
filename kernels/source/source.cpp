// The kernel is a function of a C or C++ file of the user: a sweep with `source` compiles it for each
// setting, and each run calls it in this process (docs/reference/programs.md).
//
// Parameters: `source`, the call; `build`, the path of the shared object; those of arguments.hpp.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "kernels/pack_parts.hpp"
#include "kernels/source/arguments.hpp"
#include "kernels/source/built.hpp"

namespace {

using namespace kernsweep::source;
using kernsweep::pack::Refused;

struct State {
  Built built;
  std::vector<void*> arrays;
  std::vector<double> numbers;
  alignas(8) std::array<char, 8> result{};  // a double or a whole number
  ks_tensor output{};
  std::string runtime;
};

ks_status can_run(const ks_params* params, ks_why why) {
  return caught(why, [&] {
    if (*kernsweep::text_of(*params, "build") == '\0')
      throw Refused(KS_BAD_PARAMETER, "there is no built file; a sweep with `source` and `call` builds it");
  });
}

// Each operand and each number once, in the order in which the call names them first, as the sweep language
// numbers them (language/file/source_sweep.cpp).
void bind(const Arguments& from, State& state) {
  std::vector<std::string_view> known;
  for (const Argument& argument : from.arguments) {
    if (std::ranges::find(known, argument.name) != known.end()) continue;
    known.emplace_back(argument.name);
    if (argument.operand == SIZE_MAX) {
      state.numbers.push_back(argument.number);
    } else {
      state.arrays.push_back(const_cast<void*>(from.operands[argument.operand].tensor.data));
    }
  }
}

ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                  std::size_t count, void** state, ks_why why) {
  return caught(why, [&] {
    auto made = std::make_unique<State>();
    made->built = Built::open(kernsweep::text_of(*params, "build"));
    made->built.use_threads(context->threads);
    const Arguments arguments = arguments_of(*params, *context, inputs, count);
    bind(arguments, *made);
    if (arguments.shown == SIZE_MAX) {
      made->output.dtype = made->built.returns_integer() ? KS_S64 : KS_F64;
      made->output.data = made->result.data();
    } else {
      made->output = arguments.operands[arguments.shown].tensor;
    }
    made->runtime = made->built.compiler();
    *state = made.release();
  });
}

ks_status run(void* handle) {
  State& state = *static_cast<State*>(handle);
  state.built.call()(state.arrays.data(), state.numbers.data(), state.result.data());
  return KS_OK;
}

ks_status output(void* handle, ks_tensor* out) {
  *out = static_cast<State*>(handle)->output;
  return KS_OK;
}

void release(void* handle) {
  delete static_cast<State*>(handle);
}

const char* runtime(void* handle) {
  return static_cast<State*>(handle)->runtime.c_str();
}

const ks_param_doc kParams[] = {
    {"source", KS_TEXT, nullptr, nullptr, "the file and the call; a sweep has the keys source and call"},
    {"build", KS_TEXT, nullptr, nullptr, "the path of the shared object that was built"}};

const ks_variant kSource = {.name = "source",
                            .summary = "calls the function in the measuring process",
                            .can_run = can_run,
                            .prepare = prepare,
                            .run = run,
                            .output = output,
                            .release = release,
                            .runtime = runtime};
const std::array kVariants = {&kSource};

const ks_family kFamily = {.name = "source",
                           .summary = "a function of a C or C++ file of yours",
                           .params = kParams,
                           .param_count = std::size(kParams),
                           .any_params = 1,
                           .inputs = kernsweep::no_inputs,
                           .work = work_of,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
const std::array kFamilies = {&kFamily};

const ks_pack kPack = kernsweep::pack_of("source", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t host_minor) {
  return host_major == KS_API_MAJOR && host_minor >= KS_API_MINOR ? &kPack : nullptr;
}
