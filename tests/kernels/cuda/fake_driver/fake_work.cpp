// Streams whose work runs when it is waited for, events, modules, kernels and graphs.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstring>
#include <string_view>

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"

namespace kernsweep::testing::fake_cuda {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Things, class Handle>
auto& known(Things& things, Handle handle, const char* what) {
  const auto found = things.find(number_of(handle));
  if (found == things.end()) misuse(fmt::format("a {} that was never made, or is destroyed", what));
  return found->second;
}

Queue& queue_of(CUstream stream) {
  return known(state().streams, stream, "stream");
}

template <class Handle, class Things, class Thing>
Handle add(Things& things, Thing thing) {
  const std::uintptr_t handle = state().next_handle += 16;
  things.emplace(handle, std::move(thing));
  return reinterpret_cast<Handle>(handle);
}

// The whole of a fat binary, by the header that nvcc gives it.
std::string_view fat_binary(const unsigned char* image) {
  constexpr std::uint32_t kMagic = 0xBA55ED50;
  std::uint32_t magic = 0;
  std::uint16_t header_bytes = 0;
  std::uint64_t bytes = 0;
  std::memcpy(&magic, image, sizeof magic);
  std::memcpy(&header_bytes, image + 6, sizeof header_bytes);
  std::memcpy(&bytes, image + 8, sizeof bytes);
  if (magic != kMagic) misuse("cuModuleLoadData of what is no fat binary");
  return {reinterpret_cast<const char*>(image), header_bytes + static_cast<std::size_t>(bytes)};
}

void run_kernel(const HostKernel& kernel, const std::vector<unsigned char>& arguments, const Index& blocks,
                unsigned threads, std::size_t shared_bytes) {
  if (state().kernels_until_illegal > 0 && --state().kernels_until_illegal == 0) {
    forget_part();
    state().lost = CUDA_ERROR_ILLEGAL_ADDRESS;
    return;
  }
  if (state().kernels_until_death > 0 && --state().kernels_until_death == 0) {
    remember_death();
    state().lost = CUDA_ERROR_UNKNOWN;
    return;
  }
  if (state().kernels_until_endless > 0 && --state().kernels_until_endless == 0) {
    forget_part();
    while (true) pause();
  }
  ++state().counts.kernels;
  kernel.run(arguments.data(), blocks, threads, shared_bytes);
}

// Another thread may write it.
bool has_come(const cuuint32_t* word, cuuint32_t value) {
  return std::atomic_ref(*const_cast<cuuint32_t*>(word)).load() == value;
}

}  // namespace

bool holds() {
  return !has_come(state().held_by, state().held_until);
}

CUresult submit(CUstream stream, Work work) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  Queue& queue = queue_of(stream);
  (queue.capturing ? queue.captured : queue.work).push_back(std::move(work));
  return CUDA_SUCCESS;
}

void run_until(std::uintptr_t stream, std::size_t count) {
  Queue& queue = state().streams.at(stream);
  while (queue.done < count && state().lost == CUDA_SUCCESS) {
    const Touching here;
    queue.work[queue.done++]();
  }
}

void run_all(std::uintptr_t stream) {
  run_until(stream, state().streams.at(stream).work.size());
}

}  // namespace kernsweep::testing::fake_cuda

using namespace kernsweep::testing::fake_cuda;

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  *stream = add<CUstream>(state().streams, Queue{});
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  const Queue& queue = queue_of(stream);
  if (stream == nullptr) misuse("the legacy stream cannot be destroyed");
  if (queue.capturing || queue.done < queue.work.size())
    misuse("a stream destroyed while work waits in it");
  state().streams.erase(number_of(stream));
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  if (queue_of(stream).capturing) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  ++state().counts.host_waits;
  run_all(number_of(stream));
  return state().lost;
}

CUresult cuCtxSynchronize() {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  for (const auto& [handle, queue] : state().streams) {
    if (queue.capturing) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    run_all(handle);
  }
  return state().lost;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  const Mark& mark = known(state().events, event, "event");
  if (!mark.recorded) misuse("a stream waits for an event that was never recorded");
  return submit(stream, [from = mark.stream, position = mark.position] { run_until(from, position); });
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  const auto* const word = reinterpret_cast<const cuuint32_t*>(address);
  if (!is_pinned(word, sizeof *word)) misuse("a stream waits for a word that the device cannot see");
  if (state().simulation.hold_result != 0) return static_cast<CUresult>(state().simulation.hold_result);
  if (flags != CU_STREAM_WAIT_VALUE_EQ) misuse("a stream waits in a way that is not simulated");
  ++state().counts.held;
  state().held_by = word;
  state().held_until = value;
  return submit(stream, [word, value] {
    if (!has_come(word, value)) misuse("the host waits for a stream that waits for the host");
  });
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  if (stream == nullptr) misuse("the legacy stream cannot record");
  queue_of(stream).capturing = true;
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  Queue& queue = queue_of(stream);
  if (!queue.capturing) misuse("a stream that does not record ends recording");
  queue.capturing = false;
  *graph = add<CUgraph>(state().graphs, std::move(queue.captured));
  queue.captured.clear();
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  *executable = add<CUgraphExec>(state().executables, known(state().graphs, graph, "graph"));
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  const std::vector<Work>& all = known(state().executables, executable, "graph to be started");
  ++state().counts.graphs;
  return submit(stream, [all] {
    for (const Work& work : all)
      if (state().lost == CUDA_SUCCESS) work();
  });
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  known(state().executables, executable, "graph to be started");
  state().executables.erase(number_of(executable));
  return state().lost;
}

CUresult cuGraphDestroy(CUgraph graph) {
  known(state().graphs, graph, "graph");
  state().graphs.erase(number_of(graph));
  return state().lost;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  *event = add<CUevent>(state().events, Mark{});
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  known(state().events, event, "event");
  state().events.erase(number_of(event));
  return state().lost;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  Mark& mark = known(state().events, event, "event");
  Queue& queue = queue_of(stream);
  if (queue.capturing) misuse("recording an event into a graph is not simulated");
  mark = {.stream = number_of(stream), .position = queue.work.size() + 1, .recorded = true};
  return submit(stream, [handle = number_of(event)] {
    const auto found = state().events.find(handle);
    if (found == state().events.end()) return;
    found->second.past = true;
    found->second.seconds = seconds_now();
  });
}

CUresult cuEventSynchronize(CUevent event) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  const Mark& mark = known(state().events, event, "event");
  ++state().counts.host_waits;
  if (mark.recorded) run_until(mark.stream, mark.position);
  return state().lost;
}

#undef cuEventElapsedTime  // the name that drivers for CUDA 12 export too
extern "C" CUresult cuEventElapsedTime(float* milliseconds, CUevent first, CUevent last) {
  const Mark& begin = known(state().events, first, "event");
  const Mark& end = known(state().events, last, "event");
  if (!begin.past || !end.past) misuse("time between events that are not past");
  *milliseconds = static_cast<float>((end.seconds - begin.seconds) * 1e3);
  return state().lost;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  if (state().simulation.load_result != 0) return static_cast<CUresult>(state().simulation.load_result);
  fat_binary(static_cast<const unsigned char*>(image));
  *module = add<CUmodule>(state().modules, static_cast<const unsigned char*>(image));
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  known(state().modules, module, "module");
  state().modules.erase(number_of(module));
  return state().lost;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  const unsigned char* const image = known(state().modules, module, "module");
  // With what ends its section's name: one kernel's name may begin another's.
  const std::string section = std::string(".text.") + name + '\0';
  if (fat_binary(image).find(section) == std::string_view::npos) return CUDA_ERROR_NOT_FOUND;
  const HostKernel* const kernel = host_kernel(name);
  if (kernel == nullptr) misuse(fmt::format("no kernel {} was compiled for the host", name));
  *function = add<CUfunction>(state().functions, Function{number_of(module), kernel});
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    misuse("an attribute that is not simulated");
  if (value < 0 || value > state().simulation.block_shared_bytes) return CUDA_ERROR_INVALID_VALUE;
  known(state().functions, function, "kernel").shared_bytes_max = static_cast<std::size_t>(value);
  return CUDA_SUCCESS;
}

// As if no kernel needed so many registers that fewer threads fit.
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     std::size_t shared) {
  known(state().functions, function, "kernel");
  if (threads <= 0 || shared != 0) misuse("blocks without threads, or with dynamic shared memory");
  *blocks = kMultiprocessorThreads / threads;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned blocks, unsigned blocks_y, unsigned blocks_z,
                        unsigned threads, unsigned threads_y, unsigned threads_z, unsigned shared,
                        CUstream stream, void** parameters, void** extra) {
  const Function& found = known(state().functions, function, "kernel");
  if (state().modules.count(found.module) == 0) misuse("a kernel of a module that is unloaded");
  if (blocks == 0 || blocks > INT_MAX || blocks_y == 0 || blocks_y > kBlocksYMax || blocks_z == 0 ||
      blocks_z > kBlocksYMax || threads == 0 || threads > 1024 || threads_y != 1 || threads_z != 1)
    misuse(fmt::format("{} with {} x {} x {} blocks of {} threads", found.kernel->name, blocks, blocks_y,
                       blocks_z, threads));
  if (shared > found.shared_bytes_max)
    misuse(fmt::format("{} with {} bytes of shared memory, allowed {}", found.kernel->name, shared,
                       found.shared_bytes_max));
  if (parameters != nullptr || extra == nullptr || extra[0] != CU_LAUNCH_PARAM_BUFFER_POINTER ||
      extra[2] != CU_LAUNCH_PARAM_BUFFER_SIZE || extra[4] != CU_LAUNCH_PARAM_END)
    misuse("arguments of a kernel that are not one buffer with its size");
  const std::size_t bytes = *static_cast<const std::size_t*>(extra[3]);
  if (bytes != found.kernel->argument_bytes)
    misuse(fmt::format("{} takes {} bytes of arguments, not {}", found.kernel->name,
                       found.kernel->argument_bytes, bytes));
  const auto* first = static_cast<const unsigned char*>(extra[1]);
  const std::vector<unsigned char> arguments(first, first + bytes);
  return submit(stream, [=, kernel = found.kernel] {
    run_kernel(*kernel, arguments, {blocks, blocks_y, blocks_z}, threads, shared);
  });
}
