// Device memory that only the driver can touch, pinned memory, and copies.
#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"

namespace kernsweep::testing::fake_cuda {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 256;  // of device memory, as CUDA promises it
constexpr unsigned char kRubbish = 0xCD, kGuard = 0xA5;

int touching = 0;

void protect_all(int protection) {
  for (const auto& [address, allocation] : state().device)
    mprotect(allocation.mapping + kPage, allocation.mapping_bytes - 2 * kPage, protection);
}

// Checks the bytes between the end of the data and the guard page.
void require_untouched_guard(std::uintptr_t address, const Allocation& allocation) {
  const unsigned char* const end = allocation.mapping + allocation.mapping_bytes - kPage;
  const Touching here;
  for (const auto* byte = reinterpret_cast<const unsigned char*>(address) + allocation.bytes; byte < end;
       ++byte)
    if (*byte != kGuard)
      misuse(fmt::format("something wrote behind {} bytes of the device", allocation.bytes));
}

std::size_t allocated_bytes() {
  std::size_t sum = 0;
  for (const auto& [address, allocation] : state().device) sum += allocation.bytes;
  return sum;
}

void require_idle(const char* call) {
  for (const auto& [handle, queue] : state().streams)
    if (queue.done < queue.work.size()) misuse(fmt::format("{} while work waits in a stream", call));
}

void* at(CUdeviceptr address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

void count_copy(const void* host, std::size_t bytes) {
  ++state().counts.copies;
  if (is_pinned(host, bytes)) ++state().counts.pinned;
}

}  // namespace

Touching::Touching() {
  if (touching++ == 0) protect_all(PROT_READ | PROT_WRITE);
}

Touching::~Touching() {
  if (--touching == 0) protect_all(PROT_NONE);
}

void require_device_range(CUdeviceptr address, std::size_t bytes, const char* call) {
  auto above = state().device.upper_bound(address);
  if (above != state().device.begin()) {
    const auto& [begin, allocation] = *--above;
    if (address - begin <= allocation.bytes && bytes <= allocation.bytes - (address - begin)) return;
  }
  misuse(fmt::format("{}: {} bytes that are not in one allocation of the device", call, bytes));
}

bool is_pinned(const void* memory, std::size_t bytes) {
  const std::uintptr_t address = number_of(memory);
  for (const auto* pinned : {&state().host, &state().registered}) {
    auto above = pinned->upper_bound(address);
    if (above == pinned->begin()) continue;
    const auto& [begin, size] = *--above;
    if (address + bytes <= begin + size) return true;
  }
  return false;
}

void forget_memory() {
  for (const auto* pieces : {&state().device, &state().freed})
    for (const auto& [address, allocation] : *pieces) munmap(allocation.mapping, allocation.mapping_bytes);
  for (const auto& [address, size] : state().host) std::free(reinterpret_cast<void*>(address));
}

}  // namespace kernsweep::testing::fake_cuda

using namespace kernsweep::testing::fake_cuda;

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t all = allocated_bytes();
  if (bytes > state().simulation.memory_bytes || all > state().simulation.memory_bytes - bytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  for (auto& [address, allocation] : state().freed) {
    if (allocation.bytes != bytes) continue;
    *pointer = address;
    state().device.insert(state().freed.extract(address));
    return CUDA_SUCCESS;
  }
  const std::size_t aligned = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t pages = (aligned + kPage - 1) / kPage * kPage;
  Allocation made{.mapping_bytes = pages + 2 * kPage, .bytes = bytes};
  void* const mapping =
      mmap(nullptr, made.mapping_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  made.mapping = static_cast<unsigned char*>(mapping);
  unsigned char* const begin = made.mapping + kPage + pages - aligned;
  mprotect(made.mapping + kPage, pages, PROT_READ | PROT_WRITE);
  std::memset(begin, kRubbish, bytes);
  std::memset(begin + bytes, kGuard, aligned - bytes);
  mprotect(made.mapping + kPage, pages, PROT_NONE);
  state().device.emplace(number_of(begin), made);
  *pointer = number_of(begin);
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr pointer) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  require_idle("cuMemFree");
  const auto found = state().device.find(pointer);
  if (found == state().device.end()) misuse("cuMemFree of what is no allocation");
  require_untouched_guard(found->first, found->second);
  if (state().simulation.keeps_content) {
    state().freed.insert(state().device.extract(found));
    return CUDA_SUCCESS;
  }
  munmap(found->second.mapping, found->second.mapping_bytes);
  state().device.erase(found);
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  *total = state().simulation.memory_bytes;
  *free = *total - allocated_bytes();
  return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  if ((flags & CU_MEMHOSTALLOC_DEVICEMAP) == 0) misuse("pinned memory that is not mapped for the GPU");
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  *memory = std::malloc(bytes);
  state().host.emplace(number_of(*memory), bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  if (!is_pinned(memory, 1)) misuse("cuMemHostGetDevicePointer of what is no pinned memory");
  *address = number_of(memory);
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* memory) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  require_idle("cuMemFreeHost");
  if (state().host.erase(number_of(memory)) == 0) misuse("cuMemFreeHost of what is no pinned memory");
  std::free(memory);
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void* memory, std::size_t bytes, unsigned) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  if (!state().registered.emplace(number_of(memory), bytes).second) misuse("memory pinned twice");
  return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void* memory) {
  if (const CUresult answer = standing(); answer != CUDA_SUCCESS) return answer;
  require_idle("cuMemHostUnregister");
  if (state().registered.erase(number_of(memory)) == 0) misuse("cuMemHostUnregister of what is not pinned");
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  require_device_range(to, bytes, "cuMemcpyHtoDAsync");
  count_copy(from, bytes);
  return submit(stream, [=] { std::memcpy(at(to), from, bytes); });
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  require_device_range(from, bytes, "cuMemcpyDtoHAsync");
  count_copy(to, bytes);
  return submit(stream, [=] { std::memcpy(to, at(from), bytes); });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  require_device_range(to, bytes, "cuMemcpyDtoDAsync");
  require_device_range(from, bytes, "cuMemcpyDtoDAsync");
  return submit(stream, [=] { std::memcpy(at(to), at(from), bytes); });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  require_device_range(to, bytes, "cuMemsetD8Async");
  return submit(stream, [=] { std::memset(at(to), value, bytes); });
}

// From pageable memory the driver may return when it has a copy of its own: what it does then waits in the
// legacy stream.
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  require_device_range(to, bytes, "cuMemcpyHtoD");
  count_copy(from, bytes);
  const auto* first = static_cast<const unsigned char*>(from);
  const auto copy = std::make_shared<std::vector<unsigned char>>(first, first + bytes);
  const CUresult answer = submit(nullptr, [=] { std::memcpy(at(to), copy->data(), bytes); });
  if (answer == CUDA_SUCCESS && is_pinned(from, bytes)) run_all(0);
  return answer;
}

CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  const CUresult answer = cuMemcpyDtoHAsync(to, from, bytes, nullptr);
  if (answer == CUDA_SUCCESS) run_all(0);
  return state().lost != CUDA_SUCCESS ? state().lost : answer;
}
