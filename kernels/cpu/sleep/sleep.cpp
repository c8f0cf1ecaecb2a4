// Runs of a known length, for tests of makespans, timeouts and time limits, whatever the load of the host.
//
// clock_nanosleep sleeps until an absolute deadline of the monotonic clock: interruptions by signals do not
// add up, and the delay of the scheduler is part of each run only once.
#include <time.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include "kernels/api/pack.h"
#include "kernels/pack_parts.hpp"

namespace {

// One day: a longer time is probably an error of units.
constexpr double kSecondsMax = 86400.0;
constexpr int64_t kNanoseconds = 1'000'000'000;

// Sets the nanoseconds to sleep, or gives a reason in `why`.
ks_status sleep_time(const ks_params* params, int64_t& nanoseconds, ks_why why) {
  for (size_t i = 0; i < params->count; ++i) {
    const ks_param& param = params->items[i];
    if (std::strcmp(param.name, "seconds") != 0) {
      continue;
    }
    const bool number = param.kind == KS_FLOAT || param.kind == KS_INTEGER;
    if (!number || !(param.real >= 0) || param.real > kSecondsMax) {
      std::snprintf(why.text, why.size, "seconds: want a number from 0 to %.0f, got %g%s", kSecondsMax,
                    param.real, number ? "" : " (not a number)");
      return KS_BAD_PARAMETER;
    }
    nanoseconds = std::llround(param.real * static_cast<double>(kNanoseconds));
    return KS_OK;
  }
  std::snprintf(why.text, why.size, "seconds: missing; set it to the length of a run, e.g. seconds: 0.1");
  return KS_BAD_PARAMETER;
}

ks_status inputs(const ks_params* params, ks_input*, size_t, size_t* count, ks_why why) {
  *count = 0;
  int64_t nanoseconds = 0;
  return sleep_time(params, nanoseconds, why);
}

ks_status can_run(const ks_params* params, ks_why why) {
  int64_t nanoseconds = 0;
  return sleep_time(params, nanoseconds, why);
}

ks_status prepare(const ks_params* params, const ks_context*, const ks_tensor*, size_t, void** state,
                  ks_why why) {
  int64_t nanoseconds = 0;
  if (const ks_status status = sleep_time(params, nanoseconds, why); status != KS_OK) {
    return status;
  }
  *state = new (std::nothrow) int64_t(nanoseconds);
  return *state != nullptr ? KS_OK : KS_OUT_OF_MEMORY;
}

ks_status run(void* state) {
  timespec deadline{};
  if (clock_gettime(CLOCK_MONOTONIC, &deadline) != 0) {
    return KS_FAILED;
  }
  const int64_t end = deadline.tv_nsec + *static_cast<const int64_t*>(state);
  deadline.tv_sec += static_cast<time_t>(end / kNanoseconds);
  deadline.tv_nsec = static_cast<long>(end % kNanoseconds);
  int error = EINTR;
  while (error == EINTR) {
    error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr);
  }
  return error == 0 ? KS_OK : KS_FAILED;
}

void release(void* state) {
  delete static_cast<int64_t*>(state);
}

const ks_variant kSleep = {.name = "sleep",
                           .summary = "sleeps until the deadline",
                           .can_run = can_run,
                           .prepare = prepare,
                           .run = run,
                           .output = kernsweep::no_output,
                           .release = release};
const std::array kVariants = {&kSleep};

const std::array kParams = {ks_param_doc{.name = "seconds",
                                         .kind = KS_FLOAT,
                                         .fallback = nullptr,
                                         .choices = nullptr,
                                         .summary = "length of one run, in seconds, 0 to 86400"}};

const ks_family kFamily = {.name = "sleep",
                           .summary = "runs of a known length that need no processor",
                           .params = kParams.data(),
                           .param_count = kParams.size(),
                           .any_params = 1,
                           .inputs = inputs,
                           .work = kernsweep::no_work,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
const std::array kFamilies = {&kFamily};

const ks_pack kPack = kernsweep::pack_of("sleep", KERNSWEEP_PACK_VERSION, KERNSWEEP_PACK_BUILD, kFamilies);

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kPack : nullptr;
}
