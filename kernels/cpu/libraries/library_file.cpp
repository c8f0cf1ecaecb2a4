#include "kernels/cpu/libraries/library_file.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>

namespace kernsweep {

std::string file_of(void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return "unknown";
  char real_path[PATH_MAX];
  return realpath(found.dli_fname, real_path) != nullptr ? real_path : found.dli_fname;
}

}  // namespace kernsweep
