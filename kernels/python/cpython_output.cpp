#include "kernels/python/cpython_output.hpp"

#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "kernels/python/cpython_support.hpp"
#include "shared/base/dtype.hpp"

namespace kernsweep::python {
namespace {

constexpr std::string_view kAllowed =
    "; a kernel returns None, a number, bytes, an array or tensor of floats of at most 64 bits, complex "
    "numbers of these or whole numbers, in the byte order of this machine, a text, or a tuple, list or "
    "dict of these";
constexpr const char* kTooLarge = "it returned an int that does not fit into 64 bits";
constexpr std::string_view kToBeTimed =
    "; to time what a function returns, give kernsweep.kernel setup=True";

struct Elements {
  ks_dtype dtype;
  Whole whole = Whole::as_dtype;
  bool is_complex = false;  // two of the type
};

// The type of a one-element format of the struct module, or of NumPy's complex numbers; otherwise nothing.
std::optional<Elements> elements_of(std::string_view format, Py_ssize_t bytes) {
  if (format.starts_with('@') || format.starts_with('=') || format.starts_with('<')) {
    format.remove_prefix(1);
  } else if ((format.starts_with('>') || format.starts_with('!')) && bytes == 1) {
    format.remove_prefix(1);
  }
  if (format == "Zf") return Elements{KS_F32, Whole::as_dtype, true};
  if (format == "Zd") return Elements{KS_F64, Whole::as_dtype, true};
  if (format.size() != 1) return std::nullopt;
  switch (format[0]) {
    case 'd':
      return Elements{KS_F64};
    case 'f':
      return Elements{KS_F32};
    case 'e':
      return Elements{KS_F16};
    case 'b':
      return Elements{KS_S8};
    case 'B':
    case 'c':
    case '?':
      return Elements{KS_U8};
    case 'h':
      return Elements{KS_F16, Whole::s16};
    case 'H':
      return Elements{KS_F16, Whole::u16};
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      if (bytes == 4) return Elements{KS_S32};
      if (bytes == 8) return Elements{KS_S64};
      return std::nullopt;
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      if (bytes == 4) return Elements{KS_S32, Whole::u32};
      if (bytes == 8) return Elements{KS_S64, Whole::u64};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

template <class Number>
Number number_at(const char* element) {
  Number number;
  std::memcpy(&number, element, sizeof number);
  return number;
}

// Returns a whole number itself, modulo 2^64 for u64; for a float the bits of its double.
std::int64_t bits_at(ks_dtype dtype, Whole whole, const char* element) {
  switch (whole) {
    case Whole::s16:
      return number_at<std::int16_t>(element);
    case Whole::u16:
      return number_at<std::uint16_t>(element);
    case Whole::u32:
      return number_at<std::uint32_t>(element);
    case Whole::u64:
      return number_at<std::int64_t>(element);
    case Whole::as_dtype:
      break;
  }
  if (dtype == KS_S64) return number_at<std::int64_t>(element);
  const double number = element_as_double(static_cast<Dtype>(dtype), element, 0);
  return is_float(static_cast<Dtype>(dtype)) ? std::bit_cast<std::int64_t>(number)
                                             : static_cast<std::int64_t>(number);
}

void show_scalar(const void* data, ks_dtype dtype, ks_tensor& out) {
  out.data = data;
  out.dtype = dtype;
  out.rank = 0;
}

// The object that exports the memory by the buffer protocol, and the type of its elements if the buffer
// cannot express it; a null object if there is no memory.
struct Exporter {
  Ref object;
  std::optional<Dtype> dtype;
};

// Uses Python, for an object without a readable buffer.
Exporter asked_exporter(PyObject* object) {
  const Ref found = support("exporter_of", "(O)", object);
  if (!found || !PyTuple_Check(found.get())) return {};
  return {held(PyTuple_GetItem(found.get(), 0)), dtype_named(text_of(PyTuple_GetItem(found.get(), 1)))};
}

Exporter exporter_of(PyObject* object) {
  if (PyObject_CheckBuffer(object) != 0) return {held(object), std::nullopt};
  Exporter found = asked_exporter(object);
  PyErr_Clear();
  return found.object && PyObject_CheckBuffer(found.object.get()) != 0 ? std::move(found) : Exporter();
}

// What to return in place of an array whose elements no buffer can express.
std::string advice(PyObject* object) {
  const Ref dtype(PyObject_GetAttrString(object, "dtype"));
  const Ref kind(dtype ? PyObject_GetAttrString(dtype.get(), "kind") : nullptr);
  const std::string letter = kind ? text_of(kind.get()) : "";
  PyErr_Clear();
  if (letter != "M" && letter != "m") return std::string(kAllowed);    // moments and spans of NumPy
  const bool has_views = PyObject_HasAttrString(object, "view") != 0;  // without a copy
  return std::string("; return its elements as whole numbers, as x.") + (has_views ? "view" : "astype") +
         "('int64')";
}

}  // namespace

bool has_memory(PyObject* object) {
  return object != nullptr && exporter_of(object).object;
}

const void* own_memory_of(PyObject* object) {
  if (!has_memory(object)) return nullptr;
  OutputView first, second;  // both at once, so that two copies have two addresses
  ks_tensor at{}, again{};
  const bool are_shown = first.show(object, at).empty() && second.show(object, again).empty();
  PyErr_Clear();
  return are_shown && at.data == again.data ? at.data : nullptr;
}

bool is_immutable(PyObject* object) {
  const Ref said = support("is_immutable", "(O)", object);
  PyErr_Clear();
  return said && PyObject_IsTrue(said.get()) == 1;
}

void OutputView::release() {
  if (held_) PyBuffer_Release(&buffer_);
  held_ = false;
}

std::string OutputView::show(PyObject* object, ks_tensor& out) {
  release();
  out = {};
  whole_ = Whole::as_dtype;
  is_single_ =
      object != nullptr && (PyFloat_Check(object) || PyComplex_Check(object) || PyLong_Check(object));
  if (object == nullptr || object == Py_None) {
    out.dtype = KS_U8;
    out.rank = 1;
    out.strides[0] = 1;
    return "";
  }
  if (PyFloat_Check(object)) {
    numbers_[0] = PyFloat_AsDouble(object);
    show_scalar(numbers_, KS_F64, out);
    return "";
  }
  if (PyComplex_Check(object)) {
    numbers_[0] = PyComplex_RealAsDouble(object);
    numbers_[1] = PyComplex_ImagAsDouble(object);
    show_scalar(numbers_, KS_F64, out);
    out.rank = 1;
    out.shape[0] = 2;
    out.strides[0] = 1;
    return "";
  }
  if (PyLong_Check(object)) {
    int overflow = 0;
    integer_ = PyLong_AsLongLongAndOverflow(object, &overflow);
    show_scalar(&integer_, KS_S64, out);
    if (overflow <= 0) return overflow == 0 ? "" : kTooLarge;
    integer_ = static_cast<std::int64_t>(PyLong_AsUnsignedLongLong(object));
    whole_ = Whole::u64;
    const bool fits = PyErr_Occurred() == nullptr;
    PyErr_Clear();
    return fits ? "" : kTooLarge;
  }
  return show_buffer(object, out);
}

std::string OutputView::show_buffer(PyObject* object, ks_tensor& out) {
  const std::string got = "it returned " + type_name(object);
  Exporter exporter = exporter_of(object);
  if (!exporter.object) {
    const bool made = PyCallable_Check(object) != 0;
    return got + std::string(kAllowed) + (made ? std::string(kToBeTimed) : "");
  }
  if (PyObject_GetBuffer(exporter.object.get(), &buffer_, PyBUF_RECORDS_RO) != 0) {
    std::string wrong = got + " whose elements cannot be read: " + take_exception();
    wrong += advice(object);
    exporter = asked_exporter(object);
    if (!exporter.object || PyObject_GetBuffer(exporter.object.get(), &buffer_, PyBUF_RECORDS_RO) != 0) {
      PyErr_Clear();
      return wrong;
    }
  }
  held_ = true;
  const std::string format = buffer_.format ? buffer_.format : "B";
  auto elements = elements_of(format, buffer_.itemsize);
  if (exporter.dtype) elements = Elements{static_cast<ks_dtype>(*exporter.dtype)};
  if (!elements) return got + " with elements of the format '" + format + "'" + std::string(kAllowed);
  const int rank = buffer_.ndim + (elements->is_complex ? 1 : 0);
  if (rank > KS_RANK_MAX) {
    return got + " of rank " + std::to_string(rank) + "; at most " + std::to_string(KS_RANK_MAX) +
           " dimensions can be described";
  }
  const auto bytes = static_cast<Py_ssize_t>(size_of(static_cast<Dtype>(elements->dtype)));
  out.data = buffer_.buf;
  out.dtype = elements->dtype;
  out.rank = rank;
  whole_ = elements->whole;
  is_single_ = buffer_.ndim == 0;
  for (int d = 0; d < buffer_.ndim; ++d) {
    if (buffer_.strides[d] % bytes != 0)
      return got + " whose strides are not multiples of its elements; return a copy of it";
    out.shape[d] = buffer_.shape[d];
    out.strides[d] = buffer_.strides[d] / bytes;
  }
  if (elements->is_complex) {
    out.shape[rank - 1] = 2;
    out.strides[rank - 1] = 1;
  }
  return "";
}

bool has_parts(PyObject* object) {
  if (object == nullptr || object == Py_None || PyFloat_Check(object) || PyLong_Check(object)) return false;
  if (PyTuple_Check(object) || PyList_Check(object) || PyDict_Check(object) || PyUnicode_Check(object))
    return true;
  const Ref dtype(PyObject_GetAttrString(object, "dtype"));
  const Ref kind(dtype ? PyObject_GetAttrString(dtype.get(), "kind") : nullptr);
  const std::string letter = kind && PyUnicode_Check(kind.get()) ? text_of(kind.get()) : "";
  PyErr_Clear();
  return letter == "O" || letter == "S" || letter == "U";  // objects, bytes, texts
}

namespace {

std::vector<Ref> parts_of(PyObject* object, bool shown) {
  std::vector<Ref> parts;
  if (!has_parts(object)) {
    parts.push_back(held(object));
    return parts;
  }
  const Ref all = support("parts_of", "(OO)", object, shown ? Py_True : Py_False);
  const Py_ssize_t count = all ? PyList_Size(all.get()) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) parts.push_back(held(PyList_GetItem(all.get(), i)));
  return parts;
}

}  // namespace

std::vector<Ref> shown_parts_of(PyObject* object) {
  return parts_of(object, true);
}

std::vector<Ref> kept_parts_of(PyObject* object) {
  std::vector<Ref> parts = parts_of(object, false);
  PyErr_Clear();
  constexpr std::size_t kMost = 1000;  // each is compared with every other
  if (parts.size() > kMost) parts.resize(kMost);
  return parts;
}

std::string keys_of(PyObject* object) {
  if (!has_parts(object) || PyUnicode_Check(object)) return "";
  const Ref keys = support("keys_of", "(O)", object);
  std::string out = keys ? text_of(keys.get()) : "";
  PyErr_Clear();  // a key of a user's class
  return out;
}

// Copies what is shown; adjacent elements of one type and scale become one part.
void ShownOutput::add(const ks_tensor& shown, std::int32_t scale) {
  const auto dtype = static_cast<Dtype>(shown.dtype);
  const Whole whole = view_.whole();
  bool is_unsigned = false;
  const std::size_t before = added_.size();
  for_each_element(shown, size_of(dtype), [&](std::size_t, const char* element) {
    added_.push_back(bits_at(shown.dtype, whole, element));
    is_unsigned = is_unsigned || (whole == Whole::u64 && added_.back() < 0);
  });
  const auto count = static_cast<std::int64_t>(added_.size() - before);
  const bool is_whole = whole != Whole::as_dtype || !is_float(dtype);
  const ks_part part{count, is_whole ? KS_S64 : shown.dtype, is_unsigned ? 1 : 0, scale};
  ks_part* const last = parts_.empty() ? nullptr : &parts_.back();
  if (last && last->dtype == part.dtype && last->is_unsigned == part.is_unsigned && last->scale == scale)
    last->elements += count;
  else if (count > 0)
    parts_.push_back(part);
}

// Makes no parts if one data type describes all elements.
void ShownOutput::show_added(ks_tensor& out) {
  const bool is_one = parts_.size() == 1 && parts_[0].is_unsigned == 0;
  const ks_dtype dtype = is_one ? parts_[0].dtype : KS_S64;
  const bool says_all = parts_.empty() || (is_one && (dtype == KS_S64 || dtype == KS_F64));
  out.data = added_.data();
  out.dtype = parts_.empty() ? KS_F64 : says_all ? dtype : KS_S64;
  std::int64_t stride = 1;
  for (std::int32_t d = out.rank - 1; d >= 0; --d) {
    out.strides[d] = stride;
    stride *= out.shape[d];
  }
  if (says_all) parts_.clear();
}

std::string ShownOutput::show(PyObject* object, ks_tensor& out) {
  added_.clear();
  parts_.clear();
  if (!has_parts(object)) {
    std::string wrong = view_.show(object, out);
    if (!wrong.empty() || view_.whole() == Whole::as_dtype) return wrong;
    add(out, 0);
    show_added(out);
    return "";
  }
  const std::vector<Ref> parts = shown_parts_of(object);
  if (PyErr_Occurred()) return take_exception();
  if (PyUnicode_Check(object)) {
    text_ = held(parts.front().get());
    return view_.show(text_.get(), out);
  }
  std::int32_t scale = 0;
  bool after_single = false;
  for (const Ref& part : parts) {
    if (std::string wrong = view_.show(part.get(), out); !wrong.empty()) return wrong;
    scale += view_.is_single() && after_single ? 0 : 1;
    after_single = view_.is_single();
    add(out, scale);
  }
  view_.release();
  out = {};
  out.rank = 1;
  out.shape[0] = static_cast<std::int64_t>(added_.size());
  show_added(out);
  return "";
}

}  // namespace kernsweep::python
