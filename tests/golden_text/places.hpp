// Where the tree and its build are. Only one object knows: all others of the tests are the same wherever
// the tree lies, so that a compiler's cache serves every checkout.
#pragma once

#include <string>

namespace kernsweep {

std::string source_folder();  // the top of the tree
std::string build_folder();   // such as source_folder()/build/release

}  // namespace kernsweep
