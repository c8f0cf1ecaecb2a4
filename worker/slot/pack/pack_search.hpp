// Finds the pack that has a kernel. As in the worker, each pack is described by a process of its own, so
// that only the one that is found is loaded here.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// Path of the first pack in pack_folders() that has the variant of the family; packs for GPUs come last. If
// none has the variant, or it is "": the first pack with the family. Error: none has the family; the
// message has similar names and the packs that cannot be read.
Result<std::string> pack_with_kernel(const std::string& family, const std::string& variant);

// Whether the file is among the packs of this installation. All other packs come from users.
bool is_installed_pack(const std::string& pack);

}  // namespace kernsweep
