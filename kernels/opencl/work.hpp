// One kernel of an OpenCL source file with its arguments, ready to run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "kernels/opencl/device.hpp"

namespace kernsweep::opencl {

struct Argument {
  enum class Kind : std::uint8_t { read, restored, written, number };
  std::string name;
  Kind kind = Kind::number;
  const void* data = nullptr;  // of an array: its content before a call; null if it is only written
  std::size_t bytes = 0;       // of an array
  double number = 0;           // otherwise; for local memory: its bytes
  std::size_t element = 0;     // bytes of an element of an array
  bool is_real = false;        // whether the elements are floats
};

struct Program {
  std::string text;      // OpenCL C
  std::string function;  // of the kernel
  std::string options;   // of the compiler
};

// Numbers of work-items: all, and those of a work-group; both have 1 to 3 dimensions. No `local`: the
// driver chooses.
struct Extent {
  std::vector<std::size_t> global, local;
};

class Work {
 public:
  // Compiles the program, and copies the arrays to the device. `shown`: the argument whose content is the
  // output. Throws Failure; KS_UNSUPPORTED if the device cannot run groups of this size.
  Work(const Device& device, const Program& program, const std::vector<Argument>& arguments, Extent extent,
       std::size_t shown);

  // Runs the kernel once and waits; what calls overwrite is restored before. Throws Failure.
  void run();
  // Of the last run, by the device's clock.
  double seconds() const { return seconds_; }
  // Copies the output to `to`. Throws Failure.
  void read(void* to) const;
  // Sets each byte of the output to `byte`, unless runs restore it. Throws Failure.
  void fill(std::uint8_t byte);

 private:
  struct ReleaseProgram {
    void operator()(cl_program it) const { api().release_program(it); }
  };
  struct ReleaseKernel {
    void operator()(cl_kernel it) const { api().release_kernel(it); }
  };
  struct ReleaseBuffer {
    void operator()(cl_mem it) const { api().release_buffer(it); }
  };
  using Buffer = std::unique_ptr<_cl_mem, ReleaseBuffer>;
  void compile(const Program& program);
  void set_arguments(const Program& program);
  static void check_type(const std::string& type, const Argument& argument);
  void set_number(cl_uint at, const Argument& argument);
  void check_extent() const;
  Buffer made(const Argument& argument) const;

  const Device& device_;
  std::vector<Argument> arguments_;
  Extent extent_;
  std::size_t shown_;
  std::unique_ptr<_cl_program, ReleaseProgram> program_;
  std::unique_ptr<_cl_kernel, ReleaseKernel> kernel_;
  std::vector<Buffer> buffers_;  // of each argument; null: a number
  double seconds_ = 0;
};

}  // namespace kernsweep::opencl
