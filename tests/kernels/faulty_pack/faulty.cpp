// A pack that goes wrong in every way a slot, a worker and a coordinator must survive. One variant, one
// fault.
//
// Computes y = 2 x for n floats: exact in every format, so only the fault can make a difference.
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "kernels/api/pack.h"
#include "kernels/pack_parts.hpp"

namespace {

enum class Fault {
  kGood,
  kReference,
  kCrashRun,
  kCrashPrepare,
  kAbort,
  kExit,
  kHangRun,
  kHangPrepare,
  kNan,
  kWrong,
  kOverrun,
  kWriteInput,
  kFillMemory,
  kWaitForMemory,
  kRefuse,
  kFailRun,
  kLoseDevice,
  kNoisyStderr,
  kFlaky
};

struct State {
  int64_t n = 0;
  int64_t fill_bytes_max = 0;
  const float* x = nullptr;
  void* y = nullptr;
  int64_t runs = 0;
};

constexpr int64_t kPage = 4096;
constexpr int64_t kElementsMax = int64_t{1} << 32;

int64_t integer(const ks_params* params, const char* name, int64_t fallback) {
  for (size_t i = 0; i < params->count; ++i) {
    if (std::strcmp(params->items[i].name, name) == 0 && params->items[i].kind == KS_INTEGER) {
      return params->items[i].integer;
    }
  }
  return fallback;
}

ks_status size_of(const ks_params* params, int64_t& n, ks_why why) {
  n = integer(params, "n", 1024);
  if (n < 1 || n > kElementsMax) {
    std::snprintf(why.text, why.size, "n: want 1 to 2^32, got %lld", static_cast<long long>(n));
    return KS_BAD_PARAMETER;
  }
  return KS_OK;
}

ks_status inputs(const ks_params* params, ks_input* wanted, size_t capacity, size_t* count, ks_why why) {
  int64_t n = 0;
  if (const ks_status status = size_of(params, n, why); status != KS_OK) {
    return status;
  }
  *count = 1;
  if (capacity >= 1) {
    wanted[0] = {};
    std::snprintf(wanted[0].name, sizeof wanted[0].name, "x");
    wanted[0].dtype = KS_F32;
    wanted[0].rank = 1;
    wanted[0].shape[0] = n;
    wanted[0].distribution = KS_UNIFORM;
    wanted[0].a = -1;
    wanted[0].b = 1;
  }
  return KS_OK;
}

ks_status work(const ks_params* params, ks_work* result, ks_why why) {
  int64_t n = 0;
  const ks_status status = size_of(params, n, why);
  *result = {.flops = static_cast<double>(n), .bytes = 8.0 * static_cast<double>(n)};
  return status;
}

ks_status tolerance(const ks_params*, ks_tolerance* result) {
  *result = {.relative = 1e-6, .absolute = 0};
  return KS_OK;
}

[[noreturn]] void hang() {
  volatile uint64_t turns = 0;
  for (;;) {
    turns = turns + 1;
  }
}

// By a signal of its own rather than a wild store, which a compiler may remove and a sanitizer rewords.
void crash() {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
}

// Takes memory and touches every page until there is none left, or `bytes_max` is reached: then the fault
// did not happen, and saying KS_FAILED keeps a test without a memory limit from passing (and from taking
// the machine down). `waits`: asks again without end when there is none left, as some libraries do.
ks_status fill_memory(int64_t bytes_max, bool waits) {
  constexpr int64_t kChunk = int64_t{16} << 20;
  struct Chunk {
    Chunk* next;
  };
  Chunk* taken = nullptr;
  ks_status status = KS_FAILED;
  for (int64_t bytes = 0; bytes < bytes_max;) {
    auto* memory = static_cast<volatile char*>(std::malloc(kChunk));
    if (memory == nullptr && waits) {
      continue;
    }
    if (memory == nullptr) {
      status = KS_OUT_OF_MEMORY;
      break;
    }
    bytes += kChunk;
    for (int64_t offset = 0; offset < kChunk; offset += kPage) {
      memory[offset] = 1;
    }
    auto* chunk = new (const_cast<char*>(memory)) Chunk{taken};
    taken = chunk;
  }
  while (taken != nullptr) {
    Chunk* next = taken->next;
    std::free(taken);
    taken = next;
  }
  return status;
}

[[noreturn]] void shout_and_abort() {
  for (int line = 0; line < 4000; ++line) {
    std::fprintf(stderr, "faulty: line %d of a flood that nobody should keep in full\n", line);
  }
  std::fprintf(stderr, "faulty: these are the last words\n");
  std::fflush(stderr);
  std::abort();
}

template <Fault fault>
ks_status can_run(const ks_params* params, ks_why why) {
  if constexpr (fault == Fault::kRefuse) {
    std::snprintf(why.text, why.size, "refuses every point, on purpose; sweep over variant: good instead");
    return KS_UNSUPPORTED;
  }
  int64_t n = 0;
  return size_of(params, n, why);
}

bool device_is_lost = false;  // by an earlier run in this process

template <Fault fault>
ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs_of_point,
                  size_t input_count, void** state, ks_why why) {
  if constexpr (fault == Fault::kCrashPrepare) {
    crash();
  }
  if constexpr (fault == Fault::kHangPrepare) {
    hang();
  }
  if (device_is_lost) {
    std::snprintf(why.text, why.size, "this process has lost its device, and is used again");
    return KS_FAILED;
  }
  int64_t n = 0;
  if (const ks_status status = size_of(params, n, why); status != KS_OK) {
    return status;
  }
  if (input_count != 1 || inputs_of_point[0].dtype != KS_F32 || inputs_of_point[0].shape[0] != n) {
    std::snprintf(why.text, why.size, "want one input x of %lld f32", static_cast<long long>(n));
    return KS_FAILED;
  }
  const size_t element = fault == Fault::kReference ? sizeof(double) : sizeof(float);
  void* y = context->allocate(context->host, static_cast<size_t>(n) * element);
  auto* made = new (std::nothrow) State;
  if (y == nullptr || made == nullptr) {
    delete made;
    std::snprintf(why.text, why.size, "no memory for %lld elements", static_cast<long long>(n));
    return KS_OUT_OF_MEMORY;
  }
  *made = {.n = n,
           .fill_bytes_max = integer(params, "fill_bytes_max", int64_t{8} << 30),
           .x = static_cast<const float*>(inputs_of_point[0].data),
           .y = y};
  *state = made;
  return KS_OK;
}

// The fault that happens before anything is computed; KS_OK when there is none.
template <Fault fault>
ks_status go_wrong(State& state) {
  if constexpr (fault == Fault::kCrashRun) {
    crash();
  } else if constexpr (fault == Fault::kAbort) {
    std::abort();
  } else if constexpr (fault == Fault::kExit) {
    _exit(3);
  } else if constexpr (fault == Fault::kHangRun) {
    hang();
  } else if constexpr (fault == Fault::kFailRun) {
    return KS_FAILED;
  } else if constexpr (fault == Fault::kLoseDevice) {
    device_is_lost = true;
    return KS_DEVICE_LOST;
  } else if constexpr (fault == Fault::kFillMemory) {
    return fill_memory(state.fill_bytes_max, false);
  } else if constexpr (fault == Fault::kWaitForMemory) {
    return fill_memory(state.fill_bytes_max, true);
  } else if constexpr (fault == Fault::kNoisyStderr) {
    shout_and_abort();
  } else if constexpr (fault == Fault::kWriteInput) {
    *const_cast<volatile float*>(state.x) = 0;
  } else if constexpr (fault == Fault::kOverrun) {
    const int64_t bytes = state.n * static_cast<int64_t>(sizeof(float));
    static_cast<volatile char*>(state.y)[(bytes + kPage - 1) / kPage * kPage] = 1;
  }
  static_cast<void>(state);
  return KS_OK;
}

template <Fault fault>
ks_status run(void* opaque) {
  auto& state = *static_cast<State*>(opaque);
  if (const ks_status status = go_wrong<fault>(state); status != KS_OK) {
    return status;
  }
  if constexpr (fault == Fault::kReference) {
    for (int64_t i = 0; i < state.n; ++i) {
      static_cast<double*>(state.y)[i] = 2.0 * state.x[i];
    }
    return KS_OK;
  }
  auto* y = static_cast<float*>(state.y);
  // The first run of `flaky` is right and each later one is further off: only a second check finds it.
  const float error = fault == Fault::kWrong   ? 100.0F
                      : fault == Fault::kFlaky ? static_cast<float>(state.runs)
                                               : 0;
  for (int64_t i = 0; i < state.n; ++i) {
    y[i] = 2 * state.x[i] + error;
  }
  if constexpr (fault == Fault::kNan) {
    y[state.n / 2] = std::numeric_limits<float>::quiet_NaN();
  }
  ++state.runs;
  return KS_OK;
}

template <Fault fault>
ks_status output(void* opaque, ks_tensor* out) {
  const auto& state = *static_cast<State*>(opaque);
  *out = {};
  out->data = state.y;
  out->dtype = fault == Fault::kReference ? KS_F64 : KS_F32;
  out->rank = 1;
  out->shape[0] = state.n;
  out->strides[0] = 1;
  return KS_OK;
}

void release(void* opaque) {
  delete static_cast<State*>(opaque);
}

template <Fault fault>
constexpr ks_variant variant(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .can_run = can_run<fault>,
          .prepare = prepare<fault>,
          .run = run<fault>,
          .output = output<fault>,
          .release = release};
}

const std::array kTable = {
    variant<Fault::kGood>("good", "works"),
    variant<Fault::kCrashRun>("crash_run", "SIGSEGV in run"),
    variant<Fault::kCrashPrepare>("crash_prepare", "SIGSEGV in prepare"),
    variant<Fault::kAbort>("abort", "abort() in run"),
    variant<Fault::kExit>("exit", "_exit(3) in run"),
    variant<Fault::kHangRun>("hang_run", "run never returns"),
    variant<Fault::kHangPrepare>("hang_prepare", "prepare never returns"),
    variant<Fault::kNan>("nan", "one element of the output is NaN"),
    variant<Fault::kWrong>("wrong", "every element is 100 off"),
    variant<Fault::kOverrun>("overrun", "writes into the page behind its output"),
    variant<Fault::kWriteInput>("write_input", "writes to its read-only input"),
    variant<Fault::kFillMemory>("fill_memory", "takes memory until there is none"),
    variant<Fault::kWaitForMemory>("wait_for_memory",
                                   "takes memory until there is none, and waits for more"),
    variant<Fault::kRefuse>("refuse", "can_run says no"),
    variant<Fault::kFailRun>("fail_run", "run returns KS_FAILED"),
    variant<Fault::kLoseDevice>("lose_device", "run returns KS_DEVICE_LOST; then nothing works any more"),
    variant<Fault::kNoisyStderr>("noisy_stderr", "250 KB to stderr, then abort()"),
    variant<Fault::kFlaky>("flaky", "right in the first run, off by k in the k-th after it"),
    variant<Fault::kReference>("reference", "y = 2 x in f64"),
};

template <size_t... i>
constexpr std::array<const ks_variant*, sizeof...(i)> addresses(std::index_sequence<i...>) {
  return {&kTable[i]...};
}
const auto kVariants = addresses(std::make_index_sequence<kTable.size()>());

const std::array kParams = {
    ks_param_doc{"n", KS_INTEGER, "1024", nullptr, "elements"},
    ks_param_doc{"fill_bytes_max", KS_INTEGER, "8589934592", nullptr,
                 "fill_memory and wait_for_memory give up (KS_FAILED) at this many bytes"},
};

const ks_family kFamily = {.name = "faulty",
                           .summary = "y = 2 x, with one fault per variant",
                           .params = kParams.data(),
                           .param_count = kParams.size(),
                           .any_params = 1,
                           .reference = "reference",
                           .inputs = inputs,
                           .work = work,
                           .tolerance = tolerance,
                           .variants = kVariants.data(),
                           .variant_count = kVariants.size()};
const std::array kFamilies = {&kFamily};

const ks_pack kPack = kernsweep::pack_of("faulty", "1", "compiler " __VERSION__, kFamilies);

}  // namespace

const ks_pack* kernsweep_pack(uint32_t host_major, uint32_t) {
  return host_major == KS_API_MAJOR ? &kPack : nullptr;
}
