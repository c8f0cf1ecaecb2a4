// Memory of the GPU, memory of the host that the GPU can reach by itself, and copies between them.
//
// Addresses of device memory are void*: the host must not follow them. All functions throw Failure; memory
// is given back without a word, also when the GPU is lost. Requires: open_device() was called on this
// thread.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/cuda/cuda_work.hpp"

namespace kernsweep::cuda {

// Device memory of one measurement, in bytes.
struct MemoryCount {
  std::size_t allocated = 0;  // now
  std::size_t peak = 0;       // the most at any time
};

// Some bytes of device memory, not cleared, aligned for every type. Zero bytes: no memory, a null address.
// Move-only; counted in a MemoryCount that must live longer.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // KS_OUT_OF_MEMORY says how much was free.
  DeviceMemory(std::size_t bytes, MemoryCount& count);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  void* address() const { return address_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
  MemoryCount* count_ = nullptr;
};

// Host memory that is never paged out, so that copies from and to it need no detour. Zero bytes: null.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  explicit PinnedMemory(std::size_t bytes);
  PinnedMemory(PinnedMemory&& other) noexcept;
  PinnedMemory& operator=(PinnedMemory&& other) noexcept;
  ~PinnedMemory();

  void* address() const { return address_; }

 private:
  void* address_ = nullptr;
};

// Pins memory that somebody else owns, as long as this lives. Requires: writable memory that lives longer.
class PinnedPages {
 public:
  PinnedPages() = default;
  PinnedPages(void* memory, std::size_t bytes);
  PinnedPages(PinnedPages&& other) noexcept;
  PinnedPages& operator=(PinnedPages&& other) noexcept;
  ~PinnedPages();

 private:
  void* address_ = nullptr;
};

// Makes the GPU's L2 cache cold: writes over a buffer of twice its size, as nvbench does with one of its
// size. The buffer is made at the first call and kept; it counts in no MemoryCount of a measurement.
class CacheEviction {
 public:
  // Returns when it is done. Throws Failure.
  void run(const Device& device);

 private:
  MemoryCount count_;
  DeviceMemory buffer_;
  std::unique_ptr<Stream> stream_;
};

// Device memory of the whole GPU, in bytes, as the driver tells it.
struct MemoryRoom {
  std::size_t free = 0;
  std::size_t total = 0;
};
MemoryRoom memory_room();

// Why a library of NVIDIA's did not start, which itself says no more than that. `status` is
// KS_OUT_OF_MEMORY where the GPU has less than 200 MiB free (the code and the workspace of such a library
// go there), and else, or where the driver does not tell, KS_UNSUPPORTED; `remedy` says what to do.
// Does not throw.
struct NotStarted {
  ks_status status = KS_UNSUPPORTED;
  std::string remedy;
};
NotStarted why_not_started();

// In the order of the stream; host memory must stay as it is until the stream has come so far.
void copy_to_device(void* device, const void* host, std::size_t bytes, const Stream& stream);
void copy_to_host(void* host, const void* device, std::size_t bytes, const Stream& stream);
void copy_on_device(void* to, const void* from, std::size_t bytes, const Stream& stream);
void fill_bytes(void* device, unsigned char value, std::size_t bytes, const Stream& stream);

// At once: cuMemcpyHtoD and cuMemcpyDtoH. Host memory may be reused when they return; from pageable memory
// the last piece may still be on its way to the device then, ahead of anything on Stream::legacy().
void copy_to_device_now(void* device, const void* host, std::size_t bytes);
void copy_to_host_now(void* host, const void* device, std::size_t bytes);

}  // namespace kernsweep::cuda
