// What a GPU is told to do: kernels, the streams that order them, the events between them, and graphs of
// them. What times them is in cuda_timing.hpp.
//
// All functions throw Failure. Errors of work that runs beside the host show up at the next call that
// waits. Requires: open_device() was called on this thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "kernels/cuda/cuda_driver.hpp"

// The handles of cuda.h, which only the adapter sees.
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;
struct CUgraphExec_st;

namespace kernsweep::cuda {

class Event;

// A sequence of work. The destructor waits for it: what the work uses is declared before its stream.
class Stream {
 public:
  Stream();  // waits for no other stream, nor for the legacy one
  // The one that copies which name no stream belong to; owns nothing.
  static Stream legacy() { return Stream(nullptr); }
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;
  ~Stream();

  void synchronize() const;                 // waits for all work so far
  void wait_for(const Event& event) const;  // later work waits for what was recorded; the host does not
  CUstream_st* get() const { return stream_; }

 private:
  explicit Stream(CUstream_st* stream) : stream_(stream) {}
  CUstream_st* stream_;
};

// Waits for a stream at its end: declared after what the work uses, where that had to come after the
// stream.
class LastWait {
 public:
  explicit LastWait(const Stream& stream) : stream_(stream) {}
  LastWait(const LastWait&) = delete;
  LastWait& operator=(const LastWait&) = delete;
  ~LastWait();

 private:
  const Stream& stream_;
};

// A mark between two pieces of work, with the time at which the GPU came by.
class Event {
 public:
  Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;
  ~Event();

  void record(const Stream& stream) const;
  void synchronize() const;  // waits until the GPU has come by
  // Requires: both recorded and past. The resolution is about 0.5 us.
  double seconds_since(const Event& earlier) const;
  CUevent_st* get() const { return event_; }

 private:
  CUevent_st* event_ = nullptr;
};

// How many threads a kernel is started with. Blocks may have three dimensions (y and z at most
// Device::blocks_y_max), threads have one.
struct Grid {
  unsigned blocks = 1;
  unsigned block_threads = 256;
  unsigned blocks_y = 1;
  unsigned blocks_z = 1;
  unsigned shared_bytes = 0;  // of each block's dynamic memory; see allow_shared_bytes
};

// Enough blocks for `items` items of one thread each, but not many more than the GPU holds at a time: the
// kernels of this pack go on to the next item by the size of the grid. Requires: 1 <= block_threads <=
// 1024.
Grid grid_for(std::int64_t items, unsigned block_threads, const Device& device);

// A kernel of a module that takes one structure by value.
template <class Arguments>
struct Kernel {
  CUfunc_st* function = nullptr;
};

// Kernels from a fat binary, for this GPU. Unloaded with it; kernels must not be used later.
class Module {
 public:
  // `image` is a fat binary; not copied, must live as long as the module. KS_UNSUPPORTED when it has no
  // code for this GPU.
  explicit Module(const unsigned char* image);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();

  // Arguments is the type of the kernel's one parameter, in a header that host and kernel share.
  template <class Arguments>
  Kernel<Arguments> kernel(const char* name) const {
    static_assert(std::is_trivially_copyable_v<Arguments>);
    return {find(name)};
  }

 private:
  CUfunc_st* find(const char* name) const;
  CUmod_st* module_ = nullptr;
};

// The module of that image, loaded at the first call and kept as long as the process, as the context is:
// the jobs of a slot do not load it again and again. Throws Failure; the next call tries again.
const Module& loaded(const unsigned char* image);

void allow_shared_bytes(CUfunc_st* function, std::size_t bytes);

// Lets blocks of the kernel have so much dynamic memory; without it, they have 48 KiB at most.
// KS_UNSUPPORTED with both numbers when the GPU has less.
template <class Arguments>
void allow_shared_bytes(Kernel<Arguments> kernel, std::size_t bytes) {
  allow_shared_bytes(kernel.function, bytes);
}

void launch_bytes(CUfunc_st* function, Grid grid, const Stream& stream, const void* arguments,
                  std::size_t bytes);

template <class Arguments>
void launch(Kernel<Arguments> kernel, Grid grid, const Stream& stream, const Arguments& arguments) {
  launch_bytes(kernel.function, grid, stream, &arguments, sizeof arguments);
}

// Work that was recorded once, to be started again and again by one call.
class Graph {
 public:
  // `record` puts the work into `stream`; nothing of it runs now. It may not wait for the stream.
  Graph(const Stream& stream, const std::function<void()>& record);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  void launch(const Stream& stream) const;

 private:
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace kernsweep::cuda
