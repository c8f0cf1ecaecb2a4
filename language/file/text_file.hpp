// Whole small text files.
#pragma once

#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

// Reads a regular file of at most `most` bytes. Error, without the path: "there is no such file", "a
// directory, not a file", "12 bytes; at most 10 are read", or the system's message.
Result<std::string> read_text_file(const std::string& path, std::size_t most);

// For the message about a sweep file that is missing: "; did you mean 'a.yaml'?", a file of its folder. ""
// if no name is near.
std::string near_sweep_file(const std::string& path);

}  // namespace kernsweep
