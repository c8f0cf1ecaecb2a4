#include "tests/kernels/cuda/faults/faults.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <functional>

#include "kernels/cuda/cuda_driver.hpp"
#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/cuda/cuda_work.hpp"
#include "tests/kernels/cuda/faults/fault_kernels.hpp"

#pragma GCC visibility push(hidden)
extern "C" const unsigned char kernsweep_fatbin_faults[];
#pragma GCC visibility pop

namespace kernsweep::testing {
namespace {

cuda::Kernel<FaultArguments> fault(const char* name) {
  return cuda::loaded(kernsweep_fatbin_faults).kernel<FaultArguments>(name);
}

std::string failure_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const cuda::Failure& failure) {
    return std::to_string(failure.status()) + ": " + failure.what() + "\n";
  }
  return "no failure\n";
}

void kill_this_process(sigval word) {
  if (*static_cast<volatile std::uint32_t*>(word.sival_ptr) == kKernelRuns)
    std::fputs("the kernel was running\n", stderr);
  kill(getpid(), SIGKILL);
}

void kill_after_a_second(void* word) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = &kill_this_process;
  event.sigev_value.sival_ptr = word;
  timer_t timer{};
  itimerspec when{};
  when.it_value.tv_sec = 1;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &when, nullptr) != 0)
    std::fputs("no timer\n", stderr);
}

}  // namespace

std::string illegal_access() {
  cuda::open_device();
  const cuda::Stream stream;
  const std::string first = failure_of([&] {
    launch(fault("fault_write"), {.block_threads = 1}, stream, FaultArguments{nullptr});
    stream.synchronize();
  });
  return first + failure_of([] {
           cuda::MemoryCount count;
           const cuda::DeviceMemory memory(4096, count);
         });
}

void wait_for_an_endless_kernel() {
  cuda::open_device();
  const cuda::PinnedMemory memory(sizeof(std::uint32_t));
  auto* const word = static_cast<std::uint32_t*>(memory.address());
  *word = 0;
  const cuda::Stream stream;
  const auto kernel = fault("fault_endless");
  kill_after_a_second(word);
  // The driver has one address for the host and the GPU (unified addressing, on every 64-bit host).
  launch(kernel, {.block_threads = 1}, stream, FaultArguments{word});
  stream.synchronize();
}

}  // namespace kernsweep::testing
