// The fake driver itself, its one device and its context.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"

namespace kernsweep::testing::fake_cuda {
namespace {

bool is_initialised = false;
bool is_retained = false;
thread_local bool has_context = false;
thread_local std::vector<bool> contexts_below;  // whether there was one, before each that was pushed
const std::uintptr_t kContext = 0xC0;

const char* name_of(CUresult result) {
  switch (result) {
#define KERNSWEEP_NAME(name) \
  case name:                 \
    return #name;
    KERNSWEEP_NAME(CUDA_SUCCESS)
    KERNSWEEP_NAME(CUDA_ERROR_OUT_OF_MEMORY)
    KERNSWEEP_NAME(CUDA_ERROR_NOT_INITIALIZED)
    KERNSWEEP_NAME(CUDA_ERROR_NO_DEVICE)
    KERNSWEEP_NAME(CUDA_ERROR_INVALID_CONTEXT)
    KERNSWEEP_NAME(CUDA_ERROR_NOT_FOUND)
    KERNSWEEP_NAME(CUDA_ERROR_NO_BINARY_FOR_GPU)
    KERNSWEEP_NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
    KERNSWEEP_NAME(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
    KERNSWEEP_NAME(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
#undef KERNSWEEP_NAME
    default:
      return nullptr;
  }
}

std::string counted(std::size_t count, const char* what) {
  return count == 0 ? "" : fmt::format("{} {}; ", count, what);
}

}  // namespace

void misuse(const std::string& what) {
  std::fprintf(stderr, "the CUDA driver was misused: %s\n", what.c_str());
  std::abort();
}

namespace {

void begin(State& state, const Simulation& simulation) {
  state.simulation = simulation;
  state.kernels_until_illegal = simulation.illegal_launch;
  state.kernels_until_endless = simulation.endless_launch;
  state.kernels_until_death = simulation.dying_launch;
}

}  // namespace

State& state() {
  static State state = [] {
    State first;
    begin(first, simulation_of_process());
    return first;
  }();
  return state;
}

CUresult standing() {
  if (state().lost != CUDA_SUCCESS) return state().lost;
  if (!is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  return has_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

void start(const Simulation& simulation) {
  forget_memory();
  State fresh;
  fresh.next_handle = state().next_handle;  // a handle of an earlier test stays unknown
  fresh.modules = std::move(state().modules);
  fresh.functions = std::move(state().functions);
  state() = std::move(fresh);
  begin(state(), simulation);
}

Done done() {
  return state().counts;
}

std::string left_over() {
  const State& now = state();
  return counted(now.device.size(), "pieces of device memory") +
         counted(now.host.size(), "pieces of pinned memory") +
         counted(now.registered.size(), "pinned pieces of others' memory") +
         counted(now.streams.size() - 1, "streams") + counted(now.events.size(), "events") +
         counted(now.graphs.size(), "graphs") + counted(now.executables.size(), "graphs to be started");
}

}  // namespace kernsweep::testing::fake_cuda

using namespace kernsweep::testing::fake_cuda;

CUresult cuInit(unsigned) {
  if (state().simulation.init_result == 0) is_initialised = true;  // and stays so
  return static_cast<CUresult>(state().simulation.init_result);
}

CUresult cuDriverGetVersion(int* version) {
  *version = state().simulation.driver_version;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult result, const char** text) {
  *text = name_of(result);
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int* count) {
  if (!is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  *count = state().simulation.devices;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (ordinal < 0 || ordinal >= state().simulation.devices) misuse("a process has no GPU of this number");
  *device = state().simulation.first_device + ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 2;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = 3 << 20;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = state().simulation.block_shared_bytes;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = kMultiprocessorThreads;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      *value = kBlocksYMax;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
      *value = CU_COMPUTEMODE_DEFAULT;
      return CUDA_SUCCESS;
    default:
      misuse(fmt::format("attribute {} of a device is not simulated", static_cast<int>(which)));
  }
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  if (!is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  is_retained = true;
  *context = reinterpret_cast<CUcontext>(kContext);
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (number_of(context) != kContext) misuse("a context that is none");
  if (state().lost != CUDA_SUCCESS) return state().lost;
  has_context = true;
  return CUDA_SUCCESS;
}

// The primary context is never released.
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  *flags = 0;
  *active = is_retained ? 1 : 0;
  return is_initialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!is_initialised) return CUDA_ERROR_NOT_INITIALIZED;
  *context = has_context ? reinterpret_cast<CUcontext>(kContext) : nullptr;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  if (number_of(context) != kContext) misuse("a context that is none");
  contexts_below.push_back(has_context);
  has_context = true;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (contexts_below.empty()) misuse("cuCtxPopCurrent without a context that was pushed");
  *context = reinterpret_cast<CUcontext>(kContext);
  has_context = contexts_below.back();
  contexts_below.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  if (limit != CU_LIMIT_PERSISTING_L2_CACHE_SIZE) misuse("a limit of the context that is not simulated");
  *value = state().persisting_l2_bytes;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  if (limit != CU_LIMIT_PERSISTING_L2_CACHE_SIZE) misuse("a limit of the context that is not simulated");
  state().persisting_l2_bytes = value;
  return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache() {
  return standing();
}
