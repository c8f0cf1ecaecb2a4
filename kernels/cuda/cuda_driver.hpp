// The GPU of this process, and its errors.
//
// Always the first GPU that the driver shows; the process that starts this one chooses it by
// CUDA_VISIBLE_DEVICES. Its primary context is retained by the first computation and kept until the process
// ends, because making one takes a good part of a second and a slot measures many points.
//
// Failures of the driver are exceptions here, unlike elsewhere in this program: a measurement makes about
// twenty calls that may all fail, and all failures are handled in one place, the C interface of the pack.
// None leaves the pack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "kernels/api/pack_params.hpp"

namespace kernsweep::cuda {

// A call of the driver that failed. The reason has the error's name ("CUDA_ERROR_OUT_OF_MEMORY"), what was
// tried, and what to do next. The status is KS_OUT_OF_MEMORY; KS_UNSUPPORTED: no driver, no GPU, or one
// that does not support it; KS_DEVICE_LOST: the context is broken for the rest of the process; KS_FAILED:
// all other errors.
using Failure = pack::Refused;

struct Device {
  std::string name;
  int driver_version = 0;  // 1000 major + 10 minor, of CUDA
  int compute_major = 0;
  int compute_minor = 0;
  int multiprocessors = 0;
  int multiprocessor_threads = 0;  // that may be resident on one
  std::size_t l2_bytes = 0;
  std::int64_t blocks_y_max = 1;  // of a grid in y, and in z; 65535 on all known GPUs
};

// Whether there is a driver that is new enough and shows a GPU. Makes no context. KS_UNSUPPORTED with the
// error's name and what to do; KS_DEVICE_LOST if the GPU named by CUDA_VISIBLE_DEVICES is lost. It is
// ks_variant::available of variants for the GPU. Does not throw.
ks_status available(ks_why why);

// The GPU, its context current on the calling thread. Throws Failure. The result lives as long as the
// process.
const Device& open_device();

// Why this process can compute nothing more on its GPU, as the driver reports it; nothing if it can, or has
// opened none. For libraries whose errors do not distinguish a broken context: waits for all work of the
// context, so no Gate may be closed. Throws no Failure.
std::optional<std::string> why_lost();

// "NVIDIA H200, compute capability 9.0, 132 multiprocessors, driver for CUDA 13.0".
std::string describe(const Device& device);

}  // namespace kernsweep::cuda
