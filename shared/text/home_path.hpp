// Removes user names from paths before they are stored: a path in the home folder begins with "~".
#pragma once

#include <string>

namespace kernsweep {

// "HOME/x/y" -> "~/x/y". In the home folder of another user the name is replaced by "-". Other paths stay
// as they are.
std::string without_home(const std::string& path);
// The reverse: "~/x/y" -> "$HOME/x/y". Other paths stay as they are.
std::string with_home(const std::string& path);

}  // namespace kernsweep
