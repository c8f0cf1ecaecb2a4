// Whole small text files.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// Reads a regular file of at most `most` bytes. Error, without the path: "there is no such file", "a
// directory, not a file", "12 bytes; at most 10 are read", or the system's message.
Result<std::string> read_text_file(const std::string& path, std::size_t most);

}  // namespace kernsweep
