// Work for a GPU: kernels, streams that order them, events between them, and their graphs. Timing is in
// cuda_timing.hpp.
//
// All functions throw Failure. Errors of asynchronous work are reported by the next call that waits.
// Requires that open_device() was called on this thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "kernels/cuda/cuda_driver.hpp"

// The handles of cuda.h, which only the adapter includes.
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;
struct CUgraphExec_st;

namespace kernsweep::cuda {

class Event;

// A sequence of work. The destructor waits for it: declare the objects that the work uses before its
// stream.
class Stream {
 public:
  Stream();  // waits for no other stream, nor for the legacy one
  // The legacy stream, used by copies that name no stream. The returned object owns nothing.
  static Stream legacy() { return Stream(nullptr); }
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;
  ~Stream();

  void synchronize() const;                 // waits for all work so far
  void wait_for(const Event& event) const;  // later work of the stream waits; the host does not
  CUstream_st* get() const { return stream_; }

 private:
  explicit Stream(CUstream_st* stream) : stream_(stream) {}
  CUstream_st* stream_;
};

// Waits for a stream in its destructor: to be declared after objects that the work uses but that are made
// after the stream.
class LastWait {
 public:
  explicit LastWait(const Stream& stream) : stream_(stream) {}
  LastWait(const LastWait&) = delete;
  LastWait& operator=(const LastWait&) = delete;
  ~LastWait();

 private:
  const Stream& stream_;
};

// A mark between two pieces of work, with the time at which the GPU has reached it.
class Event {
 public:
  Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;
  ~Event();

  void record(const Stream& stream) const;
  void synchronize() const;  // waits until the GPU has reached it
  // Seconds between two marks. Requires that the GPU has reached both. The resolution is about 0.5 us.
  double seconds_since(const Event& earlier) const;
  CUevent_st* get() const { return event_; }

 private:
  CUevent_st* event_ = nullptr;
};

// The number of threads of a kernel. Blocks may have three dimensions (y and z at most
// Device::blocks_y_max), threads have one.
struct Grid {
  unsigned blocks = 1;
  unsigned block_threads = 256;
  unsigned blocks_y = 1;
  unsigned blocks_z = 1;
  unsigned shared_bytes = 0;  // dynamic shared memory of each block; see allow_shared_bytes
};

// Enough blocks for `items` items of one thread each, but at most four times as many as the GPU holds at a
// time: the kernels of this pack continue with further items in steps of the grid's size. Requires 1 <=
// block_threads <= 1024.
Grid grid_for(std::int64_t items, unsigned block_threads, const Device& device);

// A kernel of a module that takes one structure by value.
template <class Arguments>
struct Kernel {
  CUfunc_st* function = nullptr;
};

// Kernels of a fat binary, for this GPU. The destructor unloads them; they must not be used later.
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

// The module of that image, loaded at the first call and kept until the process ends, like the context, so
// that jobs of a slot share it. Throws Failure; the next call tries again.
const Module& loaded(const unsigned char* image);

void allow_shared_bytes(CUfunc_st* function, std::size_t bytes);

unsigned resident_blocks(CUfunc_st* function, unsigned block_threads, const Device& device);

// The number of blocks without dynamic shared memory that the GPU holds at a time.
template <class Arguments>
unsigned resident_blocks(Kernel<Arguments> kernel, unsigned block_threads, const Device& device) {
  return resident_blocks(kernel.function, block_threads, device);
}

// Allows blocks of the kernel at least this much dynamic shared memory; without the call, 48 KiB at most.
// The limit is never lowered, because jobs share the kernel. KS_UNSUPPORTED with both numbers if the GPU
// has less.
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

// Recorded work that can be started repeatedly by one call.
class Graph {
 public:
  // `record` adds the work to `stream`; none of it runs now. It must not wait for the stream.
  Graph(const Stream& stream, const std::function<void()>& record);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  void launch(const Stream& stream) const;

 private:
  CUgraphExec_st* graph_ = nullptr;
};

}  // namespace kernsweep::cuda
