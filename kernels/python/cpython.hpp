// CPython's headers, and helpers for all their uses here. Must be included first, as Python.h requires.
//
// Uses only the limited API (its buffers came with 3.11, but 3.10 has the same functions and layout), so
// one pack serves every CPython from 3.10 on.
//
// One thread calls all of this. It holds Python's lock for the life of the process, because it has loaded
// the slot.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <string>
#include <utility>

namespace kernsweep::python {

// Owns a reference, or is empty.
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

// The name under which support.py (cpython_support.hpp) is compiled.
inline constexpr const char* kSupportFile = "kernsweep";

// A new reference.
inline Ref held(PyObject* object) {
  Py_XINCREF(object);
  return Ref(object);
}

// "list", "numpy.ndarray": the type of an object, for messages.
std::string type_name(PyObject* object);
// The name of a type, in the same form.
std::string name_of_type(PyObject* type);
// str(object) as UTF-8; "?" if that fails.
std::string text_of(PyObject* object);

// Ends this process if a function has forked it: otherwise an exception that leaves the function in the
// child would be reported by the slot, which is another process. Must be called with the exception set.
void end_forked_child();

// Clears the exception that is set, and describes it: "ValueError: no such size (bench.py, line 12, in
// prepare)".
std::string take_exception();

}  // namespace kernsweep::python
