// SealedBuffer on Linux. The only file of the room that calls memfd_create and fcntl's seals.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "shared/base/try.hpp"
#include "tensors/available_memory.hpp"
#include "tensors/numa.hpp"
#include "tensors/sealed_buffer.hpp"

namespace kernsweep {
namespace {

constexpr unsigned kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
// The largest file offset; a 64-bit size above it would turn negative in off_t.
constexpr std::uint64_t kBytesMax = (std::uint64_t{1} << 63) - 4096;

Error system_error(std::string what, int number) {
  std::string advice;
  if (number == ENOSPC || number == ENOMEM)
    advice = "; free memory on this host or lower the tensor budget";
  if (number == EMFILE || number == ENFILE) advice = "; raise the limit of open files (ulimit -n)";
  return {fmt::format("{}: {}{}", what, std::strerror(number), advice)};
}

// Not posix_fallocate, which writes page by page if fallocate is not supported; a memfd always supports it.
// A signal interrupts fallocate: it is then repeated.
int allocate_all(int descriptor, std::uint64_t bytes) {
  while (fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

Result<SealedBuffer> SealedBuffer::create(std::uint64_t bytes, std::optional<int> node) {
  const std::string what = fmt::format("shared memory of {} bytes", bytes);
  if (bytes > kBytesMax)
    return failure(what + ": more than any system can address; make the tensor smaller");
  if (const std::uint64_t available = available_memory(); bytes > available)
    return failure(
        fmt::format("{}: only {} are available; free memory on this host or choose a smaller problem", what,
                    available));
  const int descriptor = memfd_create("kernsweep-tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return tl::unexpected(system_error(what, errno));
  SealedBuffer buffer(descriptor, bytes);
  if (bytes == 0) return buffer;
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0)
    return tl::unexpected(system_error(what, errno));
  KS_RETURN_IF_ERROR(buffer.map_writable());
  // The policy must be set before the first page exists: fallocate follows it, and pages do not move
  // afterwards.
  if (node) KS_RETURN_IF_ERROR(bind_to_node(buffer.writable_, bytes, *node));
  if (const int failed = allocate_all(descriptor, bytes); failed != 0)
    return tl::unexpected(system_error(what, failed));
  // The pages exist. Entering them into the page table at once costs less than a fault for each. A kernel
  // that cannot do it (before Linux 5.14) enters them when they are touched.
  madvise(buffer.writable_, bytes, MADV_POPULATE_WRITE);
  return buffer;
}

Result<SealedBuffer> SealedBuffer::adopt(const std::string& path, std::uint64_t bytes,
                                         std::uint64_t inode) {
  // O_NONBLOCK: opening a FIFO must not wait.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return tl::unexpected(system_error(path, errno));
  SealedBuffer buffer(descriptor, bytes);
  KS_RETURN_IF_ERROR(check_sealed(descriptor, path, bytes, inode));
  return buffer;
}

Status SealedBuffer::map_writable() {
  void* const view = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (view == MAP_FAILED)
    return tl::unexpected(system_error(fmt::format("mapping {} bytes", bytes_), errno));
  writable_ = static_cast<std::byte*>(view);
  return Done{};
}

void SealedBuffer::unmap() {
  if (writable_ != nullptr) munmap(writable_, bytes_);
  writable_ = nullptr;
}

Status SealedBuffer::seal() {
  unmap();  // the kernel refuses to seal a file that is mapped for writing
  if (fcntl(descriptor_, F_ADD_SEALS, kSeals) != 0)
    return tl::unexpected(system_error("sealing a tensor", errno));
  return Done{};
}

std::uint64_t SealedBuffer::inode() const {
  struct stat status {};
  return fstat(descriptor_, &status) == 0 ? status.st_ino : 0;
}

std::string SealedBuffer::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_);
}

SealedBuffer::SealedBuffer(SealedBuffer&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(std::exchange(other.bytes_, 0)),
      writable_(std::exchange(other.writable_, nullptr)) {}

SealedBuffer& SealedBuffer::operator=(SealedBuffer&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  std::swap(writable_, other.writable_);
  return *this;
}

SealedBuffer::~SealedBuffer() {
  unmap();
  if (descriptor_ >= 0) close(descriptor_);
}

Status check_sealed(int descriptor, const std::string& path, std::uint64_t bytes, std::uint64_t inode) {
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0) return failure(path + ": is not shared memory made for this (it cannot be sealed)");
  if ((static_cast<unsigned>(seals) & kSeals) != kSeals)
    return failure(path + ": is not sealed, so its content could change; seal it before it is shared");
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return tl::unexpected(system_error(path, errno));
  if (static_cast<std::uint64_t>(status.st_size) != bytes)
    return failure(fmt::format("{}: holds {} bytes, expected {}", path, status.st_size, bytes));
  if (inode != 0 && status.st_ino != inode) return failure(path + ": holds another tensor by now");
  return Done{};
}

}  // namespace kernsweep
