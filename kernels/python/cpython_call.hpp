// A Python function, or an object with setup() and run(), as a kernel.
#pragma once

#include "kernels/python/cpython_kernel.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kernsweep::python {

class Call {
 public:
  // Creates the kernel as make_kernel() does. Null: `flaw` has the reason. Until the destructor, seeds and
  // threads are those of `context`, and garbage is not collected.
  static std::unique_ptr<Call> make(const char* named, const ks_params& params, const ks_context& context,
                                    const ks_tensor* inputs, Flaw& flaw);
  ~Call();

  // Makes one timed call. The first one also checks whether its result can be an output.
  ks_status run(Flaw& flaw);
  // The result of the last call. Valid until the next call.
  ks_status output(ks_tensor& out, Flaw& flaw);
  const std::vector<ks_part>& parts() const;  // of it
  const std::string& keys();                  // of it
  // Implements the ks_variant functions of these names, for the object that the last call returned.
  void overwrite();
  ks_left left();
  void restore();
  // Writes the kernel's attribute `metrics`; returns the number of entries.
  std::size_t metrics(ks_declared_metric* out, std::size_t capacity);
  // Settings of this process: "garbage collection off; libgomp.so.1: 2 threads".
  std::string settings() const;

 private:
  Call();
  void report_work();
  bool show_output(Flaw& flaw);
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace kernsweep::python
