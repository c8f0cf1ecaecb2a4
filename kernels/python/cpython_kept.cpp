#include "kernels/python/cpython_kept.hpp"

#include <algorithm>

#include "kernels/python/cpython_output.hpp"
#include "shared/base/dtype.hpp"
#include "shared/base/writable_memory.hpp"

namespace kernsweep::python {
namespace {

std::size_t element_bytes(const ks_tensor& tensor) {
  return size_of(static_cast<Dtype>(tensor.dtype));
}

// 0: unknown
std::uint64_t elements_of(const ks_tensor& tensor) {
  std::uint64_t count = tensor.data ? 1 : 0;
  for (std::int32_t d = 0; d < tensor.rank; ++d) count *= static_cast<std::uint64_t>(tensor.shape[d]);
  return count;
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

// In order of severity.
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

// Writes to shared memory reach a file or another process (mmap).
bool is_private(const ks_tensor& tensor) {
  const Range range = range_of(tensor);
  return range.first == range.behind || is_writable(reinterpret_cast<const void*>(range.first),
                                                    static_cast<std::size_t>(range.behind - range.first));
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
    const SavedElements* const earlier = all_.size() > 1 ? &all_[all_.size() - 2].saved : nullptr;
    kept.saved =
        SavedElements(kept.tensor, view.whole(), static_cast<std::uint64_t>(all_.size()) << 40, earlier);
  }
}

// Whether `part` is in the memory of `kept`, or is the same object.
ks_left KeptOutputs::left_of(const Kept& kept, PyObject* part) {
  OutputView view;
  ks_tensor now{};
  if (!view.show(kept.object.get(), now).empty() || !is_at_same_place(now, kept.tensor)) {
    PyErr_Clear();
    return {};  // it was created again
  }
  const SavedElements::Seen seen = kept.saved.seen_in(now);
  ks_left out{KS_LEFT_NOTHING, kept.saved.size(), seen.overwritten};
  if (out.left == out.elements)
    out.kind = part == kept.object.get() ? KS_LEFT_ALL : KS_LEFT_VIEW;
  else if (out.left > 0)
    out.kind = out.left + seen.saved >= out.elements ? KS_LEFT_PART : KS_LEFT_IN_PLACE;
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
    if (kept.saved.size() > 0 && (same || there))
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
  // One of several parts was computed, so the others may be constants.
  if (worst.kind == KS_LEFT_ALL && some_computed) worst.kind = KS_LEFT_VIEW;
  return worst;
}

void KeptOutputs::restore() {
  for (; !all_.empty(); all_.pop_back()) {
    const Kept& kept = all_.back();
    if (kept.saved.size() == 0) continue;
    OutputView view;
    ks_tensor now{};
    if (view.show(kept.object.get(), now).empty() && is_at_same_place(now, kept.tensor))
      kept.saved.write_back(now);
    PyErr_Clear();
  }
}

}  // namespace kernsweep::python
