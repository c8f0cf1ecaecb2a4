// Work of a known length, and 3 % more of it where the environment says SIDE=slower, or N % where it says
// SIDE=slowerN ("slower4.5"): what trials.py compares. A process belongs to one environment, so both sides
// have processes of their own.
//
// work: chain   25,000 dependent multiply-adds, which only the clock of the core can change
//       memory  the sum of 512 Ki doubles (4 MiB), which caches, pages and neighbours change too
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "kernels/api/pack.h"
#include "kernels/pack_parts.hpp"

namespace {

constexpr size_t kSteps = 25'000;
constexpr size_t kNumbers = 512 * 1024;
constexpr double kMorePercent = 3;

struct State {
  size_t steps = 0;
  std::vector<double> numbers;  // empty: a chain
  double result = 0;
};

// How many times the work.
double factor() {
  constexpr const char* kSlower = "slower";
  const char* const side = std::getenv("SIDE");
  if (side == nullptr || std::strncmp(side, kSlower, std::strlen(kSlower)) != 0) return 1;
  const char* const percent = side + std::strlen(kSlower);
  return 1 + (*percent == 0 ? kMorePercent : std::strtod(percent, nullptr)) / 100;
}

ks_status prepare(const ks_params* params, const ks_context*, const ks_tensor*, size_t, void** state,
                  ks_why) {
  const bool memory = std::strcmp(kernsweep::text_of(*params, "work"), "memory") == 0;
  const auto size = static_cast<double>(memory ? kNumbers : kSteps) * factor();
  State* const made = new (std::nothrow) State;
  if (made == nullptr) return KS_OUT_OF_MEMORY;
  *state = made;
  made->steps = static_cast<size_t>(size);
  try {
    if (memory) made->numbers.assign(made->steps, 1.0);
  } catch (const std::bad_alloc&) {
    return KS_OUT_OF_MEMORY;
  }
  return KS_OK;
}

ks_status run(void* state) {
  State& of = *static_cast<State*>(state);
  double x = 1;
  if (of.numbers.empty()) {
    for (size_t i = 0; i < of.steps; ++i) x = x * 0.999999 + 1e-9;
  } else {
    std::array<double, 8> sums{};
    for (size_t i = 0; i + 8 <= of.steps; i += 8)
      for (size_t j = 0; j < 8; ++j) sums[j] += of.numbers[i + j];
    for (const double sum : sums) x += sum;
  }
  of.result = x;
  return KS_OK;
}

ks_status output(void* state, ks_tensor* out) {
  *out = {};
  out->data = &static_cast<State*>(state)->result;
  out->dtype = KS_F64;
  out->rank = 1;
  out->shape[0] = 1;
  out->strides[0] = 1;
  return KS_OK;
}

void release(void* state) {
  delete static_cast<State*>(state);
}

const ks_variant kWork = {.name = "work",
                          .summary = "3 % more where SIDE=slower, N % where SIDE=slowerN",
                          .can_run = kernsweep::always_can_run,
                          .prepare = prepare,
                          .run = run,
                          .output = output,
                          .release = release};
const std::array kVariants = {&kWork};

const ks_family kFamily = {.name = "planted",
                           .summary = "work of a known length, with a known difference",
                           .any_params = 1,
                           .inputs = kernsweep::no_inputs,
                           .work = kernsweep::no_work,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
const std::array kFamilies = {&kFamily};

const ks_pack kPack = kernsweep::pack_of("planted", "1", "compiler " __VERSION__, kFamilies);

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kPack : nullptr;
}
