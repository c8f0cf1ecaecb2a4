#include <cstdio>

#include "cli/arguments.hpp"

namespace kernsweep {

int report_error(const std::string& message) {
  std::fprintf(stderr, "kernsweep: %s\n", message.c_str());
  return kExitBadInput;
}

}  // namespace kernsweep
