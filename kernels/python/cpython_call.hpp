// A Python function made into a kernel: called once with the parameters of a point, it returns what is then
// called and timed.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/api/pack.h"

namespace kernsweep::python {

class Call {
 public:
  // What went wrong, for the host.
  struct Flaw {
    ks_status status = KS_OK;
    std::string reason;
  };

  // Imports the module of `reference` ("module:function") and calls the function. Null: `flaw` says why.
  static std::unique_ptr<Call> make(const char* reference, const ks_params& params,
                                    const ks_context& context, Flaw& flaw);
  ~Call();

  // One timed call. The first one also looks whether its result can be an output.
  ks_status run(Flaw& flaw);
  // What the last call returned. Valid until the next call.
  ks_status output(ks_tensor& out, Flaw& flaw);
  // What the kernel's attribute `metrics` holds now; how many were written.
  std::size_t metrics(ks_declared_metric* out, std::size_t capacity);

 private:
  Call();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kernsweep::python
