// NVIDIA's driver as this process opened it: the functions of libcuda.so.1 that the adapter uses.
//
// Internal to the files cuda_*.cpp, the only ones that include cuda.h. No program is linked with a driver:
// it is opened by name, so the pack can be loaded on a host without one. Names have the version that the
// driver exports (cuda.h hides it behind macros); drivers for CUDA 12 and 13 have all of them.
#pragma once

#include <cuda.h>

#include <string>

namespace kernsweep::cuda {

// The functions, each with its type of cuda.h and the name that the driver exports.
#define KERNSWEEP_CUDA_FUNCTIONS(X)                                                             \
  X(cuInit, "cuInit")                                                                           \
  X(cuDriverGetVersion, "cuDriverGetVersion")                                                   \
  X(cuGetErrorName, "cuGetErrorName")                                                           \
  X(cuDeviceGetCount, "cuDeviceGetCount")                                                       \
  X(cuDeviceGet, "cuDeviceGet")                                                                 \
  X(cuDeviceGetName, "cuDeviceGetName")                                                         \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute")                                               \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                                       \
  X(cuCtxSetCurrent, "cuCtxSetCurrent")                                                         \
  X(cuCtxSynchronize, "cuCtxSynchronize")                                                       \
  X(cuModuleLoadData, "cuModuleLoadData")                                                       \
  X(cuModuleUnload, "cuModuleUnload")                                                           \
  X(cuModuleGetFunction, "cuModuleGetFunction")                                                 \
  X(cuFuncSetAttribute, "cuFuncSetAttribute")                                                   \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor") \
  X(cuLaunchKernel, "cuLaunchKernel")                                                           \
  X(cuStreamCreate, "cuStreamCreate")                                                           \
  X(cuStreamDestroy, "cuStreamDestroy_v2")                                                      \
  X(cuStreamSynchronize, "cuStreamSynchronize")                                                 \
  X(cuStreamWaitEvent, "cuStreamWaitEvent")                                                     \
  X(cuStreamWaitValue32, "cuStreamWaitValue32_v2")                                              \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2")                                            \
  X(cuStreamEndCapture, "cuStreamEndCapture")                                                   \
  X(cuGraphInstantiate, "cuGraphInstantiateWithFlags")                                          \
  X(cuGraphLaunch, "cuGraphLaunch")                                                             \
  X(cuGraphExecDestroy, "cuGraphExecDestroy")                                                   \
  X(cuGraphDestroy, "cuGraphDestroy")                                                           \
  X(cuEventCreate, "cuEventCreate")                                                             \
  X(cuEventDestroy, "cuEventDestroy_v2")                                                        \
  X(cuEventRecord, "cuEventRecord")                                                             \
  X(cuEventSynchronize, "cuEventSynchronize")                                                   \
  X(cuEventElapsedTime, "cuEventElapsedTime")                                                   \
  X(cuMemAlloc, "cuMemAlloc_v2")                                                                \
  X(cuMemFree, "cuMemFree_v2")                                                                  \
  X(cuMemGetInfo, "cuMemGetInfo_v2")                                                            \
  X(cuMemHostAlloc, "cuMemHostAlloc")                                                           \
  X(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2")                                  \
  X(cuMemFreeHost, "cuMemFreeHost")                                                             \
  X(cuMemHostRegister, "cuMemHostRegister_v2")                                                  \
  X(cuMemHostUnregister, "cuMemHostUnregister")                                                 \
  X(cuMemcpyHtoD, "cuMemcpyHtoD_v2")                                                            \
  X(cuMemcpyDtoH, "cuMemcpyDtoH_v2")                                                            \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                                                  \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                                                  \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                                                  \
  X(cuMemsetD8Async, "cuMemsetD8Async")

struct Api {
#define KERNSWEEP_CUDA_MEMBER(function, exported) decltype(&::function) function = nullptr;
  KERNSWEEP_CUDA_FUNCTIONS(KERNSWEEP_CUDA_MEMBER)
#undef KERNSWEEP_CUDA_MEMBER
};

// The driver, opened at the first call and kept until the process ends. Throws Failure (KS_UNSUPPORTED) if
// there is none, or a needed function is missing; the next call tries again.
const Api& api();

// Throws Failure unless `result` is success. `doing` completes "... while": "copying 8 bytes to the GPU".
void check(CUresult result, const std::string& doing);

}  // namespace kernsweep::cuda
