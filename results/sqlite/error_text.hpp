// Errors of SQLite in words.
#pragma once

#include <string>

namespace kernsweep::sqlite {

// The message for an error code of a call on the database at `path`: SQLite's text, and what the user can
// do. `system`: the errno of the failed call; 0: not known.
std::string explained(const std::string& path, int code, const std::string& text, int system = 0);

}  // namespace kernsweep::sqlite
