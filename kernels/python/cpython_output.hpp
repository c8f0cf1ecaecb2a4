// The return value of a Python function as a tensor.
#pragma once

#include "kernels/python/cpython.hpp"

#include <vector>

#include "kernels/api/pack.h"

namespace kernsweep::python {

// Integer types that ks_dtype lacks; a tensor uses a type of the same size for them. Other elements are
// what their ks_dtype says.
enum class Whole { as_dtype, s16, u16, u32, u64 };

// Holds a view of an object, which must outlive it.
class OutputView {
 public:
  OutputView() = default;
  OutputView(const OutputView&) = delete;
  OutputView& operator=(const OutputView&) = delete;
  ~OutputView() { release(); }

  // None gives an empty tensor; a float, an int or a bool a scalar; a complex two elements; an object with
  // a buffer its elements, with its strides. Complex elements become a last dimension of 2. Returns an
  // empty text, or a description of an object that is none of these.
  std::string show(PyObject* object, ks_tensor& out);
  Whole whole() const { return whole_; }
  bool is_single() const { return is_single_; }  // one number, not an array
  // Must be called before the next call: a bytearray cannot grow while a view of it exists.
  void release();
  // Whether the memory that was shown last is writable.
  bool is_writable() const { return held_ && buffer_.readonly == 0; }

 private:
  std::string show_buffer(PyObject* object, ks_tensor& out);

  Py_buffer buffer_{};
  bool held_ = false;
  Whole whole_ = Whole::as_dtype;
  bool is_single_ = false;
  double numbers_[2] = {};
  std::int64_t integer_ = 0;
};

// Whether the object has elements in memory: by the buffer protocol, or as a tensor of PyTorch or another
// array.
bool has_memory(PyObject* object);

// The address of the elements in the object's own memory. Null if it has none, or shows a new copy each
// time, such as a copy of GPU memory.
const void* own_memory_of(PyObject* object);

// Whether a library promises that nothing writes to such an object: an array of JAX, a tensor of
// TensorFlow.
bool is_immutable(PyObject* object);

// Whether a return value consists of others (a tuple, a list, a dict, an array of objects or texts), or is
// a text.
bool has_parts(PyObject* object);

// The objects that a return value consists of, or the object itself: those whose elements are shown, or at
// most 1,000 whose memory is kept (support.py). Both are empty if the value contains itself; the first
// function then sets an exception.
std::vector<Ref> shown_parts_of(PyObject* object);
std::vector<Ref> kept_parts_of(PyObject* object);

// The keys of the dicts in a return value as ks_variant::keys has them.
std::string keys_of(PyObject* object);

// Shows any return value. For a value with parts: the elements of all parts, in order, each with its type
// (ks_part); for a text its bytes. An array is a part with a scale of its own; consecutive numbers share
// one scale. Whole numbers that ks_dtype lacks are copied as s64.
class ShownOutput {
 public:
  // Shows a value as OutputView::show does; `out` is valid until release(), the next show() or the end of
  // `object`.
  std::string show(PyObject* object, ks_tensor& out);
  // Parts of what was shown last (ks_variant::parts).
  const std::vector<ks_part>& parts() const { return parts_; }
  void release() { view_.release(); }

 private:
  void add(const ks_tensor& shown, std::int32_t scale);
  void show_added(ks_tensor& out);

  Ref text_;  // as bytes; declared so that it outlives `view_`
  OutputView view_;
  std::vector<std::int64_t> added_;  // of floats the bits as a double
  std::vector<ks_part> parts_;
};

// Calls visit(number, address) for each element, in row-major order.
template <class Visit>
void for_each_element(const ks_tensor& tensor, std::size_t bytes, Visit visit) {
  std::size_t count = 1;
  bool is_dense = true;
  for (std::int32_t d = tensor.rank - 1; d >= 0; --d) {
    is_dense = is_dense && tensor.strides[d] == static_cast<std::int64_t>(count);
    count *= static_cast<std::size_t>(tensor.shape[d]);
  }
  const auto* const base = static_cast<const char*>(tensor.data);
  if (is_dense) {
    for (std::size_t number = 0; number < count; ++number) visit(number, base + number * bytes);
    return;
  }
  std::int64_t at[KS_RANK_MAX] = {};
  std::int64_t offset = 0;  // in elements
  for (std::size_t number = 0; number < count; ++number) {
    visit(number, base + offset * static_cast<std::int64_t>(bytes));
    for (std::int32_t d = tensor.rank - 1; d >= 0; --d) {
      offset += tensor.strides[d];
      if (++at[d] < tensor.shape[d]) break;
      offset -= tensor.shape[d] * tensor.strides[d];
      at[d] = 0;
    }
  }
}

}  // namespace kernsweep::python
