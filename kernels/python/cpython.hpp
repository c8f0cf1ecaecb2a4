// CPython's headers, and helpers for all their uses here. To be included first, as Python.h requires.
//
// All of this is called by one thread, which has started the interpreter and holds Python's lock from then
// on.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>

namespace kernsweep::python {

// Owns a reference, or none.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// "list", "numpy.ndarray": the type of an object, for messages.
std::string type_name(PyObject* object);
// str(object) as UTF-8; "?" if that fails.
std::string text_of(PyObject* object);

// Clears and describes the exception that is set: "ValueError: no such size (bench.py, line 12, in
// prepare)".
std::string take_exception();

}  // namespace kernsweep::python
