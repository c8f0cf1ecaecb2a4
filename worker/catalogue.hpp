// Which kernels this host has: every pack in the pack folders, described by a process of its own, so that a
// pack that crashes while it is loaded costs a line and not the worker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

// Describes all packs (*.so) of the folders, several at a time; those for GPUs stand behind the others. Of
// two families with one name the first folder's counts; a later pack adds its variants to it if their
// parameters are the same, and other variants of a name that is there already are left out. A pack that
// fails is named in `broken` with the reason. `probe`: ask each variant whether it can run here.
Result<wire::Catalogue> read_catalogue(const std::vector<std::string>& folders, bool probe);

// Adds the families of another pack, as above.
void add_families(const wire::Catalogue& described, wire::Catalogue& out);

// Paths of the packs that jobs would use, each once.
std::vector<std::string> packs_of(const wire::Catalogue& catalogue);

// The pack that has the variant; with "", or one that nobody has, the first one with the family. Nothing:
// there is none.
std::optional<std::string> pack_with(const wire::Catalogue& catalogue, const std::string& family,
                                     const std::string& variant);

}  // namespace kernsweep
