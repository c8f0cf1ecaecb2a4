// Measures the time of a GPU's work by its own clock.
//
// All functions throw Failure. Requires that open_device() was called on this thread.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/cuda/cuda_work.hpp"

namespace kernsweep::cuda {

// Resolution of events, in seconds ("CUDA Driver API", cuEventElapsedTime).
inline constexpr double kEventResolution = 0.5e-6;

// The time that the GPU needs for some work on one stream.
class Interval {
 public:
  void begin(const Stream& stream) const { begin_.record(stream); }
  // Waits for the work since `begin` and measures it.
  void end(const Stream& stream) {
    mark_end(stream);
    measure();
  }
  // The same in two steps: the host may do other things in between.
  void mark_end(const Stream& stream) const { end_.record(stream); }
  void measure();
  const Event& begun() const { return begin_; }  // an event that other streams may wait for
  double seconds() const { return seconds_; }    // time of the last work; 0 before the first

 private:
  Event begin_, end_;
  double seconds_ = 0;
};

// Holds a stream back: the stream waits for a word in the host's memory (cuStreamWaitValue32), so no thread
// of the host has to run for it.
//
// The host must not wait for the stream while the gate is closed. If the work exceeds the driver's queue,
// or makes the driver wait, host and stream would wait for each other for ever; so the gate opens
// automatically after kOpensAfterMs.
class Gate {
 public:
  static constexpr std::int64_t kOpensAfterMs = 100;

  // Holds back all later work of the stream until `open`. At most one gate of a process may be closed.
  void close(const Stream& stream);
  // Returns false if the gate had opened automatically.
  bool open() noexcept;

 private:
  PinnedMemory word_;  // 0: closed
};

// A stream whose work is measured. Its destructor waits: declare the objects that the work uses before it.
class TimedStream : public Stream {
 public:
  TimedStream() = default;
  TimedStream(TimedStream&&) = delete;
  ~TimedStream();

  // `start` adds work to this stream. The GPU begins at once: the time of short work includes starting it.
  void run(const std::function<void()>& start);
  // Adds the work of `start` `runs` times; the GPU begins when all of it is in the stream. For short work,
  // starting may cost a hundred times as much as the work itself.
  void run_many(std::uint64_t runs, const std::function<void()>& start);
  double seconds() const { return interval_.seconds(); }  // time of all work of the last call
  // Number of run_many calls whose gate opened automatically: their time includes the start of some runs.
  std::uint64_t begun_early() const { return begun_early_; }

 private:
  Gate gate_;
  Interval interval_;
  std::uint64_t begun_early_ = 0;
};

}  // namespace kernsweep::cuda
