// The functions of OpenCL 1.2 that the pack calls, from the loader that this host has (libOpenCL.so.1).
// Failures are exceptions within this pack, as in kernels/cuda; none leaves it.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

#include "kernels/api/pack_params.hpp"

namespace kernsweep::opencl {

// KS_UNSUPPORTED: no loader, no device, or a setting that the device cannot run; KS_OUT_OF_MEMORY;
// KS_DEVICE_LOST; KS_FAILED: all other errors.
using Failure = pack::Refused;

struct Api {
  decltype(&clGetPlatformIDs) get_platforms;
  decltype(&clGetPlatformInfo) get_platform_info;
  decltype(&clGetDeviceIDs) get_devices;
  decltype(&clGetDeviceInfo) get_device_info;
  decltype(&clCreateContext) create_context;
  decltype(&clCreateCommandQueue) create_queue;
  decltype(&clCreateBuffer) create_buffer;
  decltype(&clCreateProgramWithSource) create_program;
  decltype(&clBuildProgram) build_program;
  decltype(&clGetProgramBuildInfo) get_build_info;
  decltype(&clCreateKernel) create_kernel;
  decltype(&clGetKernelInfo) get_kernel_info;
  decltype(&clGetKernelArgInfo) get_argument_info;
  decltype(&clGetKernelWorkGroupInfo) get_group_info;
  decltype(&clSetKernelArg) set_argument;
  decltype(&clEnqueueNDRangeKernel) enqueue_kernel;
  decltype(&clEnqueueReadBuffer) read_buffer;
  decltype(&clEnqueueWriteBuffer) write_buffer;
  decltype(&clEnqueueFillBuffer) fill_buffer;
  decltype(&clFinish) finish;
  decltype(&clGetEventProfilingInfo) get_profiling_info;
  decltype(&clReleaseEvent) release_event;
  decltype(&clReleaseKernel) release_kernel;
  decltype(&clReleaseProgram) release_program;
  decltype(&clReleaseMemObject) release_buffer;
};

// Throws Failure if this host has no loader. The result lives as long as the process.
const Api& api();

// Throws Failure unless `code` is CL_SUCCESS; `doing` completes "OpenCL failed: ...".
void check(cl_int code, const std::string& doing);

// "CL_OUT_OF_RESOURCES", or the number of an unknown code.
std::string name_of(cl_int code);

}  // namespace kernsweep::opencl
