#include "worker/slot/verify/elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "shared/base/result.hpp"
#include "shared/text/number_text.hpp"
#include "worker/slot/verify/output.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kCompared = 512;  // elements that operator== reads at a time

bool has_no_gaps(const ks_tensor& tensor) {
  std::int64_t dense = 1;
  for (std::int32_t d = tensor.rank - 1; d >= 0; --d) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != dense) return false;
    dense *= tensor.shape[d];
  }
  return true;
}

template <class Stored, class AsDouble>
void convert_row(const std::byte* row, std::int64_t stride, std::size_t count, double* to,
                 AsDouble as_double) {
  const std::int64_t step = stride * static_cast<std::int64_t>(sizeof(Stored));
  for (std::size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, row + static_cast<std::int64_t>(i) * step, sizeof stored);
    to[i] = as_double(stored);
  }
}

// Without a stride that is known only at run time, so that a compiler can use vectors.
template <class Stored>
void convert_row(const std::byte* row, std::int64_t stride, std::size_t count, double* to) {
  const auto cast = [](Stored stored) { return static_cast<double>(stored); };
  if (stride == 1)
    convert_row<Stored>(row, 1, count, to, cast);
  else
    convert_row<Stored>(row, stride, count, to, cast);
}

void convert_row(Dtype dtype, const std::byte* row, std::int64_t stride, std::size_t count, double* to) {
  switch (dtype) {
    case Dtype::f64:
      return convert_row<double>(row, stride, count, to);
    case Dtype::f32:
      return convert_row<float>(row, stride, count, to);
    case Dtype::s32:
      return convert_row<std::int32_t>(row, stride, count, to);
    case Dtype::s64:
      return convert_row<std::int64_t>(row, stride, count, to);
    case Dtype::s8:
      return convert_row<std::int8_t>(row, stride, count, to);
    case Dtype::u8:
      return convert_row<std::uint8_t>(row, stride, count, to);
    case Dtype::bf16:
      return convert_row<std::uint16_t>(row, stride, count, to, [](std::uint16_t bits) {
        return static_cast<double>(float_of_bf16(bits));
      });
    case Dtype::f16:
      return convert_row<std::uint16_t>(row, stride, count, to, [](std::uint16_t bits) {
        return static_cast<double>(float_of_f16(bits));
      });
    case Dtype::f8e4m3:
    case Dtype::f8e5m2:
      for (std::size_t i = 0; i < count; ++i)
        to[i] = element_as_double(dtype, row, static_cast<std::int64_t>(i) * stride);
  }
}

double number_of_bits(const OutputPart& part, std::int64_t bits) {
  return number_of({0, static_cast<ks_dtype>(part.dtype), part.is_unsigned ? 1 : 0, 0}, bits);
}

template <class Number>
Elements owned(std::vector<Number> numbers, ks_dtype dtype, std::vector<OutputPart> parts) {
  const auto kept = std::make_shared<const std::vector<Number>>(std::move(numbers));
  return Elements({kept->data(), dtype, 1, {static_cast<std::int64_t>(kept->size())}, {1}},
                  std::move(parts), kept);
}

// Calls visit(address, stride, count) for the rows, or parts of rows, of elements `first` to `first +
// count`.
template <class Visit>
void for_each_stretch(const ks_tensor& tensor, std::size_t first, std::size_t count, Visit visit) {
  const auto last = static_cast<std::size_t>(tensor.rank - 1);
  const auto element = static_cast<std::int64_t>(size_of(static_cast<Dtype>(tensor.dtype)));
  const auto* const base = static_cast<const std::byte*>(tensor.data);
  while (count > 0) {
    const auto length = static_cast<std::size_t>(tensor.shape[last]);
    std::size_t row = first / length;
    const std::size_t begin = first % length;
    std::int64_t offset = static_cast<std::int64_t>(begin) * tensor.strides[last];
    for (std::size_t d = last; d-- > 0;) {
      const auto extent = static_cast<std::size_t>(tensor.shape[d]);
      offset += static_cast<std::int64_t>(row % extent) * tensor.strides[d];
      row /= extent;
    }
    const std::size_t here = std::min(count, length - begin);
    visit(base + offset * element, tensor.strides[last], here);
    first += here;
    count -= here;
  }
}

}  // namespace

std::vector<OutputPart> parts_from(std::span<const ks_part> parts) {
  std::vector<OutputPart> out;
  for (const ks_part& part : parts)
    out.push_back({static_cast<std::uint64_t>(part.elements), static_cast<Dtype>(part.dtype),
                   part.is_unsigned != 0, part.scale});
  return out;
}

Elements::Elements(std::vector<double> values) : Elements(owned(std::move(values), KS_F64, {})) {}
Elements::Elements(std::initializer_list<double> values) : Elements(std::vector<double>(values)) {}
Elements::Elements(std::vector<std::int64_t> bits, std::vector<OutputPart> parts)
    : Elements(owned(std::move(bits), KS_S64, std::move(parts))) {}

Elements::Elements(const ks_tensor& tensor, std::vector<OutputPart> parts,
                   std::shared_ptr<const void> keeper)
    : tensor_(tensor), parts_(std::move(parts)), keeper_(std::move(keeper)), size_(1) {
  for (std::int32_t d = 0; d < tensor.rank; ++d) size_ *= static_cast<std::size_t>(tensor.shape[d]);
  if (size_ == 0 || has_no_gaps(tensor)) {
    tensor_.rank = 1;
    tensor_.shape[0] = static_cast<std::int64_t>(size_);
    tensor_.strides[0] = 1;
  }
  std::size_t begin = 0;
  for (const OutputPart& part : parts_) {
    begins_.push_back(begin);
    begin += part.elements;
  }
  KS_ASSERT(parts_.empty() || (begin == size_ && dtype() == Dtype::s64));
}

std::size_t Elements::part_at(std::size_t at) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(begins_, at) - begins_.begin()) - 1;
}

void Elements::convert(std::size_t first, std::size_t count, double* to) const {
  if (parts_.empty()) {
    for_each_stretch(tensor_, first, count,
                     [&](const std::byte* row, std::int64_t stride, std::size_t here) {
                       convert_row(dtype(), row, stride, here, to);
                       to += here;
                     });
    return;
  }
  const auto* const bits = static_cast<const std::int64_t*>(tensor_.data);
  for (std::size_t part = part_at(first); count > 0; ++part) {
    const std::size_t here = std::min<std::size_t>(count, begins_[part] + parts_[part].elements - first);
    for (std::size_t i = 0; i < here; ++i) *to++ = number_of_bits(parts_[part], bits[first + i]);
    first += here;
    count -= here;
  }
}

const double* Elements::read(std::size_t first, std::size_t count, double* buffer) const {
  const bool is_there = dtype() == Dtype::f64 && tensor_.rank == 1 && tensor_.strides[0] == 1 &&
                        reinterpret_cast<std::uintptr_t>(tensor_.data) % alignof(double) == 0;
  if (is_there) return static_cast<const double*>(tensor_.data) + first;
  convert(first, count, buffer);
  return buffer;
}

double Elements::operator[](std::size_t at) const {
  double out = 0;
  convert(at, 1, &out);
  return out;
}

std::optional<std::int64_t> Elements::bits(std::size_t at) const {
  if (dtype() != Dtype::s64) return std::nullopt;
  std::int64_t out = 0;
  for_each_stretch(tensor_, at, 1, [&](const std::byte* element, std::int64_t, std::size_t) {
    std::memcpy(&out, element, sizeof out);
  });
  return out;
}

void Elements::store(std::byte* to) const {
  const std::size_t element = size_of(dtype());
  for_each_stretch(tensor_, 0, size_, [&](const std::byte* row, std::int64_t stride, std::size_t here) {
    const std::int64_t step = stride * static_cast<std::int64_t>(element);
    if (stride == 1) {
      std::memcpy(to, row, here * element);
    } else {
      for (std::size_t i = 0; i < here; ++i)
        std::memcpy(to + i * element, row + static_cast<std::int64_t>(i) * step, element);
    }
    to += here * element;
  });
}

Elements Elements::stored_at(const std::byte* place, std::shared_ptr<const void> keeper) const {
  return Elements({place, tensor_.dtype, 1, {static_cast<std::int64_t>(size_)}, {1}}, parts_,
                  std::move(keeper));
}

bool operator==(const Elements& a, const Elements& b) {
  if (a.size() != b.size()) return false;
  std::array<double, kCompared> of_a, of_b;
  for (std::size_t first = 0; first < a.size(); first += kCompared) {
    const std::size_t count = std::min(kCompared, a.size() - first);
    const double* const x = a.read(first, count, of_a.data());
    const double* const y = b.read(first, count, of_b.data());
    if (!std::equal(x, x + count, y)) return false;
    if (a.dtype() != Dtype::s64 || b.dtype() != Dtype::s64) continue;
    for (std::size_t i = 0; i < count; ++i)
      if (std::abs(x[i]) >= kWholeDoubleMax && a.bits(first + i) != b.bits(first + i)) return false;
  }
  return true;
}

}  // namespace kernsweep
