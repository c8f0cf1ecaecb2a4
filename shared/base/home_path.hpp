// Paths that are stored name no user: what lies in the home folder begins with "~".
#pragma once

#include <string>

namespace kernsweep {

// "HOME/x/y" -> "~/x/y", and below another user's folder beside it, which is that of /home, a "-" stands
// for the name; every other path as it is.
std::string without_home(const std::string& path);
// The other way: "~/x/y" -> "$HOME/x/y". What never had a name in it comes back as it was.
std::string with_home(const std::string& path);

}  // namespace kernsweep
