// Kernels that do what none should, for tests on a real GPU.
#include "tests/kernels/cuda/faults/fault_kernels.hpp"

using namespace kernsweep::testing;

// Writes to where the word is: an illegal access where it is nowhere.
extern "C" __global__ void fault_write(FaultArguments a) {
  *a.word = kKernelRuns;
}

// Signals that it runs, and continues until it may end.
extern "C" __global__ void fault_endless(FaultArguments a) {
  *a.word = kKernelRuns;
  while (*a.word != kKernelMayEnd) {
  }
}
