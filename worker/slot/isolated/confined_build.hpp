// The command of a build, started by the worker as `kernsweep-slot --build FOLDER BYTES PROGRAM WORD...`:
// without network, in a process namespace that ends with it, with Landlock so that it writes only below
// FOLDER, and no file larger than BYTES.
//
// Parts that the system does not permit are left out, and listed in FOLDER/unconfined, one line each.
#pragma once

#include <string>
#include <vector>

namespace kernsweep {

// Becomes the command, or returns its exit status.
int run_confined_build(const std::vector<std::string>& words);

}  // namespace kernsweep
