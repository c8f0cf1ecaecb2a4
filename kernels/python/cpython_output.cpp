#include "kernels/python/cpython_output.hpp"

#include <cstring>
#include <optional>
#include <string_view>

#include "kernels/python/cpython_support.hpp"
#include "shared/base/dtype.hpp"

namespace kernsweep::python {
namespace {

constexpr std::string_view kAllowed =
    "; a kernel returns None, a number, bytes, an array or tensor of f64, f32, f16, s64, s32, s8 or "
    "u8, or a tuple of these";

// The data type for a one-element format of the struct module; nothing for other formats.
std::optional<ks_dtype> dtype_of(std::string_view format, Py_ssize_t bytes) {
  if (format.starts_with('@') || format.starts_with('=') || format.starts_with('<')) {
    format.remove_prefix(1);
  } else if ((format.starts_with('>') || format.starts_with('!')) && bytes == 1) {
    format.remove_prefix(1);
  }
  if (format.size() != 1) return std::nullopt;
  switch (format[0]) {
    case 'd':
      return KS_F64;
    case 'f':
      return KS_F32;
    case 'e':
      return KS_F16;
    case 'b':
      return KS_S8;
    case 'B':
    case 'c':
    case '?':
      return KS_U8;
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      if (bytes == 4) return KS_S32;
      if (bytes == 8) return KS_S64;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

void show_scalar(const void* data, ks_dtype dtype, ks_tensor& out) {
  out.data = data;
  out.dtype = dtype;
  out.rank = 0;
}

// What exports the memory of the object by the buffer protocol; null: nothing does.
Ref exporter_of(PyObject* object) {
  if (PyObject_CheckBuffer(object) != 0) return held(object);
  Ref found = support("exporter_of", "(O)", object);
  PyErr_Clear();
  return found && PyObject_CheckBuffer(found.get()) != 0 ? std::move(found) : Ref();
}

}  // namespace

bool has_memory(PyObject* object) {
  return object != nullptr && exporter_of(object);
}

void OutputView::release() {
  if (held_) PyBuffer_Release(&buffer_);
  held_ = false;
}

std::string OutputView::show(PyObject* object, ks_tensor& out) {
  release();
  out = {};
  if (object == nullptr || object == Py_None) {
    out.dtype = KS_U8;
    out.rank = 1;
    out.strides[0] = 1;
    return "";
  }
  if (PyFloat_Check(object)) {
    real_ = PyFloat_AsDouble(object);
    show_scalar(&real_, KS_F64, out);
    return "";
  }
  if (PyLong_Check(object)) {
    int overflow = 0;
    integer_ = PyLong_AsLongLongAndOverflow(object, &overflow);
    show_scalar(&integer_, KS_S64, out);
    return overflow == 0 ? "" : "it returned an int that does not fit into 64 bits";
  }
  return show_buffer(object, out);
}

std::string OutputView::show_buffer(PyObject* object, ks_tensor& out) {
  const std::string got = "it returned " + type_name(object);
  const Ref exporter = exporter_of(object);
  if (!exporter) return got + std::string(kAllowed);
  if (PyObject_GetBuffer(exporter.get(), &buffer_, PyBUF_RECORDS_RO) != 0)
    return got + " whose elements cannot be read: " + take_exception();
  held_ = true;
  const std::string format = buffer_.format ? buffer_.format : "B";
  const auto dtype = dtype_of(format, buffer_.itemsize);
  if (!dtype) return got + " with elements of the format '" + format + "'" + std::string(kAllowed);
  if (buffer_.ndim > KS_RANK_MAX) {
    return got + " of rank " + std::to_string(buffer_.ndim) + "; at most " + std::to_string(KS_RANK_MAX) +
           " dimensions can be told";
  }
  out.data = buffer_.buf;
  out.dtype = *dtype;
  out.rank = buffer_.ndim;
  for (int d = 0; d < buffer_.ndim; ++d) {
    if (buffer_.strides[d] % buffer_.itemsize != 0)
      return got + " whose strides are no multiples of its elements; return a copy of it";
    out.shape[d] = buffer_.shape[d];
    out.strides[d] = buffer_.strides[d] / buffer_.itemsize;
  }
  return "";
}

std::vector<PyObject*> parts_of(PyObject* object) {
  std::vector<PyObject*> parts;
  if (object == nullptr || !PyTuple_Check(object)) return {object};
  for (Py_ssize_t i = 0; i < PyTuple_Size(object); ++i)
    for (PyObject* const part : parts_of(PyTuple_GetItem(object, i))) parts.push_back(part);
  return parts;
}

std::string ShownOutput::show(PyObject* object, ks_tensor& out) {
  if (object == nullptr || !PyTuple_Check(object)) return view_.show(object, out);
  gathered_.clear();
  for (PyObject* const part : parts_of(object)) {
    if (const std::string wrong = view_.show(part, out); !wrong.empty()) return wrong;
    const auto dtype = static_cast<Dtype>(out.dtype);
    for_each_element(out, size_of(dtype), [&](std::size_t, const char* element) {
      gathered_.push_back(element_as_double(dtype, element, 0));
    });
  }
  view_.release();
  out = {};
  out.data = gathered_.data();
  out.dtype = KS_F64;
  out.rank = 1;
  out.shape[0] = static_cast<std::int64_t>(gathered_.size());
  out.strides[0] = 1;
  return "";
}

}  // namespace kernsweep::python
