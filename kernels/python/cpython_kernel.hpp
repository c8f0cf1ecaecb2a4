// Makes what `python` names ready to be called.
#pragma once

#include "kernels/python/cpython.hpp"

#include <string>

#include "kernels/api/pack.h"

namespace kernsweep::python {

// Status and reason of a failure.
struct Flaw {
  ks_status status = KS_OK;
  std::string reason;
};

// The exception that is set, as status and reason: some exceptions correspond to a status.
Flaw flaw_of_exception(const std::string& doing);

struct Kernel {
  Ref call;                   // without parameters: what is timed
  Ref output;                 // without parameters: returns the output; empty: `call` does
  Ref metrics;                // what may have the attribute `metrics`
  Ref work;                   // (FLOP, bytes) of a call; 0: unknown
  bool has_begun = false;     // support.py's begin() was called; end() is due
  bool is_output = false;     // `call` is no function, but the output itself
  bool is_reference = false;  // text is an output, too: its bytes
};

// `named`: "module:name". The name is that of a function, which is called with the parameters
// and operands as keyword arguments and returns the kernel; or of a class or object with
// setup(params, inputs) and run(state), and maybe output(state), supports(params), flops, bytes and
// reference(params, inputs). With the parameter "python.is_reference" a function gets only the parameters
// that it has, and may return the output in place of a function; of an object it is reference(). False:
// `flaw` says why.
bool make_kernel(const std::string& named, const ks_params& params, const ks_context& context,
                 const ks_tensor* inputs, Kernel& out, Flaw& flaw);

}  // namespace kernsweep::python
