// What a Python function returned, kept while it is called again: the memory of these objects is
// overwritten, so that a call that does not compute its result is found, and gets its values back
// afterwards. No view of an object is held between calls, because a bytearray could not grow then.
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

  // Keeps the object (of one with parts each of them). Overwrites those that have writable memory of their
  // own; all others, such as those that show a copy of their memory, are kept only to be recognised.
  void overwrite(PyObject* result);
  // What a call that has returned `result` since then left of all that was overwritten.
  ks_left judge(PyObject* result) const;
  // Writes back what was saved, the latest first, and lets go of the objects. Not into an object whose
  // memory has moved or has another shape by now.
  void restore();

 private:
  struct Kept {
    Ref object;
    ks_tensor tensor{};         // where its elements were; without data: not known
    bool is_immutable = false;  // if it comes back, no call has computed it
    SavedElements saved;        // of size 0: not overwritten
  };
  static ks_left left_of(const Kept& kept, PyObject* part);
  ks_left left_by(PyObject* part) const;

  std::vector<Kept> all_;
};

}  // namespace kernsweep::python
