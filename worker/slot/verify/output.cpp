#include "worker/slot/verify/output.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "shared/base/content_hash.hpp"
#include "shared/base/try.hpp"
#include "shared/base/writable_memory.hpp"

namespace kernsweep {
namespace {

// Each byte of a poisoned element; bits that are all 1 are a NaN of every float.
int poison_of(Dtype dtype) {
  return is_float(dtype) ? 0xFF : 0xA7;
}

}  // namespace

Result<std::size_t> element_count(const ks_tensor& tensor) {
  if (tensor.rank < 0 || tensor.rank > KS_RANK_MAX)
    return failure("the output has rank " + std::to_string(tensor.rank));
  if (!dtype_numbered(tensor.dtype)) return failure("the output has an unknown dtype");
  std::size_t count = 1;
  for (std::int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.shape[d] < 0) return failure("the output has a negative extent");
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(tensor.shape[d]), &count)) {
      return failure("the output has more elements than memory can hold");
    }
  }
  if (count > 0 && tensor.data == nullptr) return failure("the output has elements but no data");
  return count;
}

bool are_parts_of(const ks_tensor& tensor, std::span<const ks_part> parts) {
  if (tensor.dtype != KS_S64) return false;
  std::uint64_t count = 0, dense = 1;
  for (const ks_part& part : parts) {
    if (part.elements < 0 || !dtype_numbered(part.dtype) ||
        __builtin_add_overflow(count, static_cast<std::uint64_t>(part.elements), &count))
      return false;
  }
  bool is_dense = true;
  for (std::int32_t d = tensor.rank - 1; d >= 0; --d) {
    is_dense = is_dense && static_cast<std::uint64_t>(tensor.strides[d]) == dense;
    dense *= static_cast<std::uint64_t>(tensor.shape[d]);
  }
  return is_dense && count == dense;
}

double number_of(const ks_part& part, std::int64_t bits) {
  if (is_float(static_cast<Dtype>(part.dtype))) return std::bit_cast<double>(bits);
  return part.is_unsigned != 0 ? static_cast<double>(static_cast<std::uint64_t>(bits))
                               : static_cast<double>(bits);
}

Digest output_hash(const ks_tensor& tensor) {
  ContentHasher hasher;
  const std::int32_t head[2] = {static_cast<std::int32_t>(tensor.dtype), tensor.rank};
  hasher.add(head, sizeof head);
  hasher.add(tensor.shape, sizeof(std::int64_t) * static_cast<std::size_t>(tensor.rank));
  const std::size_t element = size_of(dtype_of(tensor));
  for_each_row(tensor, [&](const std::byte* row, std::int64_t count, std::int64_t stride) {
    if (stride == 1) {
      hasher.add(row, static_cast<std::size_t>(count) * element);
      return;
    }
    const std::int64_t step = stride * static_cast<std::int64_t>(element);
    for (std::int64_t i = 0; i < count; ++i) hasher.add(row + i * step, element);
  });
  return hasher.digest();
}

namespace {

// The bytes from the first to the last element; none: there is no element, or they do not fit.
std::span<const std::byte> extent_of(const ks_tensor& tensor) {
  std::int64_t first = 0, last = 0;  // in elements
  for (std::int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.shape[d] == 0) return {};
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(tensor.shape[d] - 1, tensor.strides[d], &reach) ||
        __builtin_add_overflow(reach < 0 ? first : last, reach, reach < 0 ? &first : &last))
      return {};
  }
  const auto element = static_cast<std::int64_t>(size_of(dtype_of(tensor)));
  std::int64_t from = 0, count = 0, bytes = 0;
  if (__builtin_mul_overflow(first, element, &from) || __builtin_sub_overflow(last, first, &count) ||
      __builtin_add_overflow(count, 1, &count) || __builtin_mul_overflow(count, element, &bytes))
    return {};
  return {static_cast<const std::byte*>(tensor.data) + from, static_cast<std::size_t>(bytes)};
}

}  // namespace

bool lies_in(const GuardedMemory& memory, const ks_tensor& tensor) {
  const auto bytes = extent_of(tensor);
  return !bytes.empty() && memory.holds(bytes.data(), bytes.size());
}

bool lies_in_writable_memory(const ks_tensor& tensor) {
  const auto bytes = extent_of(tensor);
  return !bytes.empty() && is_writable(bytes.data(), bytes.size());
}

void poison(const ks_tensor& tensor) {
  const std::size_t element = size_of(dtype_of(tensor));
  const int pattern = poison_of(dtype_of(tensor));
  for_each_row(tensor, [&](const std::byte* row, std::int64_t count, std::int64_t stride) {
    auto* const at = const_cast<std::byte*>(row);
    if (stride == 1) {
      std::memset(at, pattern, static_cast<std::size_t>(count) * element);
      return;
    }
    const std::int64_t step = stride * static_cast<std::int64_t>(element);
    for (std::int64_t i = 0; i < count; ++i) std::memset(at + i * step, pattern, element);
  });
}

std::uint64_t poisoned_elements(const ks_tensor& tensor) {
  const std::size_t element = size_of(dtype_of(tensor));
  std::array<std::byte, 16> pattern{};
  pattern.fill(static_cast<std::byte>(poison_of(dtype_of(tensor))));
  std::uint64_t found = 0;
  for_each_row(tensor, [&](const std::byte* row, std::int64_t count, std::int64_t stride) {
    const std::int64_t step = stride * static_cast<std::int64_t>(element);
    for (std::int64_t i = 0; i < count; ++i)
      found += std::memcmp(row + i * step, pattern.data(), element) == 0;
  });
  return found;
}

bool was_left(const ks_tensor& tensor) {
  const std::uint64_t left = poisoned_elements(tensor);
  return is_float(dtype_of(tensor)) ? left > 0 : left > 0 && left >= *element_count(tensor) / 16;
}

std::size_t elements_of_scale(std::span<const std::int64_t> shape, std::int32_t scale_dims) {
  const auto dims = static_cast<std::size_t>(std::max(0, scale_dims));
  const std::size_t skipped = dims == 0 || dims > shape.size() ? 0 : shape.size() - dims;
  std::size_t count = 1;
  for (const std::int64_t extent : shape.subspan(skipped)) count *= static_cast<std::size_t>(extent);
  return count;
}

}  // namespace kernsweep
