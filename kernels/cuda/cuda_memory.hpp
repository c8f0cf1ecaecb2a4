// Memory of the GPU, memory of the host that the GPU can access directly, and copies between them.
//
// Addresses of device memory are void*: the host must not access them. All functions throw Failure;
// destructors ignore errors, also if the GPU is lost. Requires that open_device() was called on this
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

// Device memory, not cleared, aligned for every type. Zero bytes: no memory, a null address. Move-only;
// counted in a MemoryCount that must outlive it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Throws KS_OUT_OF_MEMORY with the number of free bytes.
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

// Host memory that is never paged out, so the GPU copies from and to it directly. Zero bytes: null.
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

// Pins memory of another owner during the lifetime of this object. Requires that the memory is writable and
// outlives it.
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

// Makes the GPU's L2 cache cold: writes a buffer of twice its size (nvbench: once its size). The buffer is
// made by the first call and kept; it is not counted in the MemoryCount of a measurement.
class CacheEviction {
 public:
  // Returns when the cache is cold. Throws Failure.
  void run(const Device& device);

 private:
  MemoryCount count_;
  DeviceMemory buffer_;
  std::unique_ptr<Stream> stream_;
};

// Device memory of the whole GPU, in bytes, as the driver reports it.
struct MemoryRoom {
  std::size_t free = 0;
  std::size_t total = 0;
};
MemoryRoom memory_room();

// Why a library of NVIDIA did not start; the library itself gives no reason. `status` is KS_OUT_OF_MEMORY
// if the GPU has less than 200 MiB free, which the code and workspace of such a library need, otherwise (or
// if this is not known) KS_UNSUPPORTED; `remedy` is what to do. Does not throw.
struct NotStarted {
  ks_status status = KS_UNSUPPORTED;
  std::string remedy;
};
NotStarted why_not_started();

// In the order of the stream; host memory must stay unchanged until the stream has reached the copy.
void copy_to_device(void* device, const void* host, std::size_t bytes, const Stream& stream);
void copy_to_host(void* host, const void* device, std::size_t bytes, const Stream& stream);
void copy_on_device(void* to, const void* from, std::size_t bytes, const Stream& stream);
void fill_bytes(void* device, unsigned char value, std::size_t bytes, const Stream& stream);

// Synchronous copies: cuMemcpyHtoD and cuMemcpyDtoH. Host memory may be reused when they return; from
// pageable memory the last part may still be on its way to the device then, before any later work of
// Stream::legacy().
void copy_to_device_now(void* device, const void* host, std::size_t bytes);
void copy_to_host_now(void* host, const void* device, std::size_t bytes);

}  // namespace kernsweep::cuda
