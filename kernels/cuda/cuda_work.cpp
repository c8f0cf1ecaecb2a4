#include "kernels/cuda/cuda_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/cuda/cuda_api.hpp"

namespace kernsweep::cuda {

Stream::Stream() : stream_(nullptr) {
  check(api().cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "making a stream");
}

Stream::Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}

Stream::~Stream() {
  if (stream_ == nullptr) return;
  api().cuStreamSynchronize(stream_);
  api().cuStreamDestroy(stream_);
}

void Stream::synchronize() const {
  check(api().cuStreamSynchronize(stream_), "waiting for the GPU");
}

void Stream::wait_for(const Event& event) const {
  check(api().cuStreamWaitEvent(stream_, event.get(), CU_EVENT_WAIT_DEFAULT),
        "letting a stream wait for another");
}

LastWait::~LastWait() {
  api().cuStreamSynchronize(stream_.get());  // errors are reported by the next call
}

Event::Event() {
  check(api().cuEventCreate(&event_, CU_EVENT_DEFAULT), "making an event");
}

Event::Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}

Event::~Event() {
  if (event_ != nullptr) api().cuEventDestroy(event_);
}

void Event::record(const Stream& stream) const {
  check(api().cuEventRecord(event_, stream.get()), "recording an event");
}

void Event::synchronize() const {
  check(api().cuEventSynchronize(event_), "waiting for the GPU");
}

double Event::seconds_since(const Event& earlier) const {
  float milliseconds = 0;
  check(api().cuEventElapsedTime(&milliseconds, earlier.event_, event_), "reading the GPU's clock");
  return static_cast<double>(milliseconds) * 1e-3;
}

Grid grid_for(std::int64_t items, unsigned block_threads, const Device& device) {
  constexpr std::int64_t kWaves = 4;  // more blocks than fit at a time: none is idle at the end
  const std::int64_t threads = block_threads;
  const std::int64_t wanted = (items + threads - 1) / threads;
  const std::int64_t resident =
      device.multiprocessors * std::max<std::int64_t>(device.multiprocessor_threads / threads, 1);
  return {static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, kWaves * resident)), block_threads};
}

Module::Module(const unsigned char* image) {
  check(api().cuModuleLoadData(&module_, image), "loading kernels");
}

Module::~Module() {
  api().cuModuleUnload(module_);
}

CUfunc_st* Module::find(const char* name) const {
  CUfunction function = nullptr;
  check(api().cuModuleGetFunction(&function, module_, name),
        fmt::format("looking for the kernel {}", name));
  return function;
}

const Module& loaded(const unsigned char* image) {
  // Never unloaded: when the process ends, the driver may have ended before.
  static auto& modules = *new std::map<const unsigned char*, Module>;
  return modules.try_emplace(image, image).first->second;
}

void allow_shared_bytes(CUfunc_st* function, std::size_t bytes) {
  CUdevice device = 0;
  int most = 0;
  check(api().cuDeviceGet(&device, 0), "choosing the first GPU");
  check(api().cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device),
        "asking for the GPU's properties");
  if (bytes > static_cast<std::size_t>(most))
    throw Failure(
        KS_UNSUPPORTED,
        fmt::format("a block needs {} bytes of shared memory, and this GPU has {}; choose smaller tiles",
                    bytes, most));
  static auto& allowed = *new std::map<CUfunc_st*, std::size_t>;  // modules stay loaded: see loaded()
  if (const auto before = allowed.find(function); before != allowed.end() && before->second >= bytes)
    return;
  check(api().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 static_cast<int>(bytes)),
        fmt::format("asking for {} bytes of shared memory", bytes));
  allowed[function] = bytes;
}

unsigned resident_blocks(CUfunc_st* function, unsigned block_threads, const Device& device) {
  int blocks = 0;
  check(api().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function,
                                                          static_cast<int>(block_threads), 0),
        "asking how many blocks fit");
  return static_cast<unsigned>(device.multiprocessors) * static_cast<unsigned>(std::max(blocks, 1));
}

void launch_bytes(CUfunc_st* function, Grid grid, const Stream& stream, const void* arguments,
                  std::size_t bytes) {
  // One buffer with its size instead of pointers to each argument: the driver detects a wrong size.
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  check(api().cuLaunchKernel(function, grid.blocks, grid.blocks_y, grid.blocks_z, grid.block_threads, 1, 1,
                             grid.shared_bytes, stream.get(), nullptr, extra),
        "starting a kernel");
}

Graph::Graph(const Stream& stream, const std::function<void()>& record) {
  // Relaxed mode makes no checks of other threads; the pack has none.
  check(api().cuStreamBeginCapture(stream.get(), CU_STREAM_CAPTURE_MODE_RELAXED), "recording a graph");
  CUgraph recorded = nullptr;
  try {
    record();
  } catch (...) {
    api().cuStreamEndCapture(stream.get(), &recorded);
    if (recorded != nullptr) api().cuGraphDestroy(recorded);
    throw;
  }
  check(api().cuStreamEndCapture(stream.get(), &recorded), "recording a graph");
  const CUresult made = api().cuGraphInstantiate(&graph_, recorded, 0);
  api().cuGraphDestroy(recorded);
  check(made, "making a graph");
}

Graph::~Graph() {
  if (graph_ != nullptr) api().cuGraphExecDestroy(graph_);
}

void Graph::launch(const Stream& stream) const {
  check(api().cuGraphLaunch(graph_, stream.get()), "starting a graph");
}

}  // namespace kernsweep::cuda
