#include "kernels/python/cpython.hpp"

#include "kernels/python/cpython_metrics.hpp"

#include <cstdio>

namespace kernsweep::python {
namespace {

// Text of item `at` of a tuple or a list; "" if there is no such item.
std::string text_at(PyObject* sequence, Py_ssize_t at) {
  const Ref item(PySequence_Size(sequence) > at ? PySequence_GetItem(sequence, at) : nullptr);
  return item && item.get() != Py_None ? text_of(item.get()) : "";
}

bool read_entry(PyObject* name, PyObject* said, ks_declared_metric& out) {
  if (PyUnicode_Check(name) == 0) return false;
  const std::string text = text_of(name);
  if (text.empty() || text.size() >= sizeof out.name) return false;
  std::snprintf(out.name, sizeof out.name, "%s", text.c_str());
  const bool several = PyTuple_Check(said) != 0 || PyList_Check(said) != 0;
  const Ref number(several ? PySequence_GetItem(said, 0) : nullptr);
  PyObject* const value = several ? number.get() : said;
  out.value = value != nullptr ? PyFloat_AsDouble(value) : 0;
  if (value == nullptr || PyErr_Occurred() != nullptr) return false;
  if (!several) return true;
  const std::string better = text_at(said, 1), unit = text_at(said, 2);
  out.better = better == "larger"    ? KS_LARGER_IS_BETTER
               : better == "smaller" ? KS_SMALLER_IS_BETTER
                                     : KS_BETTER_BY_NAME;
  if (unit.size() < sizeof out.unit) std::snprintf(out.unit, sizeof out.unit, "%s", unit.c_str());
  return true;
}

}  // namespace

std::size_t metrics_of(PyObject* kernel, ks_declared_metric* out, std::size_t capacity) {
  std::size_t count = 0;
  const Ref metrics(PyObject_GetAttrString(kernel, "metrics"));
  const Ref entries(metrics && PyDict_Check(metrics.get()) != 0 ? PyDict_Items(metrics.get()) : nullptr);
  for (Py_ssize_t i = 0; entries && i < PyList_Size(entries.get()) && count < capacity; ++i) {
    PyObject* const entry = PyList_GetItem(entries.get(), i);  // borrowed, a pair
    ks_declared_metric one = {};
    if (read_entry(PyTuple_GetItem(entry, 0), PyTuple_GetItem(entry, 1), one)) out[count++] = one;
    PyErr_Clear();
  }
  PyErr_Clear();
  return count;
}

}  // namespace kernsweep::python
