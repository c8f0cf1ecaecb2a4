// Writes a tree as the text of a sweep file.
#pragma once

#include <string>

#include "language/file/yaml_tree.hpp"

namespace kernsweep {

// The value as it is written after `key: `, on one line; it is read back as the same tree.
std::string yaml_value(const Node& node);
// A name as it is written before a colon.
std::string yaml_key(const std::string& name);

}  // namespace kernsweep
