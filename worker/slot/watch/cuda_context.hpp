// The GPU as a kernel of this process uses it, whoever wrote the kernel: a pack, or a library of a script.
// Asks the CUDA driver that the kernel has loaded; loads none itself.
#pragma once

#include <cstddef>
#include <optional>

namespace kernsweep {

class CudaContext {
 public:
  // The context that is current on this thread, else the primary one of the first GPU that this process
  // sees, as CUDA's runtime uses it. Nothing: no driver is loaded, or there is no such context.
  static std::optional<CudaContext> of_process();

  // Returns when all work of the context is done. Errors are left to the kernel's next call, which gets
  // them, too.
  void wait() const;
  // Bytes of the L2 cache that are set aside for accesses that persist; 0 also if the driver cannot tell.
  std::size_t persisting_l2_bytes() const;
  // Sets none aside, and lets go of what persists.
  void reset_persisting_l2() const;

 private:
  struct Driver;
  class Current;
  CudaContext(const Driver& driver, void* context) : driver_(&driver), context_(context) {}
  static const Driver* driver();

  const Driver* driver_;
  void* context_;  // never freed while this process computes on it
};

}  // namespace kernsweep
