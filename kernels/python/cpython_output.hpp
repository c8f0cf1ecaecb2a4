// The return value of a Python function as a tensor.
#pragma once

#include "kernels/python/cpython.hpp"

#include "kernels/api/pack.h"

namespace kernsweep::python {

// Holds a view of an object, which must outlive it.
class OutputView {
 public:
  OutputView() = default;
  OutputView(const OutputView&) = delete;
  OutputView& operator=(const OutputView&) = delete;
  ~OutputView() { release(); }

  // None gives an empty tensor; a float, an int or a bool a scalar; an object with a buffer its elements,
  // with its strides. Returns an empty text, or a description of an object that is none of these.
  std::string show(PyObject* object, ks_tensor& out);
  // To be called before the next call: a bytearray cannot grow while a view of it exists.
  void release();

 private:
  std::string show_buffer(PyObject* object, ks_tensor& out);

  Py_buffer buffer_{};
  bool held_ = false;
  double real_ = 0;
  std::int64_t integer_ = 0;
};

}  // namespace kernsweep::python
