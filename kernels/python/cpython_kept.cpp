#include "kernels/python/cpython_kept.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/python/cpython_output.hpp"
#include "shared/base/dtype.hpp"
#include "shared/base/writable_memory.hpp"

namespace kernsweep::python {
namespace {

std::size_t element_bytes(const ks_tensor& tensor) {
  return size_of(static_cast<Dtype>(tensor.dtype));
}

// 0 where nobody knows.
std::uint64_t elements_of(const ks_tensor& tensor) {
  std::uint64_t count = tensor.data ? 1 : 0;
  for (std::int32_t d = 0; d < tensor.rank; ++d) count *= static_cast<std::uint64_t>(tensor.shape[d]);
  return count;
}

std::vector<char> gathered(const ks_tensor& tensor) {
  const std::size_t bytes = element_bytes(tensor);
  std::vector<char> out;
  for_each_element(tensor, bytes, [&](std::size_t, const char* element) {
    out.insert(out.end(), element, element + bytes);
  });
  return out;
}

void scatter(const ks_tensor& tensor, const std::vector<char>& elements) {
  const std::size_t bytes = element_bytes(tensor);
  for_each_element(tensor, bytes, [&](std::size_t number, const char* element) {
    std::memcpy(const_cast<char*>(element), elements.data() + number * bytes, bytes);
  });
}

// Of an element's number: the same in each run (the finaliser of SplitMix64, Steele and others 2014).
std::uint64_t mixed(std::uint64_t number) {
  number = (number + 1) * 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
  return number ^ (number >> 31);
}

// Whole numbers: another one of the range, or the neighbour if all are the same.
template <class Whole>
void change_whole(std::vector<char>& elements, std::uint64_t first) {
  const std::size_t count = elements.size() / sizeof(Whole);
  std::vector<Whole> values(count);
  std::memcpy(values.data(), elements.data(), elements.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  // Modulo 2^64, also of negative ones.
  const auto number = [](Whole whole) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  };
  const std::uint64_t low = number(*least), range = number(*most) - low;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t above = number(values[i]) - low;
    // (above + 1 + x) modulo (range + 1), x below range: never `above`. Written so that nothing overflows.
    const std::uint64_t step = range == 0 ? 0 : 1 + mixed(first + i) % range;
    const std::uint64_t room = range - above;
    const std::uint64_t other = step <= room ? above + step : step - room - 1;
    values[i] = static_cast<Whole>(range == 0 ? low ^ 1 : low + other);
  }
  std::memcpy(elements.data(), values.data(), elements.size());
}

// Floats: bits of the fraction are flipped, at least the one below its first, and half of the signs.
template <class Bits>
void change_float(std::vector<char>& elements, int fraction_bits, std::uint64_t first) {
  const Bits sign = static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
  const Bits fraction = static_cast<Bits>((Bits{1} << fraction_bits) - 1);
  const Bits always = static_cast<Bits>(Bits{1} << (fraction_bits - 2));
  for (std::size_t at = 0; at < elements.size(); at += sizeof(Bits)) {
    const auto flips = static_cast<Bits>(mixed(first + at / sizeof(Bits)));
    Bits bits;
    std::memcpy(&bits, elements.data() + at, sizeof bits);
    bits = static_cast<Bits>(bits ^ ((flips & (fraction | sign)) | always));
    std::memcpy(elements.data() + at, &bits, sizeof bits);
  }
}

// `first` differs from one time to the next: what a call that computes in place has made of the elements
// before must change, too.
void change(ks_dtype dtype, Whole whole, std::vector<char>& elements, std::uint64_t first) {
  switch (whole) {
    case Whole::s16:
      return change_whole<std::int16_t>(elements, first);
    case Whole::u16:
      return change_whole<std::uint16_t>(elements, first);
    case Whole::u32:
      return change_whole<std::uint32_t>(elements, first);
    case Whole::u64:
      return change_whole<std::uint64_t>(elements, first);
    case Whole::as_dtype:
      break;
  }
  switch (dtype) {
    case KS_F64:
      return change_float<std::uint64_t>(elements, 52, first);
    case KS_F32:
      return change_float<std::uint32_t>(elements, 23, first);
    case KS_F16:
      return change_float<std::uint16_t>(elements, 10, first);
    case KS_BF16:
      return change_float<std::uint16_t>(elements, 7, first);
    case KS_F8E4M3:
      return change_float<std::uint8_t>(elements, 3, first);
    case KS_F8E5M2:
      return change_float<std::uint8_t>(elements, 2, first);
    case KS_S8:
      return change_whole<std::int8_t>(elements, first);
    case KS_U8:
      return change_whole<std::uint8_t>(elements, first);
    case KS_S32:
      return change_whole<std::int32_t>(elements, first);
    case KS_S64:
      return change_whole<std::int64_t>(elements, first);
  }
}

struct Range {
  std::intptr_t first = 0, behind = 0;  // addresses
  bool overlaps(const Range& other) const { return first < other.behind && other.first < behind; }
};

Range range_of(const ks_tensor& tensor) {
  const auto bytes = static_cast<std::int64_t>(element_bytes(tensor));
  Range out{reinterpret_cast<std::intptr_t>(tensor.data), 0};
  out.behind = out.first + bytes;
  for (std::int32_t d = 0; d < tensor.rank; ++d) {
    if (tensor.shape[d] == 0) return {};
    const std::int64_t reach = (tensor.shape[d] - 1) * tensor.strides[d] * bytes;
    (reach < 0 ? out.first : out.behind) += reach;
  }
  return out;
}

bool is_at_same_place(const ks_tensor& a, const ks_tensor& b) {
  return a.data == b.data && a.dtype == b.dtype && a.rank == b.rank &&
         std::equal(a.shape, a.shape + a.rank, b.shape) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

// What is worse comes later.
int weight_of(ks_left_kind kind) {
  switch (kind) {
    case KS_LEFT_NOTHING:
      return 0;
    case KS_LEFT_UNKNOWN:
      return 1;
    case KS_LEFT_IN_PLACE:
      return 2;
    case KS_LEFT_PART:
      return 3;
    case KS_LEFT_VIEW:
      return 4;
    case KS_LEFT_ALL:
      return 5;
  }
  return 0;
}

// What is written to memory that is shared reaches a file or another process (mmap).
bool is_private(const ks_tensor& tensor) {
  const std::size_t bytes = element_bytes(tensor);
  const char *first = nullptr, *last = nullptr;
  for_each_element(tensor, bytes, [&](std::size_t, const char* element) {
    if (!first || element < first) first = element;
    if (!last || element + bytes > last) last = element + bytes;
  });
  return !first || is_writable(first, static_cast<std::size_t>(last - first));
}

}  // namespace

void KeptOutputs::overwrite(PyObject* result) {
  for (const Ref& held_part : kept_parts_of(result)) {
    PyObject* const part = held_part.get();
    if (part == nullptr || part == Py_None) continue;
    Kept& kept = all_.emplace_back();
    kept.object = held(part);
    kept.is_immutable = is_immutable(part);
    OutputView view;
    if (!own_memory_of(part) || !view.show(part, kept.tensor).empty() || !view.is_writable() ||
        !is_private(kept.tensor))
      continue;
    std::vector<char> changed = gathered(kept.tensor);
    if (changed.empty()) continue;
    std::vector<char> saved = changed;
    change(kept.tensor.dtype, view.whole(), changed, static_cast<std::uint64_t>(all_.size()) << 40);
    scatter(kept.tensor, changed);
    kept.saved = std::move(saved);
    // Elements of a view may lie over one another, so what is there now may differ from what was written.
    kept.overwritten = gathered(kept.tensor);
  }
}

// `part` lies in the memory of `kept`, or is that object.
ks_left KeptOutputs::left_of(const Kept& kept, PyObject* part) {
  OutputView view;
  ks_tensor now{};
  if (!view.show(kept.object.get(), now).empty() || !is_at_same_place(now, kept.tensor)) {
    PyErr_Clear();
    return {};  // it was made anew
  }
  const std::size_t bytes = element_bytes(now);
  ks_left out{KS_LEFT_NOTHING, kept.saved.size() / bytes, 0};
  std::uint64_t as_saved = 0;
  for_each_element(now, bytes, [&](std::size_t number, const char* element) {
    out.left += std::memcmp(element, kept.overwritten.data() + number * bytes, bytes) == 0;
    as_saved += std::memcmp(element, kept.saved.data() + number * bytes, bytes) == 0;
  });
  if (out.left == out.elements)
    out.kind = part == kept.object.get() ? KS_LEFT_ALL : KS_LEFT_VIEW;
  else if (out.left > 0)
    out.kind = out.left + as_saved >= out.elements ? KS_LEFT_PART : KS_LEFT_IN_PLACE;
  return out;
}

ks_left KeptOutputs::left_by(PyObject* part) const {
  OutputView view;
  ks_tensor shown{};
  Range range;
  if (has_memory(part) && view.show(part, shown).empty()) range = range_of(shown);
  PyErr_Clear();
  view.release();
  ks_left worst{};
  for (const Kept& kept : all_) {
    const bool same = kept.object.get() == part;
    const bool there = kept.tensor.data != nullptr && range.overlaps(range_of(kept.tensor));
    ks_left found{};
    if (!kept.saved.empty() && (same || there))
      found = left_of(kept, part);
    else if (same && kept.is_immutable && elements_of(kept.tensor) > 0)
      found = {KS_LEFT_ALL, elements_of(kept.tensor), elements_of(kept.tensor)};
    else if (same || there)
      found.kind = KS_LEFT_UNKNOWN;
    if (worst.elements == 0 || weight_of(found.kind) > weight_of(worst.kind)) worst = found;
  }
  return worst;
}

ks_left KeptOutputs::judge(PyObject* result) const {
  ks_left worst{};
  bool some_computed = false;
  for (const Ref& held_part : kept_parts_of(result)) {
    PyObject* const part = held_part.get();
    if (part == nullptr || part == Py_None) continue;
    const ks_left found = left_by(part);
    some_computed = some_computed || found.kind == KS_LEFT_NOTHING;
    if (worst.elements == 0 || weight_of(found.kind) > weight_of(worst.kind)) worst = found;
  }
  // Of several parts one was computed, so the others may well be constants.
  if (worst.kind == KS_LEFT_ALL && some_computed) worst.kind = KS_LEFT_VIEW;
  return worst;
}

void KeptOutputs::restore() {
  for (; !all_.empty(); all_.pop_back()) {
    const Kept& kept = all_.back();
    if (kept.saved.empty()) continue;
    OutputView view;
    ks_tensor now{};
    if (view.show(kept.object.get(), now).empty() && is_at_same_place(now, kept.tensor))
      scatter(now, kept.saved);
    PyErr_Clear();
  }
}

}  // namespace kernsweep::python
