// The state of the fake driver. Internal to it.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/kernels/cuda/fake_driver/fake_driver.hpp"
#include "tests/kernels/cuda/fake_driver/host_block.hpp"

namespace kernsweep::testing::fake_cuda {

// Of a grid in y, and in z: blocks compute one batch after another, as they do on a GPU where there are
// over 65535.
constexpr unsigned kBlocksYMax = 1;
constexpr int kMultiprocessorThreads = 1024;

// Says what was wrong and aborts.
[[noreturn]] void misuse(const std::string& what);

using Work = std::function<void()>;

// Work in order; `done` of it has run.
struct Queue {
  std::vector<Work> work;
  std::size_t done = 0;
  bool capturing = false;
  std::vector<Work> captured;
};

struct Mark {
  std::uintptr_t stream = 0;  // of the last record; with position the number of work before and with it
  std::size_t position = 0;
  bool recorded = false, past = false;
  double seconds = 0;
};

struct Allocation {
  unsigned char* mapping = nullptr;  // with a guard page at each end
  std::size_t mapping_bytes = 0;
  std::size_t bytes = 0;  // that were asked for
};

// A kernel of a .cu file, compiled for the host.
struct HostKernel {
  const char* name;
  std::size_t argument_bytes;
  void (*run)(const void* arguments, const Index& blocks, unsigned block_threads, std::size_t shared_bytes);
};
const HostKernel* host_kernel(const std::string& name);  // null: none of this name

struct Function {
  std::uintptr_t module = 0;
  const HostKernel* kernel = nullptr;
  std::size_t shared_bytes_max = 48 << 10;  // until cuFuncSetAttribute
};

struct State {
  Simulation simulation;
  Done counts;
  CUresult lost = CUDA_SUCCESS;  // what every call returns after a permanent failure
  int kernels_until_illegal = 0, kernels_until_endless = 0, kernels_until_death = 0;
  const cuuint32_t* held_by = nullptr;  // the last word that a stream waits for, and for which value
  cuuint32_t held_until = 0;
  std::uintptr_t next_handle = 0x1000;
  std::map<std::uintptr_t, Queue> streams{{0, {}}};  // 0: the legacy one
  std::map<std::uintptr_t, Mark> events;
  std::map<std::uintptr_t, const unsigned char*> modules;
  std::map<std::uintptr_t, Function> functions;
  std::map<std::uintptr_t, std::vector<Work>> graphs, executables;
  std::map<std::uintptr_t, Allocation> device;       // by address
  std::map<std::uintptr_t, Allocation> freed;        // with its content, if the driver keeps that
  std::size_t persisting_l2_bytes = 0;               // that a program has set aside
  std::map<std::uintptr_t, std::size_t> host;        // pinned allocations
  std::map<std::uintptr_t, std::size_t> registered;  // pinned memory of others
};
State& state();

// How the driver behaves in a process that does not configure it; see fake_process.cpp.
Simulation simulation_of_process();
void forget_part();     // what it was to simulate only once
void remember_death();  // of the second device, to all processes that come

// The status that a call must return before it checks its arguments: not initialised, no context, lost.
CUresult standing();

// Puts work behind what the stream has. While the stream records, nothing will run now.
CUresult submit(CUstream stream, Work work);
// Runs the stream's first `count` pieces of work, as far as they have not run yet.
void run_until(std::uintptr_t stream, std::size_t count);
void run_all(std::uintptr_t stream);

// Whether bytes [address, address + bytes) lie in one live allocation of the device.
void require_device_range(CUdeviceptr address, std::size_t bytes, const char* call);
bool is_pinned(const void* memory, std::size_t bytes);

// Frees all memory, whoever owns it.
void forget_memory();

// Device memory is accessible during the life of such an object.
class Touching {
 public:
  Touching();
  ~Touching();
};

template <class Handle>
std::uintptr_t number_of(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

}  // namespace kernsweep::testing::fake_cuda
