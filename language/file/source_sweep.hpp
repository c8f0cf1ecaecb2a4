// `source`, `call` and `compile`: a function of a C or C++ file, which each setting compiles. They become a
// build and the parameters of the kernel `source` (kernels/source). Of an OpenCL file they become, with
// `launch`, the parameters of the kernel `opencl` (kernels/opencl).
#pragma once

#include "language/file/document.hpp"

namespace kernsweep {

// Reads the keys of the mapping `root`, whose `operands` are in `document`, into `document`. Errors have
// the place.
Status read_source(const Node& root, Document& document);

}  // namespace kernsweep
