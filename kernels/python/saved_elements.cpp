#include "kernels/python/saved_elements.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "shared/base/dtype.hpp"

namespace kernsweep::python {
namespace {

// A hash of an element's number: the same in each run (the finaliser of SplitMix64, Steele and others
// 2014).
std::uint64_t mixed(std::uint64_t number) {
  number = (number + 1) * 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
  return number ^ (number >> 31);
}

// Another number of the range, or an adjacent one if all are equal.
template <class Type>
struct WholeKind {
  using Stored = Type;
  static constexpr bool kHasRange = true;
  // Computed modulo 2^64, also for negative numbers.
  static std::uint64_t number(Stored whole) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  }
  static Stored changed(Stored value, std::uint64_t at, std::uint64_t low, std::uint64_t range) {
    if (range == 0) return static_cast<Stored>(low ^ 1);
    const std::uint64_t above = number(value) - low;
    // (above + 1 + x) modulo (range + 1), x below range: never `above`. This form does not overflow.
    const std::uint64_t step = 1 + mixed(at) % range;
    const std::uint64_t room = range - above;
    return static_cast<Stored>(low + (step <= room ? above + step : step - room - 1));
  }
};

// Flips bits of the fraction, at least the one after its first, and half of the signs.
template <class Bits, int kFraction>
struct FloatKind {
  using Stored = Bits;
  static constexpr bool kHasRange = false;
  static Stored changed(Stored value, std::uint64_t at, std::uint64_t, std::uint64_t) {
    constexpr auto kSign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
    constexpr auto kMost = static_cast<Bits>((Bits{1} << kFraction) - 1);
    constexpr auto kAlways = static_cast<Bits>(Bits{1} << (kFraction - 2));
    const auto flips = static_cast<Bits>(mixed(at));
    return static_cast<Bits>(value ^ ((flips & (kMost | kSign)) | kAlways));
  }
};

template <class Use>
void use_kind(ks_dtype dtype, Whole whole, Use use) {
  switch (whole) {
    case Whole::s16:
      return use(WholeKind<std::int16_t>());
    case Whole::u16:
      return use(WholeKind<std::uint16_t>());
    case Whole::u32:
      return use(WholeKind<std::uint32_t>());
    case Whole::u64:
      return use(WholeKind<std::uint64_t>());
    case Whole::as_dtype:
      break;
  }
  switch (dtype) {
    case KS_F64:
      return use(FloatKind<std::uint64_t, 52>());
    case KS_F32:
      return use(FloatKind<std::uint32_t, 23>());
    case KS_F16:
      return use(FloatKind<std::uint16_t, 10>());
    case KS_BF16:
      return use(FloatKind<std::uint16_t, 7>());
    case KS_F8E4M3:
      return use(FloatKind<std::uint8_t, 3>());
    case KS_F8E5M2:
      return use(FloatKind<std::uint8_t, 2>());
    case KS_S8:
      return use(WholeKind<std::int8_t>());
    case KS_U8:
      return use(WholeKind<std::uint8_t>());
    case KS_S32:
      return use(WholeKind<std::int32_t>());
    case KS_S64:
      return use(WholeKind<std::int64_t>());
  }
}

template <class Stored>
Stored stored_at(const char* element) {
  Stored value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

template <class Stored>
void store_at(const char* element, Stored value) {
  std::memcpy(const_cast<char*>(element), &value, sizeof value);
}

// Uses huge pages if there are any: a fault for each small page costs more than the write.
std::shared_ptr<char> memory_of(std::size_t bytes) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  const std::size_t alignment = bytes < kLargePage ? alignof(std::max_align_t) : kLargePage;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  std::shared_ptr<char> made(static_cast<char*>(std::aligned_alloc(alignment, whole)), std::free);
  if (!made) throw std::bad_alloc();
  if (alignment == kLargePage) madvise(made.get(), whole, MADV_HUGEPAGE);
  return made;
}

bool is_dense(const ks_tensor& tensor) {
  std::int64_t count = 1;
  for (std::int32_t d = tensor.rank - 1; d >= 0; --d) {
    if (tensor.strides[d] != count) return false;
    count *= tensor.shape[d];
  }
  return true;
}

}  // namespace

// Sorted by strides, each dimension must step over everything that the previous ones reach.
bool are_distinct(const ks_tensor& tensor) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dimensions;  // stride, extent
  for (std::int32_t d = 0; d < tensor.rank; ++d)
    if (tensor.shape[d] > 1) dimensions.emplace_back(std::abs(tensor.strides[d]), tensor.shape[d]);
  std::ranges::sort(dimensions);
  std::int64_t reach = 0;
  for (const auto& [stride, extent] : dimensions) {
    if (stride <= reach) return false;
    reach += stride * (extent - 1);
  }
  return true;
}

template <class Kind>
void SavedElements::take(const ks_tensor& tensor) {
  using Stored = typename Kind::Stored;
  if constexpr (Kind::kHasRange) {
    Stored least = std::numeric_limits<Stored>::max(), most = std::numeric_limits<Stored>::min();
    for_each_element(tensor, sizeof(Stored), [&](std::size_t, const char* element) {
      const auto value = stored_at<Stored>(element);
      least = std::min(least, value);
      most = std::max(most, value);
    });
    low_ = Kind::number(least);
    range_ = Kind::number(most) - low_;
  }
  const bool distinct = are_distinct(tensor), is_saved = saved_ != nullptr;
  if (!is_saved) saved_ = memory_of(size_ * sizeof(Stored));
  for_each_element(tensor, sizeof(Stored), [&](std::size_t at, const char* element) {
    const auto value = stored_at<Stored>(element);
    if (!is_saved) store_at(saved_.get() + at * sizeof(Stored), value);
    if (distinct) store_at(element, Kind::changed(value, first_ + at, low_, range_));
  });
  if (distinct) return;
  for_each_element(tensor, sizeof(Stored), [&](std::size_t at, const char* element) {
    const auto value = stored_at<Stored>(saved_.get() + at * sizeof(Stored));
    store_at(element, Kind::changed(value, first_ + at, low_, range_));
  });
  overwritten_.resize(size_ * sizeof(Stored));
  for_each_element(tensor, sizeof(Stored), [&](std::size_t at, const char* element) {
    store_at(overwritten_.data() + at * sizeof(Stored), stored_at<Stored>(element));
  });
}

SavedElements::SavedElements(const ks_tensor& tensor, Whole whole, std::uint64_t first,
                             const SavedElements* earlier)
    : dtype_(tensor.dtype), whole_(whole), first_(first), size_(1) {
  for (std::int32_t d = 0; d < tensor.rank; ++d) size_ *= static_cast<std::size_t>(tensor.shape[d]);
  if (size_ == 0) return;
  if (earlier && earlier->has_saved(tensor, whole)) saved_ = earlier->saved_;
  use_kind(dtype_, whole_, [&](auto kind) { take<decltype(kind)>(tensor); });
}

// By their bytes.
bool SavedElements::has_saved(const ks_tensor& tensor, Whole whole) const {
  std::size_t size = 1;
  for (std::int32_t d = 0; d < tensor.rank; ++d) size *= static_cast<std::size_t>(tensor.shape[d]);
  return size == size_ && tensor.dtype == dtype_ && whole == whole_ && is_dense(tensor) &&
         std::memcmp(tensor.data, saved_.get(), size * size_of(static_cast<Dtype>(dtype_))) == 0;
}

SavedElements::Seen SavedElements::seen_in(const ks_tensor& now) const {
  Seen seen;
  use_kind(dtype_, whole_, [&](auto kind) {
    using Kind = decltype(kind);
    using Stored = typename Kind::Stored;
    for_each_element(now, sizeof(Stored), [&](std::size_t at, const char* element) {
      const auto value = stored_at<Stored>(element);
      const auto saved = stored_at<Stored>(saved_.get() + at * sizeof(Stored));
      const auto overwritten = overwritten_.empty()
                                   ? Kind::changed(saved, first_ + at, low_, range_)
                                   : stored_at<Stored>(overwritten_.data() + at * sizeof(Stored));
      seen.overwritten += value == overwritten;
      seen.saved += value == saved;
    });
  });
  return seen;
}

void SavedElements::write_back(const ks_tensor& now) const {
  use_kind(dtype_, whole_, [&](auto kind) {
    using Stored = typename decltype(kind)::Stored;
    for_each_element(now, sizeof(Stored), [&](std::size_t at, const char* element) {
      store_at(element, stored_at<Stored>(saved_.get() + at * sizeof(Stored)));
    });
  });
}

}  // namespace kernsweep::python
