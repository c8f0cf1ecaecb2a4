#include "kernels/cuda/cuda_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/cuda_driver.hpp"

namespace kernsweep::cuda {
namespace {

CUdeviceptr device_pointer(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes, MemoryCount& count) : bytes_(bytes), count_(&count) {
  if (bytes == 0) return;
  CUdeviceptr pointer = 0;
  const CUresult result = api().cuMemAlloc(&pointer, bytes);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    const MemoryRoom room = memory_room();
    check(result, fmt::format("allocating {} bytes on the GPU, which has {} bytes, {} of them free", bytes,
                              room.total, room.free));
  }
  check(result, fmt::format("allocating {} bytes on the GPU", bytes));
  address_ = reinterpret_cast<void*>(static_cast<std::uintptr_t>(pointer));
  count.allocated += bytes;
  count.peak = std::max(count.peak, count.allocated);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      count_(std::exchange(other.count_, nullptr)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  std::swap(count_, other.count_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (address_ == nullptr) return;
  api().cuMemFree(device_pointer(address_));
  count_->allocated -= bytes_;
}

PinnedMemory::PinnedMemory(std::size_t bytes) {
  if (bytes == 0) return;
  check(api().cuMemHostAlloc(&address_, bytes, CU_MEMHOSTALLOC_DEVICEMAP),
        fmt::format("allocating {} bytes of pinned memory", bytes));
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(address_, other.address_);
  return *this;
}

PinnedMemory::~PinnedMemory() {
  if (address_ != nullptr) api().cuMemFreeHost(address_);
}

PinnedPages::PinnedPages(void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  check(api().cuMemHostRegister(memory, bytes, 0), fmt::format("pinning {} bytes of memory", bytes));
  address_ = memory;
}

PinnedPages::PinnedPages(PinnedPages&& other) noexcept : address_(std::exchange(other.address_, nullptr)) {}

PinnedPages& PinnedPages::operator=(PinnedPages&& other) noexcept {
  std::swap(address_, other.address_);
  return *this;
}

PinnedPages::~PinnedPages() {
  if (address_ != nullptr) api().cuMemHostUnregister(address_);
}

void CacheEviction::run(const Device& device) {
  if (!stream_) {
    constexpr std::size_t kLeast = std::size_t{1} << 20;  // if the driver does not report the cache's size
    buffer_ = DeviceMemory(std::max(2 * device.l2_bytes, kLeast), count_);
    stream_ = std::make_unique<Stream>();
  }
  fill_bytes(buffer_.address(), 0, buffer_.bytes(), *stream_);
  stream_->synchronize();
}

MemoryRoom memory_room() {
  MemoryRoom room;
  check(api().cuMemGetInfo(&room.free, &room.total), "asking for the GPU's free memory");
  return room;
}

NotStarted why_not_started() {
  constexpr std::size_t kLibraryBytes = std::size_t{200} << 20;
  MemoryRoom room;
  const bool known = api().cuMemGetInfo(&room.free, &room.total) == CUDA_SUCCESS;
  if (!known || room.free >= kLibraryBytes)
    return {KS_UNSUPPORTED,
            "it does not start here: install all of it, in one version, for this driver and GPU"};
  return {
      KS_OUT_OF_MEMORY,
      fmt::format("of the GPU's {} bytes {} are free, too few for the library; end what else uses the GPU, "
                  "or take one with more memory",
                  room.total, room.free)};
}

void copy_to_device(void* device, const void* host, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(api().cuMemcpyHtoDAsync(device_pointer(device), host, bytes, stream.get()),
        fmt::format("copying {} bytes to the GPU", bytes));
}

void copy_to_host(void* host, const void* device, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(api().cuMemcpyDtoHAsync(host, device_pointer(device), bytes, stream.get()),
        fmt::format("copying {} bytes from the GPU", bytes));
}

void copy_on_device(void* to, const void* from, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(api().cuMemcpyDtoDAsync(device_pointer(to), device_pointer(from), bytes, stream.get()),
        fmt::format("copying {} bytes within the GPU", bytes));
}

void fill_bytes(void* device, unsigned char value, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(api().cuMemsetD8Async(device_pointer(device), value, bytes, stream.get()),
        fmt::format("setting {} bytes on the GPU", bytes));
}

void copy_to_device_now(void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  check(api().cuMemcpyHtoD(device_pointer(device), host, bytes),
        fmt::format("copying {} bytes to the GPU", bytes));
}

void copy_to_host_now(void* host, const void* device, std::size_t bytes) {
  if (bytes == 0) return;
  check(api().cuMemcpyDtoH(host, device_pointer(device), bytes),
        fmt::format("copying {} bytes from the GPU", bytes));
}

}  // namespace kernsweep::cuda
