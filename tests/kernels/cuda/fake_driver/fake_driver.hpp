// A CUDA driver without a GPU: a test configures libcuda.so.1 of this folder, and reads its state
// afterwards.
//
// It is strict. Device memory can be touched only by the driver (a host that dereferences such an address
// crashes), begins with garbage, and ends at a guard page. Work runs as late as is legal: when the host
// waits for it. Kernels are those of the .cu files, compiled for the host, one thread at a time; their
// names must be in the fat binary, and arguments have the size that the kernel takes. Misuse (a handle that
// is none, memory freed while work waits) ends the test program with a reason.
#pragma once

#include <cstddef>
#include <string>

namespace kernsweep::testing::fake_cuda {

// How the driver behaves from now on.
struct Simulation {
  int init_result = 0;  // of cuInit: a CUresult
  int driver_version = 13000;
  int devices = 1;
  int first_device = 0;  // of those that there are, where the process sees some only
  std::size_t memory_bytes = std::size_t{256} << 20;  // of the device
  int load_result = 0;                                // of cuModuleLoadData
  int hold_result = 0;                                // of cuStreamWaitValue32
  int block_shared_bytes = 227 << 10;                 // as a kernel may be allowed
  int illegal_launch = 0;      // the n-th kernel from now touches what it must not; 0: none
  int endless_launch = 0;      // the n-th kernel from now never ends; 0: none
  int dying_launch = 0;        // the n-th kernel from now is the device's last; 0: none
  bool keeps_content = false;  // memory that was freed comes back as it was
};

// What was done since `start`.
struct Done {
  int kernels = 0;
  int graphs = 0;      // started
  int host_waits = 0;  // cuStreamSynchronize, cuEventSynchronize
  int copies = 0;
  int held = 0;    // times that a stream waited for a word of the host
  int pinned = 0;  // copies from or to pinned host memory
};

// Forgets all that was left by the test before but the modules that were loaded, and simulates this.
void start(const Simulation& simulation = {});
Done done();

// Whether the stream that was held last would still wait for the host.
bool holds();

// Text with what was not freed; "" if there is nothing: memory, pinned memory, streams, events, graphs.
// (Context and modules are kept as long as the process.)
std::string left_over();

}  // namespace kernsweep::testing::fake_cuda
