// A pack that reports where it runs. `runtime` is one line per fact: "pid 12", "threads 2", "cores 0 1"
// (the affinity in force when it prepared), then the whole environment, "env NAME=value". Any parameter is
// accepted.
//
// The family `meddler` is a library that ignores its settings: its variant `thread` uses two threads in any
// case, `variable` changes the environment variable MEDDLED to "2".
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "kernels/api/pack.h"
#include "kernels/pack_parts.hpp"

namespace {

ks_status prepare(const ks_params*, const ks_context* context, const ks_tensor*, size_t, void** state,
                  ks_why) {
  auto* text = new (std::nothrow) std::string;
  if (text == nullptr) return KS_OUT_OF_MEMORY;
  *text = "pid " + std::to_string(getpid()) + "\nthreads " + std::to_string(context->threads) + "\ncores";
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &cores)) *text += " " + std::to_string(core);
    }
  }
  for (char** variable = environ; *variable != nullptr; ++variable)
    *text += "\nenv " + std::string(*variable);
  *state = text;
  return KS_OK;
}

ks_status run(void*) {
  return KS_OK;
}

void release(void* state) {
  delete static_cast<std::string*>(state);
}

const char* runtime(void* state) {
  return static_cast<std::string*>(state)->c_str();
}

const ks_variant kProbe = {.name = "probe",
                           .summary = "tells where it runs",
                           .can_run = kernsweep::always_can_run,
                           .prepare = prepare,
                           .run = run,
                           .output = kernsweep::no_output,
                           .release = release,
                           .runtime = runtime};
const std::array kVariants = {&kProbe};

const ks_family kFamily = {.name = "probe",
                           .summary = "process, cores and environment of a measurement",
                           .any_params = 1,
                           .inputs = kernsweep::no_inputs,
                           .work = kernsweep::no_work,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
// A thread that computes in parallel to the measuring one until its state is released.
struct Worker {
  std::atomic<bool> over = false;
  std::thread thread{[this] {
    while (!over) continue;
  }};
};

ks_status start_thread(const ks_params*, const ks_context*, const ks_tensor*, size_t, void** state,
                       ks_why) {
  *state = new (std::nothrow) Worker;
  return *state == nullptr ? KS_OUT_OF_MEMORY : KS_OK;
}

void end_thread(void* state) {
  auto* const worker = static_cast<Worker*>(state);
  worker->over = true;
  worker->thread.join();
  delete worker;
}

ks_status change_variable(const ks_params*, const ks_context*, const ks_tensor*, size_t, void** state,
                          ks_why) {
  *state = nullptr;
  return setenv("MEDDLED", "2", 1) == 0 ? KS_OK : KS_FAILED;
}

const ks_variant kThread = {.name = "thread",
                            .summary = "works with two threads",
                            .can_run = kernsweep::always_can_run,
                            .prepare = start_thread,
                            .run = run,
                            .output = kernsweep::no_output,
                            .release = end_thread};
const ks_variant kVariable = {.name = "variable",
                              .summary = "changes the environment",
                              .can_run = kernsweep::always_can_run,
                              .prepare = change_variable,
                              .run = run,
                              .output = kernsweep::no_output,
                              .release = [](void*) {}};
const std::array kMeddlers = {&kThread, &kVariable};

const ks_family kMeddler = {.name = "meddler",
                            .summary = "does not keep to what it is asked for",
                            .any_params = 1,
                            .inputs = kernsweep::no_inputs,
                            .work = kernsweep::no_work,
                            .variants = kMeddlers.data(),
                            .variant_count = kMeddlers.size()};
const std::array kFamilies = {&kFamily, &kMeddler};

const ks_pack kPack = kernsweep::pack_of("probe", "1", "compiler " __VERSION__, kFamilies);

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kPack : nullptr;
}
