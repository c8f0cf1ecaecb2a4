#include "tests/unit/slot/fake_family.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iterator>
#include <limits>
#include <thread>

namespace kernsweep::testing_slot {
namespace {

int g_living = 0;
bool g_compiled = false;  // the fault `compiles` has compiled; until one with the fault `none` is prepared
int g_reference_runs = 0;
int g_reference_threads = 0;

const ks_param* find(const ks_params* params, const char* name) {
  for (std::size_t i = 0; i < params->count; ++i) {
    if (std::strcmp(params->items[i].name, name) == 0) return &params->items[i];
  }
  return nullptr;
}
std::int64_t integer(const ks_params* params, const char* name) {
  return find(params, name)->integer;
}
std::string text(const ks_params* params, const char* name) {
  const ks_param* const param = find(params, name);
  return param ? param->text : "";
}
ks_status refuse(ks_status status, ks_why why, const char* reason) {
  std::snprintf(why.text, why.size, "%s", reason);
  return status;
}

struct State {
  std::string fault;
  std::int64_t n = 0;
  const float* input = nullptr;
  void* output = nullptr;
  bool is_double = false;
  bool has_small = false;  // the output has two rows, the second of numbers of 1e-7
  int runs = 0;
  bool is_first = false;
  std::thread late = {};
  std::atomic<bool> ends = false;  // the thread

  std::atomic<int> queued = 0;  // 2 ms of work each

  ~State() { end_late(); }
  void queue() {
    ++queued;
    queued.notify_all();
    if (late.joinable()) return;
    late = std::thread([this] {
      constexpr auto kEach = CLOCKS_PER_SEC / 500;
      for (int done = 0; !ends;) {
        const int known = queued;
        for (; done < known && !ends; ++done)
          for (const std::clock_t end = thread_clock() + kEach; thread_clock() < end;) {
          }
        queued.wait(known);
      }
    });
  }
  static std::clock_t thread_clock() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
  }
  void end_late() {
    ends = true;
    ++queued;
    queued.notify_all();
    if (late.joinable()) late.join();
    ends = false;
  }
  double number(std::int64_t i) const {
    if (has_small) return i < n / 2 ? 1 : 1e-7;
    return input ? static_cast<double>(input[i]) : static_cast<double>(i + 1);
  }
  // The element as this state's fault would have it.
  double element(std::int64_t i) const {
    const double right = 2 * number(i);
    if (fault == "zeros" || (fault == "small_zeros" && i >= n / 2)) return 0;
    if (fault == "wrong" && i == 1) return right + 100;
    if (fault == "nan" && i == 1) return std::numeric_limits<double>::quiet_NaN();
    if (fault == "flaky" && runs % 2 == 0) return right * (1 + 1e-6);
    if (fault == "unsteady" && runs > 2) return right * (1 + 1e-3);
    if (fault == "unsteady" && runs % 2 == 0) return right * (1 + 1e-6);
    if (fault == "timed" && runs > 2 && runs <= 6) return right * (1 + 1e-3);  // of JobTest
    if (fault == "drift" && runs > 2) return right * (1 + 1e-6);
    return right;
  }
};

ks_status inputs(const ks_params* params, ks_input* out, std::size_t, std::size_t* count, ks_why why) {
  if (integer(params, "n") < 0) return refuse(KS_BAD_PARAMETER, why, "n must not be negative");
  *count = integer(params, "inputs") ? 1 : 0;
  if (*count == 0) return KS_OK;
  std::strcpy(out[0].name, "x");
  out[0].dtype = KS_F32;
  out[0].rank = 1;
  out[0].shape[0] = integer(params, "n");
  out[0].distribution = KS_UNIFORM;
  out[0].a = 1;
  out[0].b = 2;
  return KS_OK;
}

ks_status work(const ks_params* params, ks_work* out, ks_why) {
  out->flops = static_cast<double>(integer(params, "n"));
  out->bytes = 8 * out->flops;
  return KS_OK;
}
ks_status tolerance(const ks_params*, ks_tolerance* out) {
  out->relative = 1e-5;
  out->scale_dims = 1;
  return KS_OK;
}

ks_status can_run(const ks_params* params, ks_why why) {
  const std::string fault = text(params, "fault");
  if (fault == "cannot") return refuse(KS_UNSUPPORTED, why, "no such instruction");
  return fault == "cannot_bad" ? KS_BAD_PARAMETER : KS_OK;
}

ks_status prepare_as(bool is_double, const std::string& fault, const ks_params* params,
                     const ks_context* context, const ks_tensor* tensors, std::size_t count, void** out) {
  auto* const state = new State;
  state->fault = fault;
  state->is_double = is_double;
  state->n = integer(params, "n");
  const ks_param* const small = find(params, "small");
  state->has_small = small && small->integer != 0;
  state->input = count ? static_cast<const float*>(tensors[0].data) : nullptr;
  state->output =
      context->allocate(context->host, static_cast<std::size_t>(state->n) * (is_double ? 8 : 4));
  ++g_living;
  *out = state;
  return KS_OK;
}
ks_status prepare_reference(const ks_params* p, const ks_context* c, const ks_tensor* t, std::size_t n,
                            void** s, ks_why) {
  g_reference_threads = c->threads;
  return prepare_as(true, "", p, c, t, n, s);
}
ks_status prepare_twice(const ks_params* p, const ks_context* c, const ks_tensor* t, std::size_t n,
                        void** s, ks_why) {
  return prepare_as(false, "", p, c, t, n, s);
}
ks_status prepare_faulty(const ks_params* p, const ks_context* c, const ks_tensor* t, std::size_t n,
                         void** s, ks_why why) {
  const std::string fault = text(p, "fault");
  if (fault == "none") g_compiled = false;
  *s = reinterpret_cast<void*>(8);  // what a careless pack leaves behind when it fails
  if (fault == "prepare") return refuse(KS_FAILED, why, "library missing");
  if (fault == "prepare_oom") return KS_OUT_OF_MEMORY;
  if (fault == "prepare_unsup") return refuse(KS_UNSUPPORTED, why, "this shape is beyond the library");
  if (fault == "latin1") return refuse(KS_FAILED, why, "caf\xE9");
  return prepare_as(false, fault, p, c, t, n, s);
}

void compute(State& state) {
  const std::int64_t end = state.fault == "part" && state.runs > 1 ? state.n - 1 : state.n;
  for (std::int64_t i = 0; i < end; ++i) {
    if (state.is_double) {
      static_cast<double*>(state.output)[i] = state.element(i);
    } else {
      static_cast<float*>(state.output)[i] = static_cast<float>(state.element(i));
    }
  }
}

ks_status run(void* opaque) {
  auto& state = *static_cast<State*>(opaque);
  ++state.runs;
  if (state.fault == "run") return KS_FAILED;
  if (state.fault == "run_oom") return KS_OUT_OF_MEMORY;
  if (state.fault == "run_lost") return KS_DEVICE_LOST;
  if (state.fault == "run_late" && state.runs == 4) return KS_FAILED;
  if (state.fault == "queues") state.queue();
  if (state.fault == "stored" && state.runs > 1) return KS_OK;
  if (state.fault == "replays" && state.runs > 4 && state.runs % 2 == 0) return KS_OK;
  if (state.fault == "spins" && state.runs > 4) {
    state.end_late();
    state.late = std::thread([] {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
      while (std::chrono::steady_clock::now() < end) {
      }
    });
  }
  // The output is right whenever it is looked at, but it is written until the next call.
  if (state.fault == "late" && state.runs > 4) {
    state.end_late();
    compute(state);
    state.late = std::thread([&state] {
      for (int round = 0; !state.ends; round = (round + 1) % 8) {
        static_cast<float*>(state.output)[0] = static_cast<float>(state.element(0) * (1 + round * 2e-7));
        std::this_thread::yield();
      }
    });
    return KS_OK;
  }
  compute(state);
  return KS_OK;
}
ks_status run_reference(void* state) {
  ++g_reference_runs;
  return run(state);
}
ks_status run_never(void*) {
  return KS_FAILED;
}

ks_status output(void* opaque, ks_tensor* out) {
  const auto& state = *static_cast<State*>(opaque);
  if (state.fault == "output") return KS_FAILED;
  *out = ks_tensor{};
  out->data = state.output;
  out->dtype = state.is_double ? KS_F64 : KS_F32;
  out->rank = state.fault == "bad_rank" ? 99 : 1;
  out->shape[0] = state.fault == "short" ? state.n - 1 : state.n;
  out->strides[0] = 1;
  if (!state.has_small) return KS_OK;
  out->rank = 2;
  out->shape[0] = 2;
  out->shape[1] = out->strides[0] = state.n / 2;
  out->strides[1] = 1;
  return KS_OK;
}
void release(void* opaque) {
  --g_living;
  delete static_cast<State*>(opaque);
}
const char* runtime(void*) {
  return "fake 1.0 caf\xE9";
}
double elapsed(void* opaque) {
  const std::string& fault = static_cast<State*>(opaque)->fault;
  if (fault == "clock_stands") return 0;
  auto& state = *static_cast<State*>(opaque);
  if (fault == "uses_up" && state.runs == 1) return 1;
  if (fault == "compiles" && state.runs == 1 && (state.is_first || !g_compiled)) {
    g_compiled = state.is_first = true;
    return 1;
  }
  return fault == "clock" ? -1 : 0.001;
}

const ks_param_doc kParams[] = {{"n", KS_INTEGER, nullptr, nullptr, ""},
                                {"inputs", KS_INTEGER, "1", nullptr, ""},
                                {"small", KS_INTEGER, "0", nullptr, ""},
                                {"block", KS_INTEGER, "1", nullptr, ""}};
const ks_param_doc kFault[] = {{"fault", KS_TEXT, "none", nullptr, ""}};

const ks_variant kReference = {.name = "reference",
                               .prepare = prepare_reference,
                               .run = run_reference,
                               .output = output,
                               .release = release};
const ks_variant kBroken = {.name = "reference",
                            .prepare = prepare_reference,
                            .run = run_never,
                            .output = output,
                            .release = release};
const ks_variant kTwice = {.name = "twice",
                           .prepare = prepare_twice,
                           .run = run,
                           .output = output,
                           .release = release,
                           .runtime = runtime};
const ks_variant kFaulty = {.name = "faulty",
                            .params = kFault,
                            .param_count = 1,
                            .can_run = can_run,
                            .prepare = prepare_faulty,
                            .run = run,
                            .output = output,
                            .elapsed = elapsed,
                            .release = release};
const ks_variant* const kVariants[] = {&kReference, &kTwice, &kFaulty};
const ks_variant* const kBrokenVariants[] = {&kBroken, &kTwice, &kFaulty};

ks_family family_of(const ks_variant* const* variants) {
  ks_family out{};
  out.name = "doubling";
  out.params = kParams;
  out.param_count = std::size(kParams);
  out.reference = "reference";
  out.inputs = inputs;
  out.work = work;
  out.tolerance = tolerance;
  out.variants = variants;
  out.variant_count = 3;
  return out;
}

}  // namespace

const ks_family& doubling() {
  static const ks_family family = family_of(kVariants);
  return family;
}
const ks_family& doubling_without_reference_result() {
  static const ks_family family = family_of(kBrokenVariants);
  return family;
}
int living_states() {
  return g_living;
}
int reference_runs() {
  return g_reference_runs;
}
int reference_threads() {
  return g_reference_threads;
}

}  // namespace kernsweep::testing_slot
