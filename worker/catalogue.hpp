// The kernels of this host: those of every pack in the pack folders. Each pack is described by a process of
// its own, so that a pack that crashes when it is loaded does not end the worker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

// Describes all packs (*.so) of the folders, several at a time; packs for GPUs come last. If two packs have
// a family of the same name, the first one counts. The later one adds its variants if the families have the
// same parameters; a variant whose name exists is left out. A pack that fails is listed in `broken` with
// the reason. `probe`: ask each variant whether it can run here. `family`: if not "", only the packs that
// may have it (worker/host/pack_index.hpp); if none of these has it, all packs.
Result<wire::Catalogue> read_catalogue(const std::vector<std::string>& folders, bool probe,
                                       const std::string& family = "");

// The first pack that has the family. A broken one is skipped while another one may have the family; the
// last candidate, by its index, is not opened. Nothing: no pack has it, or those without an index cannot be
// described.
std::optional<std::string> first_pack_with(const std::vector<std::string>& folders,
                                           const std::string& family);

// The same for one pack, probed. A pack that cannot be described has no families, and the reason in
// `broken`. Error: no process could be started.
Result<wire::Catalogue> read_pack(const std::string& pack);

// Adds the families of one more pack, by the rules of read_catalogue().
void add_families(const wire::Catalogue& described, wire::Catalogue& out);

// Paths of all packs of the catalogue, each once.
std::vector<std::string> packs_of(const wire::Catalogue& catalogue);

// The pack that has the variant. If `variant` is "" or no pack has it: the first pack with the family;
// nothing if there is none.
std::optional<std::string> pack_with(const wire::Catalogue& catalogue, const std::string& family,
                                     const std::string& variant);

// The packs of all variants of a family.
google::protobuf::Map<std::string, std::string> packs_by_variant(const wire::Catalogue& catalogue,
                                                                 const std::string& family);

}  // namespace kernsweep
