// Which pack has a family, asked as the agent asks: every pack is described by a process of its own, so
// that none but the one that is wanted is loaded here.
#pragma once

#include <string>

#include "shared/result.hpp"

namespace kernsweep {

// Path of the first pack in pack_folders() that has the family. Error: none has it, with what there is and
// which packs cannot be read.
Result<std::string> pack_with_family(const std::string& family);

}  // namespace kernsweep
