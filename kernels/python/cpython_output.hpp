// What a Python function returned, as a tensor.
#pragma once

#include "kernels/python/cpython.hpp"

#include "kernels/api/pack.h"

namespace kernsweep::python {

// Keeps a view of an object alive; the object must outlive it.
class OutputView {
 public:
  OutputView() = default;
  OutputView(const OutputView&) = delete;
  OutputView& operator=(const OutputView&) = delete;
  ~OutputView() { release(); }

  // None gives an empty tensor; a float, an int or a bool a scalar; whatever has a buffer its elements,
  // with its strides. Empty: done. Else what was got instead of these.
  std::string show(PyObject* object, ks_tensor& out);
  // A bytearray cannot grow while it is shown.
  void release();

 private:
  std::string show_buffer(PyObject* object, ks_tensor& out);

  Py_buffer buffer_{};
  bool held_ = false;
  double real_ = 0;
  std::int64_t integer_ = 0;
};

}  // namespace kernsweep::python
