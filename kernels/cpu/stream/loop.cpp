// STREAM's loops as the compiler vectorises them, on as many threads as the point asks for.
//
// Thread t always has the same part of the arrays, and has written that part of the output first, so with
// several memory controllers the output is near the thread. The host decides where inputs are.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/parallel/tbb.hpp"
#include "kernels/cpu/stream/stream.hpp"

namespace kernsweep::stream {
namespace {

struct State {
  Problem problem;
  const void* x = nullptr;
  const void* y = nullptr;
  void* z = nullptr;
  std::unique_ptr<Team> team;

  // Parts are multiples of a page (4096 bytes), so that no page or line is written by two threads.
  std::int64_t begin_of(std::int64_t part) const {
    const std::int64_t page = 4096 / element_bytes(problem.dtype);
    const std::int64_t pages = (problem.n + page - 1) / page;
    return std::min(problem.n, pages * part / team->threads() * page);
  }
};

ks_status can_run(const ks_params* params, ks_why why) {
  Problem problem;
  if (const ks_status status = parse(params, problem, why); status != KS_OK) return status;
  if (problem.non_temporal && !has_non_temporal_stores()) {
    return refuse(
        KS_UNSUPPORTED, why,
        "non_temporal: this processor architecture has no such stores here; set non_temporal: false");
  }
  return KS_OK;
}

ks_status prepare(const ks_params* params, const ks_context* context, const ks_tensor* inputs, size_t,
                  void** state, ks_why why) {
  auto made = std::unique_ptr<State>(new (std::nothrow) State);
  if (made == nullptr) return refuse(KS_OUT_OF_MEMORY, why, "no memory for the state of a kernel");
  if (const ks_status status = parse(params, made->problem, why); status != KS_OK) return status;
  ks_status status = KS_OK;
  made->team = Team::make(context->threads, status, why);
  if (made->team == nullptr) return status;
  const auto bytes = static_cast<std::size_t>(made->problem.n * element_bytes(made->problem.dtype));
  made->z = context->allocate(context->host, bytes);
  if (made->z == nullptr && bytes > 0)
    return refuse(KS_OUT_OF_MEMORY, why, "no memory for the output array");
  made->x = inputs[0].data;
  made->y = inputs_of(made->problem.op) == 2 ? inputs[1].data : inputs[0].data;
  status = made->team->each(made->team->threads(), [&](std::int64_t part) {
    const std::int64_t size = element_bytes(made->problem.dtype);
    const std::int64_t begin = made->begin_of(part) * size;
    std::memset(static_cast<char*>(made->z) + begin, 0,
                static_cast<std::size_t>(made->begin_of(part + 1) * size - begin));
  });
  if (status == KS_OK) *state = made.release();
  return status;
}

ks_status run(void* opaque) {
  const auto& state = *static_cast<State*>(opaque);
  return state.team->each(state.team->threads(), [&](std::int64_t part) {
    compute(state.problem, state.x, state.y, state.z, state.begin_of(part), state.begin_of(part + 1));
  });
}

ks_status output(void* opaque, ks_tensor* out) {
  const auto& state = *static_cast<State*>(opaque);
  *out = {.data = state.z, .dtype = state.problem.dtype, .rank = 1};
  out->shape[0] = state.problem.n;
  out->strides[0] = 1;
  return KS_OK;
}

void release(void* state) {
  delete static_cast<State*>(state);
}

const char* runtime(void*) {
  return tbb_runtime();
}

}  // namespace

const ks_variant kLoop = {.name = "loop",
                          .summary = "compiler-vectorised, static share of the arrays per thread",
                          .can_run = can_run,
                          .prepare = prepare,
                          .run = run,
                          .output = output,
                          .release = release,
                          .runtime = runtime};

}  // namespace kernsweep::stream
