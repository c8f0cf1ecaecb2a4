#include "kernels/opencl/opencl_api.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace kernsweep::opencl {
namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw Failure(KS_UNSUPPORTED, std::string("libOpenCL.so.1 has no ") + name +
                                      "; a loader for OpenCL 1.2 or later is needed");
}

Api load() {
  void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Failure(KS_UNSUPPORTED,
                  "no OpenCL: libOpenCL.so.1 cannot be opened; install a loader and a driver, such as "
                  "ocl-icd-libopencl1 and pocl-opencl-icd");
  Api out{};
  find(library, "clGetPlatformIDs", out.get_platforms);
  find(library, "clGetPlatformInfo", out.get_platform_info);
  find(library, "clGetDeviceIDs", out.get_devices);
  find(library, "clGetDeviceInfo", out.get_device_info);
  find(library, "clCreateContext", out.create_context);
  find(library, "clCreateCommandQueue", out.create_queue);
  find(library, "clCreateBuffer", out.create_buffer);
  find(library, "clCreateProgramWithSource", out.create_program);
  find(library, "clBuildProgram", out.build_program);
  find(library, "clGetProgramBuildInfo", out.get_build_info);
  find(library, "clCreateKernel", out.create_kernel);
  find(library, "clGetKernelInfo", out.get_kernel_info);
  find(library, "clGetKernelArgInfo", out.get_argument_info);
  find(library, "clGetKernelWorkGroupInfo", out.get_group_info);
  find(library, "clSetKernelArg", out.set_argument);
  find(library, "clEnqueueNDRangeKernel", out.enqueue_kernel);
  find(library, "clEnqueueReadBuffer", out.read_buffer);
  find(library, "clEnqueueWriteBuffer", out.write_buffer);
  find(library, "clEnqueueFillBuffer", out.fill_buffer);
  find(library, "clFinish", out.finish);
  find(library, "clGetEventProfilingInfo", out.get_profiling_info);
  find(library, "clReleaseEvent", out.release_event);
  find(library, "clReleaseKernel", out.release_kernel);
  find(library, "clReleaseProgram", out.release_program);
  find(library, "clReleaseMemObject", out.release_buffer);
  return out;
}

ks_status status_of(cl_int code) {
  switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
      return KS_OUT_OF_MEMORY;
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
    case CL_INVALID_WORK_DIMENSION:
    case CL_INVALID_GLOBAL_WORK_SIZE:
    case CL_OUT_OF_RESOURCES:
    case CL_DEVICE_NOT_FOUND:
      return KS_UNSUPPORTED;
    case CL_DEVICE_NOT_AVAILABLE:
      return KS_DEVICE_LOST;
    default:
      return KS_FAILED;
  }
}

}  // namespace

const Api& api() {
  static const Api loaded = load();
  return loaded;
}

std::string name_of(cl_int code) {
  constexpr std::array<std::pair<cl_int, const char*>, 19> kNames = {
      {{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
       {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
       {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
       {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
       {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
       {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
       {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
       {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
       {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
       {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
       {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
       {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
       {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
       {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
       {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION"},
       {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
       {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
       {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
       {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"}}};
  for (const auto& [number, name] : kNames)
    if (number == code) return name;
  return "error " + std::to_string(code);
}

void check(cl_int code, const std::string& doing) {
  if (code != CL_SUCCESS) throw Failure(status_of(code), doing + " failed: " + name_of(code));
}

}  // namespace kernsweep::opencl
