#include "worker/slot/job/output.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <span>

#include "shared/base/content_hash.hpp"
#include "shared/base/try.hpp"
#include "shared/base/writable_memory.hpp"

namespace kernsweep {
namespace {

// The byte of which a poisoned element consists; only ones are a NaN of every float.
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

Result<std::vector<double>> dense_doubles(const ks_tensor& tensor, std::span<const ks_part> parts) {
  KS_ASSIGN_OR_RETURN(const auto elements, element_count(tensor));
  std::vector<double> out;
  try {
    out.reserve(elements);
  } catch (const std::exception&) {  // bad_alloc, or length_error
    return failure("there is no memory to compare an output of " + std::to_string(elements) +
                   " elements, as double of 8 bytes each");
  }
  if (!parts.empty()) {
    for_each_part_element(tensor, parts, [&](const ks_part& part, std::int64_t bits) {
      out.push_back(number_of(part, bits));
    });
    return out;
  }
  const Dtype dtype = dtype_of(tensor);
  for_each_row(tensor, [&](const std::byte* row, std::int64_t count, std::int64_t stride) {
    for (std::int64_t i = 0; i < count; ++i) out.push_back(element_as_double(dtype, row, i * stride));
  });
  return out;
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

// The bytes from the first to behind the last element; none: there is no element, or they do not fit.
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

namespace {

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

// Compares the elements of a stretch with its own scale.
class StretchCheck {
 public:
  StretchCheck(double whole, Comparison& out) : whole_(whole), out_(out) {}

  void begin(const Stretch& stretch) {
    stretch_ = stretch;
    unit_ = stretch.scale > 0 ? stretch.scale : whole_ > 0 ? whole_ : 1;
    const ks_tolerance& tolerance = stretch.tolerance;
    if (std::isnan(tolerance.relative) || std::isnan(tolerance.absolute)) out_.within = false;
  }
  void add(double error, std::size_t at) {
    out_.error = std::max(out_.error, error / unit_);
    if (!(error <= stretch_.allowed)) out_.within = false;  // also if the tolerance is NaN
    const double excess = error == 0             ? 0
                          : stretch_.allowed > 0 ? error / stretch_.allowed
                                                 : std::numeric_limits<double>::infinity();
    if (excess < excess_ || (excess == excess_ && error <= error_)) return;
    excess_ = excess;
    error_ = error;
    of_worst_ = error / unit_;
    if (out_.not_finite > 0) return;
    out_.worst = at;
    out_.scale = stretch_.scale;
    out_.tolerance = stretch_.tolerance;
  }
  double of_worst() const { return of_worst_; }

 private:
  const double whole_;
  Comparison& out_;
  Stretch stretch_;
  double unit_ = 1;
  double excess_ = 0, error_ = 0, of_worst_ = 0;  // of the worst so far
};

// `stretch_at` gives the stretch that begins at an element.
template <class StretchAt>
Comparison compare_stretches(const std::vector<double>& x, const std::vector<double>& r,
                             StretchAt stretch_at, bool are_alike) {
  KS_ASSERT(x.size() == r.size());
  Comparison out;
  out.within = true;
  if (x.empty()) return out;
  const double whole = largest_of(r);
  StretchCheck check(whole, out);
  std::uint64_t zeros = 0;
  // Divided by the scale, so that squares neither overflow nor underflow.
  const double unit = whole > 0 ? whole : 1;
  double difference_squares = 0;
  double reference_squares = 0;
  double largest_element = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == end) {
      const Stretch stretch = stretch_at(i);
      if (i == 0) out.scale = stretch.scale;
      if (i == 0 || (check.of_worst() == 0 && stretch.tolerance.relative > out.tolerance.relative))
        out.tolerance = stretch.tolerance;
      check.begin(stretch);
      end += std::max<std::size_t>(1, stretch.elements);
    }
    zeros += x[i] == 0;
    out.nan_count += std::isnan(x[i]);
    out.inf_count += std::isinf(x[i]);
    if (std::isfinite(r[i])) reference_squares += (r[i] / unit) * (r[i] / unit);
    const bool same = x[i] == r[i] || (std::isnan(x[i]) && std::isnan(r[i]));
    if (same) continue;
    if (!std::isfinite(x[i]) || !std::isfinite(r[i])) {
      if (out.not_finite++ == 0) out.worst = i;
      out.within = false;
      largest_element = std::numeric_limits<double>::infinity();
      continue;
    }
    const double error = std::abs(x[i] - r[i]);
    largest_element = std::max(largest_element, error / std::abs(r[i]));  // x and r differ, so never 0 / 0
    difference_squares += (error / unit) * (error / unit);
    check.add(error, i);
  }
  if (!are_alike) out.error = check.of_worst();
  if (std::isfinite(largest_element)) out.error_element = largest_element;
  out.error_norm = std::sqrt(difference_squares / (reference_squares > 0 ? reference_squares : 1));
  out.zero_share = static_cast<double>(zeros) / static_cast<double>(x.size());
  return out;
}

}  // namespace

Comparison compare(const std::vector<double>& x, const std::vector<double>& r,
                   const ks_tolerance& tolerance, std::size_t slice) {
  if (slice == 0) slice = x.size();
  const auto stretch_at = [&](std::size_t first) {
    const double scale = largest_of(std::span(r).subspan(first, std::min(slice, r.size() - first)));
    return Stretch{slice, scale, tolerance, tolerance.absolute + tolerance.relative * scale};
  };
  return compare_stretches(x, r, stretch_at, true);
}

Comparison compare(const std::vector<double>& x, const std::vector<double>& r,
                   std::span<const Stretch> stretches) {
  return compare_stretches(
      x, r, [at = stretches.begin()](std::size_t) mutable { return *at++; }, false);
}

std::string_view empty_of(const ks_tensor& tensor, std::span<const ks_part> parts) {
  const Dtype dtype = dtype_of(tensor);
  Comparison seen;
  std::size_t elements = 0, zeros = 0;
  bool is_empty = true;
  const auto see = [&](double x) {
    ++elements;
    zeros += x == 0;
    seen.nan_count += !std::isfinite(x);
    is_empty = zeros == elements || seen.nan_count == elements;
  };
  if (!parts.empty()) {
    for_each_part_element(tensor, parts, [&](const ks_part& part, std::int64_t bits) {
      if (is_empty) see(number_of(part, bits));
    });
  } else {
    for_each_row(tensor, [&](const std::byte* row, std::int64_t count, std::int64_t stride) {
      for (std::int64_t i = 0; i < count && is_empty; ++i) see(element_as_double(dtype, row, i * stride));
    });
  }
  if (elements > 0) seen.zero_share = static_cast<double>(zeros) / static_cast<double>(elements);
  return is_empty ? empty_of(seen, elements) : "";
}

std::string_view empty_of(const Comparison& comparison, std::size_t elements) {
  if (elements == 0) return "";
  if (comparison.zero_share == 1) return "the output is all zeros";
  return comparison.nan_count + comparison.inf_count == elements ? "the output is all NaN or infinite" : "";
}

std::string describe(const Comparison& comparison, const std::vector<double>& x,
                     const std::vector<double>& r) {
  const ks_tolerance& tolerance = comparison.tolerance;
  std::array<char, 256> text{};
  const std::size_t at = comparison.worst;
  if (comparison.not_finite > 0) {
    std::snprintf(text.data(), text.size(),
                  "%llu elements are NaN or infinite where the reference is not, or the other way round, "
                  "the first at %zu",
                  static_cast<unsigned long long>(comparison.not_finite), at);
  } else {
    const double got = at < x.size() ? x[at] : 0, right = at < r.size() ? r[at] : 0;
    const double apart = std::abs(got - right);
    // So many digits that the two differ.
    const int digits = apart > 1e-8 * std::abs(right) ? 9 : 17;
    std::array<char, 48> absolute{};
    if (tolerance.absolute > 0)
      std::snprintf(absolute.data(), absolute.size(), " and %.3g absolute", tolerance.absolute);
    std::snprintf(text.data(), text.size(),
                  "error %.3g of the largest reference value %.3g exceeds the tolerance %.3g%s, worst at "
                  "element %zu (got %.*g, reference %.*g)",
                  comparison.scale > 0 ? apart / comparison.scale : apart, comparison.scale,
                  tolerance.relative, absolute.data(), at, digits, got, digits, right);
  }
  return text.data();
}

}  // namespace kernsweep
