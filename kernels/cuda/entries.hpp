// The C entry points of a variant that computes on the GPU, made from a C++ class: of the convolution, whose
// family is still written in C. All others have variant.hpp.
//
// The class (`Work`) derives from DeviceWork and has
//   static ks_status check(const ks_params*, ks_why);  // the point alone, without asking for a GPU
//   Work(const ks_params*, const ks_context&, const ks_tensor* inputs);  // copies operands to the device
//   void output(ks_tensor&);                           // gets a zero-filled view
// and, when all its work goes into one stream and the host waits for none of it,
//   void start();              // puts the work into the stream
//   TimedStream& queue();      // the stream
// or else
//   void run();              // returns when the device has done the work
//   double seconds() const;  // of the last run by the GPU's clock; without it the host's clock counts
// and may have
//   static void find(const ks_params*);  // what else it needs of the host beside a driver: a library
//   static void find();                  // the same, whatever the point
//   std::string description() const;     // what `runtime` says before the GPU
// All but `check` may throw Failure: its status is returned and its reason reported, from run and output
// through ks_context::explain. If the driver reports a broken context, KS_DEVICE_LOST is returned instead,
// because statuses of cuBLAS and cuDNN do not show it. When the constructor is called, `check` has returned
// KS_OK for the parameters, and the GPU is open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cuda/cuda_driver.hpp"
#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/cuda/cuda_timing.hpp"
#include "kernels/cuda/device_work.hpp"

namespace kernsweep::cuda {

// Returns the result of `call`, or the status of its exception; `tell` gets the reason.
template <class Tell, class Call>
ks_status guarded(Tell&& tell, Call&& call) {
  try {
    return call();
  } catch (const Failure& failure) {
    tell(failure.what());
    return failure.status();
  } catch (const std::bad_alloc&) {
    tell("no memory on the host");
    return KS_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    tell(error.what());
    return KS_FAILED;
  }
}

template <class Call>
ks_status guarded_telling(ks_why why, Call&& call) {
  return guarded([why](const char* reason) { refuse(KS_FAILED, why, reason); }, call);
}

// The point, parsed again after `check` has accepted it.
template <class Point>
Point read_checked(ks_status (*parse)(const ks_params*, Point&, ks_why), const ks_params* params) {
  Point point{};
  parse(params, point, {});
  return point;
}

// Drivers queue about a thousand kernels, and one run of a library may have several.
inline constexpr std::uint64_t kQueuedRunsMax = 128;

template <class Work>
class DeviceEntries {
 public:
  static ks_status can_run(const ks_params* params, ks_why why) {
    if (const ks_status status = Work::check(params, why); status != KS_OK) return status;
    if (const ks_status status = cuda::available(why); status != KS_OK) return status;
    if constexpr (requires { Work::find(params); }) {
      return guarded_telling(why, [&] {
        Work::find(params);
        return KS_OK;
      });
    }
    return KS_OK;
  }

  static ks_status available(ks_why why) {
    if (const ks_status status = cuda::available(why); status != KS_OK) return status;
    if constexpr (requires { Work::find(); }) {
      return guarded_telling(why, [] {
        Work::find();
        return KS_OK;
      });
    }
    return KS_OK;
  }

  static ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs,
                           size_t, void** state, ks_why why) {
    *state = nullptr;
    return guarded_telling(why, [&] {
      if (const ks_status status = Work::check(params, why); status != KS_OK) return status;
      asking_the_driver([&] { *state = new State(*params, *context, inputs); });
      return KS_OK;
    });
  }

  // Whether the device can take several runs from a queue.
  static constexpr bool kQueued = requires(Work & work) { work.start(); };

  static ks_status run(void* state) {
    return of(state).guarded_call([&] {
      Work& work = of(state).work;
      if constexpr (kQueued) {
        work.queue().run([&work] { work.start(); });
      } else {
        work.run();
      }
    });
  }

  static ks_status run_many(void* state, std::uint64_t runs) {
    return of(state).guarded_call([&] {
      Work& work = of(state).work;
      work.queue().run_many(runs, [&work] { work.start(); });
    });
  }

  static ks_status output(void* state, ks_tensor* out) {
    *out = ks_tensor{};
    return of(state).guarded_call([&] { of(state).work.output(*out); });
  }

  static double elapsed(void* state) {
    if constexpr (kQueued) {
      return of(state).work.queue().seconds();
    } else {
      return of(state).work.seconds();
    }
  }
  static ks_status evict(void* state) {
    return of(state).guarded_call([&] { of(state).work.eviction.run(of(state).work.device); });
  }
  static void release(void* state) { delete &of(state); }
  static const char* runtime(void* state) { return of(state).runtime.c_str(); }

  static ks_status metrics(void* state, ks_metric* metrics, size_t capacity, size_t* count) {
    const MemoryCount& memory = of(state).work.memory;
    *count = 0;
    const auto add = [&](const char* name, std::size_t value) {
      if (*count == capacity) return;
      ks_metric& metric = metrics[(*count)++];
      metric = {};
      std::snprintf(metric.name, sizeof metric.name, "%s", name);
      metric.value = static_cast<double>(value);
    };
    add("device_allocated_bytes", memory.allocated);
    add("device_peak_bytes", memory.peak);
    if constexpr (kQueued) {
      if (const std::uint64_t early = of(state).work.queue().begun_early())
        add("queues_begun_early", early);
    }
    return KS_OK;
  }

 private:
  struct State {
    State(const ks_params& params, const ks_context& given, const ks_tensor* inputs)
        : context(given), work(&params, given, inputs), runtime(describe(work.device)) {
      if constexpr (requires { work.description(); }) runtime = work.description() + "; " + runtime;
    }

    template <class Call>
    ks_status guarded_call(Call&& call) {
      const auto tell = [&](const char* reason) {
        if (context.explain != nullptr) context.explain(context.host, reason);
      };
      return guarded(tell, [&] {
        asking_the_driver(call);
        return KS_OK;
      });
    }

    ks_context context;
    Work work;
    std::string runtime;
  };

  static State& of(void* state) { return *static_cast<State*>(state); }
};

template <class Work>
constexpr ks_variant device_variant(const char* name, const char* summary,
                                    const ks_param_doc* docs = nullptr, std::size_t doc_count = 0) {
  using Entries = DeviceEntries<Work>;
  ks_variant variant{};
  variant.name = name;
  variant.summary = summary;
  variant.params = docs;
  variant.param_count = doc_count;
  variant.can_run = &Entries::can_run;
  variant.prepare = &Entries::prepare;
  variant.run = &Entries::run;
  variant.output = &Entries::output;
  if constexpr (Entries::kQueued) {
    variant.run_many = &Entries::run_many;
    variant.runs_max = kQueuedRunsMax;
  }
  if constexpr (Entries::kQueued || requires(const Work& work) { work.seconds(); }) {
    variant.elapsed = &Entries::elapsed;
    variant.elapsed_resolution = kEventResolution;
  }
  variant.release = &Entries::release;
  variant.runtime = &Entries::runtime;
  variant.available = &Entries::available;
  variant.device = "gpu";
  variant.metrics = &Entries::metrics;
  variant.evict = &Entries::evict;
  return variant;
}

// Zero-filled memory of the slot, for an output. Throws Failure. Null for 0 bytes.
inline void* host_memory(const ks_context& context, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const memory = context.allocate(context.host, bytes);
  if (memory == nullptr)
    throw Failure(KS_OUT_OF_MEMORY, "no memory on the host for " + std::to_string(bytes) +
                                        " bytes of output; make the problem smaller");
  return memory;
}

// Sets a dense view of one dimension.
inline void view_of(const void* data, ks_dtype dtype, std::int64_t n, ks_tensor& out) {
  out.data = data;
  out.dtype = dtype;
  out.rank = 1;
  out.shape[0] = n;
  out.strides[0] = 1;
}

}  // namespace kernsweep::cuda
