// Whole small text files.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// The bytes of a regular file of at most `most` bytes. Error, without the path: "there is no such file", "a
// directory", "12 bytes; at most 10", or what the system said.
Result<std::string> read_text_file(const std::string& path, std::size_t most);

}  // namespace kernsweep
