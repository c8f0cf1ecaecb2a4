// The OpenCL device that a process computes on.
#pragma once

#include <string>
#include <string_view>

#include "kernels/opencl/opencl_api.hpp"

namespace kernsweep::opencl {

struct Device {
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;  // in order, with times of events
  std::string text;                  // name, platform and version of the driver
  cl_ulong local_bytes = 0;          // of the memory that a work-group shares
};

// Throws Failure if this host has no loader, or no driver. Starts no driver's device, which takes longer.
void find_driver();

// The first device whose name or platform has `wanted` in it, in any case; "": the first of all. `threads`:
// how many threads a driver for processors may start, if it is the first device of the process. Throws
// Failure. The result lives as long as the process.
const Device& open_device(std::string_view wanted, int threads);

}  // namespace kernsweep::opencl
