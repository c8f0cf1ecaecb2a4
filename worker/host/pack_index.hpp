// The index of a pack: the names of its families, in a note of its file, so that the pack need not be
// loaded to find that it lacks a family. cmake/kernsweep_pack.cmake writes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kernsweep {

// The families in the pack's index. Nothing: the file has no index, because it was not built with
// kernsweep_pack(); only loading it shows its families.
std::optional<std::vector<std::string>> indexed_families(const std::string& pack);

// Whether the pack may have the family: its index has it, or there is no index.
bool may_have_family(const std::string& pack, const std::string& family);

}  // namespace kernsweep
