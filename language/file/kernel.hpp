// What a sweep file measures: `kernel`, `command`, `commands` or `python`, and the keys that belong to one
// of them.
#pragma once

#include "language/file/document.hpp"

namespace kernsweep {

// Reads these keys of the mapping `root` into `document`. Errors have the place.
Status read_kernel(const Node& root, Document& document);

}  // namespace kernsweep
