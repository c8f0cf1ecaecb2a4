// Keeps what a Python function returned while it is called again: the memory of these objects is
// overwritten to find a call that does not compute its result, and restored afterwards. No view of an
// object is held between calls, because a bytearray cannot grow while one exists.
#pragma once

#include "kernels/python/cpython.hpp"

#include <vector>

#include "kernels/api/pack.h"
#include "kernels/python/saved_elements.hpp"

namespace kernsweep::python {

class KeptOutputs {
 public:
  KeptOutputs() = default;
  KeptOutputs(const KeptOutputs&) = delete;
  KeptOutputs& operator=(const KeptOutputs&) = delete;
  ~KeptOutputs() { restore(); }

  // Keeps the object, or each of its parts. Overwrites objects that have writable memory of their own; all
  // others, such as those that show a copy of their memory, are kept only to be recognised.
  void overwrite(PyObject* result);
  // What a call that has returned `result` since then did not write of all that was overwritten.
  ks_left judge(PyObject* result) const;
  // Writes back what was saved, the latest first, and releases the objects. Skips an object whose memory
  // has moved or has another shape by now.
  void restore();

 private:
  struct Kept {
    Ref object;
    ks_tensor tensor{};         // where its elements were; without data: unknown
    bool is_immutable = false;  // if it comes back, no call has computed it
    SavedElements saved;        // of size 0: not overwritten
  };
  static ks_left left_of(const Kept& kept, PyObject* part);
  ks_left left_by(PyObject* part) const;

  std::vector<Kept> all_;
};

}  // namespace kernsweep::python
