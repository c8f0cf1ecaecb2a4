// Tensors from .npy and .safetensors files.
//
// Nothing is converted: dtype and shape must be those that the kernel requires, in row-major order; leading
// extents of 1 are ignored. Files are read, not mapped, because access to a mapping of a truncated file
// raises SIGBUS.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "tensors/file_layout.hpp"
#include "tensors/spec.hpp"

namespace kernsweep {

// The tensors of a file. Every error names the path.
Result<std::vector<TensorInFile>> tensors_in_file(const std::string& path);

// Fills `out` (spec.bytes() long) with the tensor of spec.file, and checks that the file as it was read has
// the content hash of the description. Errors: no such file or tensor, other dtype or shape, damaged,
// changed.
Status read_tensor(const TensorSpec& spec, std::span<std::byte> out);

}  // namespace kernsweep
