// How long a GPU works, by its own clock.
//
// All functions throw Failure. Requires: open_device() was called on this thread.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/cuda/cuda_work.hpp"

namespace kernsweep::cuda {

// Of events, in seconds ("CUDA Driver API", cuEventElapsedTime).
inline constexpr double kEventResolution = 0.5e-6;

// The time that the GPU needs for a piece of work on one stream.
class Interval {
 public:
  void begin(const Stream& stream) const { begin_.record(stream); }
  // Waits for the work since `begin` and measures it.
  void end(const Stream& stream) {
    mark_end(stream);
    measure();
  }
  // The same in two steps: the host may do something in between.
  void mark_end(const Stream& stream) const { end_.record(stream); }
  void measure();
  const Event& begun() const { return begin_; }  // for other streams to wait for
  double seconds() const { return seconds_; }    // of the last piece; 0 before one

 private:
  Event begin_, end_;
  double seconds_ = 0;
};

// Keeps a stream from going on. The stream waits for a word in the host's memory (cuStreamWaitValue32), so
// no thread of the host has to run for it.
//
// The host may not wait for the stream while the gate is closed. What it puts into the stream may be too
// much for the driver's queue, or make the driver wait by itself: then the gate opens after kOpensAfterMs,
// because else both would wait for ever.
class Gate {
 public:
  static constexpr std::int64_t kOpensAfterMs = 100;

  // Closed for all later work of the stream until `open`, at most one gate of a process at a time.
  void close(const Stream& stream);
  // False: it had opened by itself.
  bool open() noexcept;

 private:
  PinnedMemory word_;  // 0: closed
};

// A stream of work that is measured. What the work uses is declared before it: the destructor waits.
class TimedStream : public Stream {
 public:
  TimedStream() = default;
  TimedStream(TimedStream&&) = delete;
  ~TimedStream();

  // `start` puts work into this stream. The GPU begins with it at once, so that starting it is in the time
  // of short work.
  void run(const std::function<void()>& start);
  // As often as `runs` says, and the GPU begins when all of it is there. Short work of one `start` may be a
  // hundredth of what starting it takes.
  void run_many(std::uint64_t runs, const std::function<void()>& start);
  double seconds() const { return interval_.seconds(); }  // of all that the last call started
  // Calls of run_many whose gate opened by itself: some of their runs had to be started in the time.
  std::uint64_t begun_early() const { return begun_early_; }

 private:
  Gate gate_;
  Interval interval_;
  std::uint64_t begun_early_ = 0;
};

}  // namespace kernsweep::cuda
