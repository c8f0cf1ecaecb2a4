// Finds the pack that has a kernel. As in the worker, each pack is described by a process of its own, so
// that only the one that is found is loaded here.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// Path of the first pack in pack_folders() that has the variant of the family, packs for GPUs behind the
// others; of the first one with the family where none has the variant, or with "". Error: none has the
// family, with what there is and which packs cannot be read.
Result<std::string> pack_with_kernel(const std::string& family, const std::string& variant);

}  // namespace kernsweep
