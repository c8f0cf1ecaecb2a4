#include "kernels/cuda/cuda_timing.hpp"

#include <atomic>
#include <csignal>
#include <ctime>
#include <mutex>

#include "kernels/cuda/cuda_api.hpp"

namespace kernsweep::cuda {
namespace {

// The word of the closed gate; null if none is closed. Also used by the timer's thread.
std::mutex closed_mutex;
std::uint32_t* closed = nullptr;

bool open_closed() {
  const std::lock_guard lock(closed_mutex);
  if (closed == nullptr) return false;
  std::atomic_ref(*closed).store(1);
  closed = nullptr;
  return true;
}

// The timer of this process that opens a closed gate when it expires.
timer_t opener() {
  static const timer_t made = [] {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = [](sigval) { open_closed(); };
    timer_t timer{};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
      throw Failure(KS_FAILED, "no timer is left to this user; see `ulimit -i`");
    return timer;
  }();
  return made;
}

void open_after(std::int64_t ms) {  // 0: stops the timer
  itimerspec when{};
  when.it_value.tv_sec = ms / 1000;
  when.it_value.tv_nsec = ms % 1000 * 1'000'000;
  timer_settime(opener(), 0, &when, nullptr);
}

}  // namespace

void Interval::measure() {
  end_.synchronize();
  seconds_ = end_.seconds_since(begin_);
}

void Gate::close(const Stream& stream) {
  if (word_.address() == nullptr) word_ = PinnedMemory(sizeof(std::uint32_t));
  auto* const word = static_cast<std::uint32_t*>(word_.address());
  std::atomic_ref(*word).store(0);
  CUdeviceptr address = 0;
  check(api().cuMemHostGetDevicePointer(&address, word, 0), "mapping a word for the GPU");
  {
    const std::lock_guard lock(closed_mutex);
    closed = word;
  }
  open_after(kOpensAfterMs);  // not before the word is known, which this thread may set late
  const CUresult held = api().cuStreamWaitValue32(stream.get(), address, 1, CU_STREAM_WAIT_VALUE_EQ);
  if (held == CUDA_SUCCESS) return;
  open();
  if (held == CUDA_ERROR_NOT_SUPPORTED)
    throw Failure(KS_UNSUPPORTED,
                  "this driver lets no stream wait for the host (cuStreamWaitValue32), so what starting a "
                  "kernel costs cannot be kept out; measure with metric: latency");
  check(held, "letting a stream wait for the host");
}

bool Gate::open() noexcept {
  const bool was_closed = open_closed();
  open_after(0);
  return was_closed;
}

TimedStream::~TimedStream() {
  api().cuStreamSynchronize(get());  // may wait for the gate
}

void TimedStream::run(const std::function<void()>& start) {
  interval_.begin(*this);
  start();
  interval_.end(*this);
}

void TimedStream::run_many(std::uint64_t runs, const std::function<void()>& start) {
  gate_.close(*this);
  try {
    interval_.begin(*this);
    for (std::uint64_t run = 0; run < runs; ++run) start();
    interval_.mark_end(*this);
  } catch (...) {
    gate_.open();
    api().cuStreamSynchronize(get());  // the word must be read before the next run closes the gate
    throw;
  }
  if (!gate_.open()) ++begun_early_;
  interval_.measure();
}

}  // namespace kernsweep::cuda
