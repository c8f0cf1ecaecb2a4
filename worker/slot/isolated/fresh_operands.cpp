#include "worker/slot/isolated/fresh_operands.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "shared/base/digest.hpp"
#include "shared/base/try.hpp"
#include "tensors/generator.hpp"

namespace kernsweep {
namespace {

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::uint64_t seed_of(const std::string& text) {
  const Digest digest = digest_of(text);
  std::uint64_t number = 0;
  std::memcpy(&number, digest.bytes.data(), sizeof number);
  return number;
}

}  // namespace

std::uint64_t seed_in_call(std::uint64_t secret, std::uint64_t call) {
  return seed_of(std::to_string(secret) + "/" + std::to_string(call)) >> 1;  // positive in Python and C
}

TensorSpec spec_in_call(const Operand& operand, std::uint64_t secret, std::uint64_t call) {
  TensorSpec spec = operand.spec;
  const std::string when = operand.is_constant ? "constant" : std::to_string(call);
  spec.seed = seed_of(std::to_string(secret) + "/" + when + "/" + operand.input.name);
  return spec;
}

FreshOperands::Shared::Shared(Shared&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(other.bytes_) {}

FreshOperands::Shared::~Shared() {
  if (data_) munmap(data_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

Result<FreshOperands::Shared> FreshOperands::share(std::uint64_t bytes, bool others_write) {
  const auto failed = [&](const char* what) {
    return failure("shared memory of " + std::to_string(bytes) + " bytes for an operand: " + what + ": " +
                   std::strerror(errno) + "; free memory on this host or choose a smaller problem");
  };
  const int descriptor = memfd_create("kernsweep-operand", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return failed("no descriptor");
  Shared shared(descriptor, nullptr, 0);
  if (bytes == 0) return shared;
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0 ||
      fallocate(descriptor, 0, 0, static_cast<off_t>(bytes)) != 0)
    return failed("no room");
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (data == MAP_FAILED) return failed("cannot be mapped");
  Shared out(dup(descriptor), static_cast<std::byte*>(data), bytes);
  // From now on no other writable mapping can be made, and the size cannot change.
  const int seals = others_write ? kSeals : kSeals | F_SEAL_FUTURE_WRITE;
  if (out.descriptor() < 0 || fcntl(descriptor, F_ADD_SEALS, seals) != 0) return failed("cannot be sealed");
  return out;
}

Result<FreshOperands> FreshOperands::make(const std::vector<Operand>& operands) {
  FreshOperands out;
  out.operands_ = &operands;
  for (const Operand& operand : operands) {
    KS_RETURN_IF_ERROR(operand.spec.valid());
    KS_ASSIGN_OR_RETURN(auto shared, share(operand.spec.bytes(), operand.is_in_place));
    out.all_.push_back(std::move(shared));
  }
  return out;
}

Status FreshOperands::fill(std::uint64_t secret, std::uint64_t call, Which which, std::uint32_t threads) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Operand& operand = (*operands_)[i];
    if (which == Which::only_read && (operand.is_constant || operand.is_in_place)) continue;
    if (which == Which::in_place && !operand.is_in_place) continue;
    KS_RETURN_IF_ERROR(
        generate(spec_in_call(operand, secret, call), all_[i].memory(), static_cast<int>(threads)));
  }
  return Done{};
}

bool FreshOperands::any_constant_is_zero() const {
  constexpr std::size_t kByChance = 256;  // with more bytes all are 0 only if the sweep requests it
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const auto bytes = all_[i].memory();
    if ((*operands_)[i].is_constant && !bytes.empty() && bytes.size() <= kByChance &&
        std::ranges::all_of(bytes, [](std::byte each) { return each == std::byte{0}; }))
      return true;
  }
  return false;
}

std::vector<int> FreshOperands::descriptors() const {
  std::vector<int> out;
  for (const Shared& each : all_) out.push_back(each.descriptor());
  return out;
}

std::uint64_t FreshOperands::bytes() const {
  std::uint64_t sum = 0;
  for (const Shared& each : all_) sum += each.memory().size();
  return sum;
}

Result<std::vector<SealedBuffer>> sealed_operands(const std::vector<Operand>& operands,
                                                  std::uint64_t secret, std::uint64_t call,
                                                  std::uint32_t threads) {
  std::vector<SealedBuffer> out;
  for (const Operand& operand : operands) {
    KS_ASSIGN_OR_RETURN(auto buffer, SealedBuffer::create(operand.spec.bytes()));
    KS_RETURN_IF_ERROR(
        generate(spec_in_call(operand, secret, call), buffer.writable(), static_cast<int>(threads)));
    KS_RETURN_IF_ERROR(buffer.seal());
    out.push_back(std::move(buffer));
  }
  return out;
}

}  // namespace kernsweep
