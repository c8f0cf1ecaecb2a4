// A Python function as a kernel: called once with the parameters of a point, returns the function that is
// timed.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/api/pack.h"

namespace kernsweep::python {

class Call {
 public:
  // Status and reason of a failure.
  struct Flaw {
    ks_status status = KS_OK;
    std::string reason;
  };

  // Imports the module of `reference` ("module:function") and calls the function. Null: `flaw` says why.
  // With the parameter "python.is_reference" the function gets only the parameters that it has, and may
  // return the output in place of a function. A parameter "input.NAME" is the position of an operand in
  // `inputs`, which arrives as a read-only memoryview called NAME.
  static std::unique_ptr<Call> make(const char* reference, const ks_params& params,
                                    const ks_context& context, const ks_tensor* inputs, Flaw& flaw);
  ~Call();

  // One timed call. The first one also checks whether its result can be an output.
  ks_status run(Flaw& flaw);
  // The result of the last call. Valid until the next call.
  ks_status output(ks_tensor& out, Flaw& flaw);
  // What ks_variant of these names does, for the object that the last call returned.
  void overwrite();
  ks_left left();
  void restore();
  // Writes the kernel's attribute `metrics`; returns the number of entries.
  std::size_t metrics(ks_declared_metric* out, std::size_t capacity);

 private:
  Call();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kernsweep::python
