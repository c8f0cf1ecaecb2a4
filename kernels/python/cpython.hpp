// CPython's headers, and what every use of them here needs. Included first: Python.h asks for that.
//
// One thread calls all of this, the one that started the interpreter, and it holds Python's lock from then
// on.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>

namespace kernsweep::python {

// An owned reference, or none.
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
// str(object) as UTF-8; what fails gives "?".
std::string text_of(PyObject* object);

// The exception that is set, cleared: "ValueError: no such size (bench.py, line 12, in prepare)".
std::string take_exception();

}  // namespace kernsweep::python
