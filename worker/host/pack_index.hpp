// The index of a pack: the names of its families, in a note of its file, so that the pack need not be
// loaded to learn that it has none that is wanted. cmake/kernsweep_pack.cmake writes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kernsweep {

// The families that the pack's index names. Nothing: the file has no index, as a pack that was not built
// with kernsweep_pack(); only loading it shows its families.
std::optional<std::vector<std::string>> indexed_families(const std::string& pack);

// Whether loading the pack may show the family: its index names it, or it has none.
bool may_have_family(const std::string& pack, const std::string& family);

}  // namespace kernsweep
