// Where the tree and its build are, as the running program's path says: programs of tests are the same
// wherever the tree lies, so that what was compiled, and what has passed, is kept for every checkout.
#pragma once

#include <string>

namespace kernsweep {

std::string source_folder();  // $KERNSWEEP_SOURCE_DIR, otherwise two folders above the build's
std::string build_folder();   // such as source_folder()/build/release

}  // namespace kernsweep
