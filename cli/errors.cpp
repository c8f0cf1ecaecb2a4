#include "cli/arguments.hpp"
#include "shared/log.hpp"

namespace kernsweep {

int report_error(const std::string& message) {
  complain("kernsweep: " + message);
  return kExitBadInput;
}

}  // namespace kernsweep
