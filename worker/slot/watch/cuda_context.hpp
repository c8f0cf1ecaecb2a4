// The GPU context of a kernel of this process, whoever wrote the kernel: a pack, or a library of a script.
// Calls the CUDA driver that the kernel has loaded; loads none itself.
#pragma once

#include <cstddef>
#include <optional>

namespace kernsweep {

class CudaContext {
 public:
  // The context that is current on this thread, else the primary one of the first GPU of this process,
  // which CUDA's runtime uses. Nothing: no driver is loaded, or there is no such context.
  static std::optional<CudaContext> of_process();

  // Returns when all work of the context is done. Errors are ignored, because the kernel's next call gets
  // them, too.
  void wait() const;
  // Bytes of the L2 cache that are reserved for persisting accesses; 0 also if the driver cannot report it.
  std::size_t persisting_l2_bytes() const;
  // Reserves none, and releases persisting lines.
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
